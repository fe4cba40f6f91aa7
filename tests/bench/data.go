package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"askd/broker/ask"
	"askd/journal"
)

// smallFile is what the large data file is compared with.
const smallFile = 10_000

// dataFile is a data file with settled records, made once in a run, or empty text for none at all.
func (b *bench) dataFile(large bool) (string, error) {
	if !large {
		return "", nil
	}
	return b.fileOf(b.records)
}

func (b *bench) fileOf(records int) (string, error) {
	if path := b.files[records]; path != "" {
		return path, nil
	}
	dir := b.data
	if dir == "" {
		dir = b.dir
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, fmt.Sprintf("records-%d.db", records))
	if _, err := os.Stat(path); err != nil {
		fmt.Fprintf(os.Stderr, "   writing %s records to %s\n", thousands(records), path)
		if _, err := write(path+".part", records); err != nil {
			return "", err
		}
		if err := os.Rename(path+".part", path); err != nil {
			return "", err
		}
	}
	b.files[records] = path
	return path, nil
}

// write fills a data file through the journal, as fast as that takes records, and waits until they are indexed.
func write(path string, records int) (s journal.IndexStats, err error) {
	_ = os.Remove(path)
	j, err := journal.Open(journal.Options{Path: path})
	if err != nil {
		return s, err
	}
	prose := newProse()
	const ahead = 4096
	gate := make(chan struct{}, ahead)
	var failed atomic.Pointer[error]
	done := func(err error) {
		if err != nil {
			failed.Store(&err)
		}
	}
	for i := range records {
		gate <- struct{}{}
		r := prose.request(i)
		o := answer(r)
		j.AppendRequest(r, done)
		j.AppendOutcome(o, done)
		j.AppendDelivered(r.Key(), o.ID, func(err error) {
			done(err)
			<-gate
		})
	}
	for range ahead {
		gate <- struct{}{}
	}
	if e := failed.Load(); e != nil {
		return s, errors.Join(*e, j.Close())
	}
	s, err = waitIndexed(j)
	return s, errors.Join(err, j.Close())
}

// waitIndexed waits until every whole block of the search index is there.
func waitIndexed(j *journal.Journal) (journal.IndexStats, error) {
	for {
		s, err := j.Index()
		if err != nil || s.Due == 0 && !s.Busy {
			return s, err
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// prose makes records of about 1 KiB out of words that are as unevenly common as those of a language.
type prose struct {
	rng   *rand.Rand
	words []string
	start time.Time
}

func newProse() *prose {
	p := &prose{rng: rand.New(rand.NewPCG(1, 1)), words: make([]string, 20_000), start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	for i := range p.words {
		word := make([]byte, 3+p.rng.IntN(8))
		for k := range word {
			word[k] = "etaoinshrdlucmfwypvbgkjqxz"[min(p.rng.IntN(26), p.rng.IntN(26))]
		}
		p.words[i] = string(word)
	}
	return p
}

func (p *prose) text(words int) string {
	var b strings.Builder
	for range words {
		b.WriteString(p.words[min(p.rng.IntN(len(p.words)), p.rng.IntN(len(p.words)))])
		b.WriteByte(' ')
	}
	return b.String()
}

// recordID is the id of the i-th record. It stands in that record alone.
func recordID(i int) string { return fmt.Sprintf("018f4e00-%08x-7000", i) }

func (p *prose) request(i int) *ask.Request {
	at := p.start.Add(time.Duration(i) * 20 * time.Second)
	return &ask.Request{
		ID: recordID(i), Session: fmt.Sprintf("session-%d", i/100), Tool: ask.ToolAskUser, ToolCallID: recordID(i), Title: p.text(3), CreatedAt: at,
		Questions: []ask.Question{{
			ID: "q", Label: p.text(1), Prompt: p.text(8), Context: p.text(60), Type: ask.Single,
			Options: []ask.Option{{Value: "a", Label: p.text(2), Description: p.text(6)}, {Value: "b", Label: p.text(2), Description: p.text(6)}},
		}},
		Asker: ask.Asker{SessionName: "bench", Cwd: "/bench/project", Agent: "bench 0", UI: "cli"},
	}
}

// answer is what a person says to one of them.
func answer(r *ask.Request) *ask.Outcome {
	at := r.CreatedAt.Add(time.Minute)
	response := ask.Response{Choices: []ask.Choice{{Type: ask.Single, Selected: []int{0}}}}
	return &ask.Outcome{
		ID: "o-" + r.ID, RequestID: r.ID, Session: r.Session, Kind: ask.Answered, Via: ask.ViaPane, StoredAt: at, AnsweredAt: &at,
		Result: ask.BuildResult(r, response, false),
	}
}
