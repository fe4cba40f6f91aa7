package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"askd/broker/ask"
)

// manyForms is the size of the journal that every verb has to cope with: smaller where the race detector makes all slow.
var manyForms = map[bool]int{false: 100_000, true: 10_000}[len(buildFlags) > 0]

// mostMemory bounds what a program may have beside the data file, which is mapped: far above what one batch of an export
// needs, far below what the whole journal takes.
const mostMemory = 200 << 20

// TestEveryVerbOnALargeJournal takes a journal of 100,000 forms through every verb that reads or looks after it, first
// without askd and then through one.
func TestEveryVerbOnALargeJournal(t *testing.T) {
	p := newPlace(t)
	dir := memoryFolder(t)
	p.data = filepath.Join(dir, "askd.db")
	begin := time.Now().Add(-time.Duration(manyForms) * time.Minute)
	fillJournal(t, p.data, begin)
	t.Run("without askd", func(t *testing.T) {
		everyVerb(t, p, 0, append(lookUps(), directly(begin.Add(90*time.Second))...))
		countQuestions(t, filepath.Join(dir, "all.md"), "\n## Question ", manyForms)
	})
	askd := serve(t, p)
	t.Run("through askd", func(t *testing.T) {
		everyVerb(t, p, askd.pid(), append(lookUps(), through()...))
		countQuestions(t, filepath.Join(dir, "all.jsonl"), "\n", manyForms-1)
		everythingListed(t, p, askd.pid(), manyForms-1)
	})
	if code := askd.stop(t, syscall.SIGTERM); code != 0 {
		t.Errorf("askd exited with %d", code)
	}
}

// memoryFolder is a folder that costs no disk, where there is one.
func memoryFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "askd")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// fillJournal stores settled forms of one question, one a minute, some of them in a session of their own.
func fillJournal(t *testing.T, path string, begin time.Time) {
	t.Helper()
	j, err := openJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	const batch = 5000
	for first := 0; first < manyForms; first += batch {
		requests := make([]*ask.Request, batch)
		for i := range requests {
			n := first + i
			session := "shop"
			if n%1000 == 0 {
				session = "docs"
			}
			requests[i] = storedRequest(session, n, begin.Add(time.Duration(n)*time.Minute))
			requests[i].Questions = requests[i].Questions[:1]
		}
		if err := storeSettled(j, requests); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// verbRow is one command line and a part of what it prints.
type verbRow struct{ args, says string }

// lookUps are the verbs that look at little.
func lookUps() []verbRow {
	some, last := requestID(manyForms/2), manyForms-1
	return []verbRow{
		{"queue", "Nothing is waiting."},
		{"history", requestID(last) + " db"},
		{"history --query 314159265", "No question fits."},
		{"history --session docs --limit 200", requestID(last/1000*1000) + " db"},
		{"history --since 1h --answered --all", requestID(last) + " db"},
		{"history --limit 1 --offset " + strconv.Itoa(manyForms/2), " " + requestID(last-manyForms/2)},
		{"show " + some, fmt.Sprintf("Which database for service %d?", manyForms/2)},
		{"read " + some + " db", "✓ Store: Postgres"},
		{"export $DIR/one.md --keys " + some + "/db", "Wrote 1 question"},
	}
}

// directly are the heavy verbs that are tried without askd, through those that are tried with it. prune drops one form.
func directly(cutoff time.Time) []verbRow {
	return []verbRow{
		{"check", fmt.Sprintf("holds together: %d questions in %d forms", manyForms, manyForms)},
		{"export $DIR/all.md", fmt.Sprintf("Wrote %d forms", manyForms)},
		{"prune --yes --older-than " + cutoff.Format(time.RFC3339), "Dropped 1 form. /"},
	}
}

func through() []verbRow {
	return []verbRow{
		{"export $DIR/all.jsonl --format jsonl", fmt.Sprintf("Wrote %d forms", manyForms-1)},
		{"backup $DIR/copy.db", fmt.Sprintf("Copied %d forms", manyForms-1)},
		{"compact", fmt.Sprintf("holds %d forms", manyForms-1)},
	}
}

func everyVerb(t *testing.T, p place, askd int, rows []verbRow) {
	t.Helper()
	dir := filepath.Dir(p.data)
	for _, row := range rows {
		out := askctlWithin(t, p, askd, strings.Fields(strings.ReplaceAll(row.args, "$DIR", dir))...)
		if !strings.Contains(out, row.says) {
			t.Errorf("askctl %s: %q is not in %.300q", row.args, row.says, out)
		}
	}
	if err := os.Remove(filepath.Join(dir, "one.md")); err != nil {
		t.Error(err)
	}
}

func everythingListed(t *testing.T, p place, askd, forms int) {
	t.Helper()
	listed := askctlWithin(t, p, askd, "history", "--all", "--json")
	var all []json.RawMessage
	if err := json.Unmarshal([]byte(listed), &all); err != nil || len(all) != forms {
		t.Errorf("history --all --json gave %d questions, want %d, %v", len(all), forms, err)
	}
}

// askctlWithin runs askctl to its end and gives what it printed; neither it nor askd, when that is not 0, may take more
// memory than is bounded.
func askctlWithin(t *testing.T, p place, askd int, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program(t, "askctl"), args...)
	cmd.Env = p.env()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	most, err := watchMemory(ended, cmd.Process.Pid, askd)
	if err != nil {
		t.Fatalf("askctl %s: %v\n%s", strings.Join(args, " "), err, &errs)
	}
	if most > mostMemory {
		t.Errorf("askctl %s: it or askd had %d MiB of its own in memory", args[0], most>>20)
	}
	return out.String()
}

// watchMemory looks again and again at what processes have, until the first has ended, and gives the most of any.
func watchMemory(ended <-chan error, pids ...int) (most int64, err error) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case err := <-ended:
			return most, err
		case <-ticker.C:
			for _, pid := range pids {
				most = max(most, ownMemory(pid))
			}
		}
	}
}

// ownMemory is what a process has in memory for itself, without the data file that it maps; 0 where the system does not
// tell. The peak that the kernel notes for a child is of no use: it begins with that of its parent.
func ownMemory(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "\nRssAnon:")
	var kib int64
	_, _ = fmt.Sscan(rest, &kib) // a process that is just ending has none
	return kib << 10
}

func countQuestions(t *testing.T, path, mark string, want int) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := bytes.Count(text, []byte(mark)); got != want {
		t.Errorf("%s has %d questions, want %d", filepath.Base(path), got, want)
	}
}
