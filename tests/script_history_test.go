package tests

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"askd/broker/ask"
	"askd/journal"
)

// openJournal opens a data file as an askd of another process would.
func openJournal(path string) (*journal.Journal, error) {
	return journal.Open(journal.Options{Path: path})
}

// storedRequest is a made-up form of two questions, number n, asked at a time.
func storedRequest(session string, n int, at time.Time) *ask.Request {
	return &ask.Request{
		ID: requestID(n), Session: session, Tool: ask.ToolAskUser, Title: fmt.Sprintf("Form %d", n), CreatedAt: at,
		Questions: []ask.Question{
			{
				ID: "db", Label: "Store", Prompt: fmt.Sprintf("Which database for service %d?", n), Context: "Two candidates.\nBoth work.", Type: ask.Single,
				Options: []ask.Option{{Value: "pg", Label: "Postgres", Description: "what the team knows"}, {Value: "lite", Label: "SQLite"}},
			},
			{ID: "keep", Label: "Retention", Prompt: "How long?", Type: ask.Multi, Options: []ask.Option{{Value: "2y", Label: "2 years"}}},
		},
	}
}

// storedOutcome answers the question db of a form and skips the others.
func storedOutcome(r *ask.Request, images ...ask.Image) *ask.Outcome {
	o := &ask.Outcome{ID: "o-" + r.ID, RequestID: r.ID, Session: r.Session, Kind: ask.Answered, Via: ask.ViaPane, StoredAt: r.CreatedAt.Add(time.Minute)}
	o.Result = &ask.Result{}
	for _, q := range r.Questions {
		if q.ID != "db" {
			o.Result.SkippedQuestionIDs = append(o.Result.SkippedQuestionIDs, q.ID)
		}
		o.Result.Questions = append(o.Result.Questions, ask.ResultQuestion{ID: q.ID, Label: q.Label, Prompt: q.Prompt, Type: q.Type})
	}
	o.Result.Answers.Set("db", ask.Answer{
		Values: []string{"pg"}, Labels: []string{"Postgres"}, Indices: []int{1}, Note: "as discussed\x1b[2J", NoteImages: images,
	})
	return o
}

// storeSettled puts requests with their outcomes into the history and waits for the last.
func storeSettled(j *journal.Journal, requests []*ask.Request, images ...ask.Image) error {
	failed := make(chan error, 3*len(requests))
	done := func(err error) { failed <- err }
	for _, r := range requests {
		o := storedOutcome(r, images...)
		j.AppendRequest(r, done)
		j.AppendOutcome(o, done)
		j.AppendDelivered(r.Key(), o.ID, done)
	}
	var all error
	for range 3 * len(requests) {
		all = errors.Join(all, <-failed)
	}
	return all
}

// scriptStored puts settled forms into $ASKD_DATA, which no askd may hold. With the word image each answer has one.
func scriptStored(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: stored SESSION DAYS FIRST COUNT [image]")
	}
	var numbers [3]int
	for i := range numbers {
		n, err := strconv.Atoi(args[1+i])
		ts.Check(err)
		numbers[i] = n
	}
	var images []ask.Image
	if len(args) > 4 {
		images = []ask.Image{{ID: "i1", MimeType: "image/png", Data: "aGVsbG8gd29ybGQh"}}
	}
	at := time.Now().AddDate(0, 0, -numbers[0])
	var requests []*ask.Request
	for n := range numbers[2] {
		requests = append(requests, storedRequest(args[0], numbers[1]+n, at.Add(time.Duration(n)*time.Minute)))
	}
	j, err := openJournal(ts.Getenv("ASKD_DATA"))
	ts.Check(err)
	ts.Check(storeSettled(j, requests, images...))
	ts.Check(j.Close())
}

// scriptHold keeps $ASKD_DATA open until the script ends.
func scriptHold(ts *testscript.TestScript, _ bool, _ []string) {
	j, err := openJournal(ts.Getenv("ASKD_DATA"))
	ts.Check(err)
	ts.Defer(func() { _ = j.Close() })
}

// scriptSpoil overwrites a piece of text in a file with another of the same length, wherever it stands.
func scriptSpoil(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 || len(args[1]) != len(args[2]) {
		ts.Fatalf("usage: spoil FILE TEXT TEXT-OF-THE-SAME-LENGTH")
	}
	path := ts.MkAbs(args[0])
	text := ts.ReadFile(path)
	changed := strings.ReplaceAll(text, args[1], args[2])
	if changed == text {
		ts.Fatalf("%s does not hold %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(path, []byte(changed), 0o600))
}
