package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"askd/broker/ask"
	"askd/journal"
	"askd/ui"
)

// pastOf is a journal with one answered form of two questions a day.
func pastOf(t *testing.T, days int) ui.History {
	t.Helper()
	j, err := journal.Open(journal.Options{Path: filepath.Join(t.TempDir(), "askd.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	done := make(chan error, 2*days)
	for i := range days {
		r := &ask.Request{
			ID: fmt.Sprint("r", i), Session: "s", Tool: ask.ToolAskUser, CreatedAt: time.Date(2026, 1, 1+i, 9, 0, 0, 0, time.UTC),
			Questions: []ask.Question{
				{ID: "db", Label: "Store", Prompt: fmt.Sprintf("Which store on day %d?", i), Type: ask.Single, Options: []ask.Option{{Value: "pg", Label: "Postgres"}}},
				{ID: "why", Label: "Reason", Prompt: "Why?", Type: ask.Single},
			},
		}
		j.AppendRequest(r, func(err error) { done <- err })
		response := ask.Response{Choices: []ask.Choice{{Selected: []int{0}}, {CustomText: "because of the load"}}}
		j.AppendOutcome(&ask.Outcome{
			ID: fmt.Sprint("o", i), RequestID: r.ID, Session: r.Session, Kind: ask.Answered, Via: ask.ViaPane, StoredAt: r.CreatedAt,
			Result: ask.BuildResult(r, response, false),
		}, func(err error) { done <- err })
	}
	for range 2 * days {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	return past{j}
}

func TestPastExportsWhatIsListed(t *testing.T) {
	h := pastOf(t, 3)
	for text, want := range map[string]struct{ questions, stores int }{"": {6, 3}, "POSTGRES": {3, 3}, "because": {3, 0}, "day 1": {1, 1}} {
		t.Run("search "+text, func(t *testing.T) {
			q := ask.HistoryQuery{Text: text, Newest: true}
			page, err := h.Page(t.Context(), q, 0, 50)
			if err != nil || page.Total != want.questions {
				t.Fatalf("the list has %d questions, %v", page.Total, err)
			}
			path := filepath.Join(t.TempDir(), "out.md")
			n, err := h.Export(t.Context(), path, q)
			if err != nil || n != want.questions {
				t.Fatalf("%d questions written, %v", n, err)
			}
			got, err := os.ReadFile(path)
			if err != nil || strings.Count(string(got), "Which store") != want.stores || strings.Count(string(got), "\n## Question ") != want.questions {
				t.Errorf("%v:\n%s", err, got)
			}
			if text == "" && strings.Index(string(got), "day 2") > strings.Index(string(got), "day 1") {
				t.Error("not in the order of the list")
			}
		})
	}
}

func TestPastExportReplacesNothing(t *testing.T) {
	h := pastOf(t, 1)
	path := filepath.Join(t.TempDir(), "out.md")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Export(t.Context(), path, ask.HistoryQuery{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file that exists: %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "mine" {
		t.Errorf("the file now holds %q", got)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	other := filepath.Join(t.TempDir(), "other.md")
	if _, err := h.Export(ended, other, ask.HistoryQuery{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
	if _, err := os.Stat(other); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half a file stays: %v", err)
	}
}
