package ui

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/ask"
)

// remember fills the history; reads happen at once.
func (s *stage) remember() {
	s.atOnce()
	s.fill()
}

// fill gives the history questions in every state.
func (s *stage) fill() {
	c := s.clock
	answered := s.record(storage(c).Request, 50*time.Hour, ask.Answered, ask.Response{Choices: []ask.Choice{
		{Type: ask.Single, Selected: []int{0}, Note: "ask again next year", OptionNotes: map[int]string{2: "not on NFS"}},
		{Type: ask.Multi, Selected: []int{0, 2}, CustomText: "and ten years for invoices"},
	}})
	answered.Delivered = true
	one := func(id, label string, ago time.Duration, kind ask.OutcomeKind) ask.Record {
		return s.record(small(c, "docs-site", id, label, 0, true).Request, ago, kind, ask.Response{})
	}
	interrupted := one("i1", "Region", 20*time.Minute, ask.Interrupted)
	interrupted.Outcome.Result = nil
	interrupted.Draft = &ask.Draft{Questions: []ask.QuestionDraft{{ID: "q", Selected: []string{"b"}, Note: "half a thought"}}}
	noUI := one("n1", "Paper", 3*time.Hour, ask.NoUI)
	noUI.Outcome.Result = nil
	waiting := s.record(small(c, "docs-site", "w1", "Tone", 0, true).Request, 5*time.Minute, "", ask.Response{})
	s.past.add(answered, noUI, one("s1", "Colour", 2*time.Hour, ask.Skipped), one("x1", "Font", time.Hour, ask.Cancelled), interrupted, waiting)
}

func (s *stage) rememberMany(n int) {
	s.atOnce()
	for i := range n {
		r := small(s.clock, "many", fmt.Sprint("r", i), fmt.Sprintf("Part %d", i+1), 0, true).Request
		s.past.add(s.record(r, time.Duration(n-i)*time.Minute, ask.Answered, ask.Response{Choices: []ask.Choice{{Selected: []int{i % 2}}}}))
	}
}

func (s *stage) rememberHostile() {
	s.atOnce()
	r := hostile(s.clock).Request
	const bad = "\x1b[2J [red]x[-] \u202egnp"
	r.Asker.SessionName, r.Asker.Cwd = "evil"+bad, "/src/"+bad
	s.past.add(s.record(r, time.Minute, ask.Answered, ask.Response{Choices: []ask.Choice{{CustomText: "mine " + bad, Note: bad}}}))
}

// record is a request of some time ago that ended in some way 40 seconds later.
func (s *stage) record(r *ask.Request, ago time.Duration, kind ask.OutcomeKind, response ask.Response) ask.Record {
	r.CreatedAt = s.clock.Now().Add(-ago)
	r.Asker.SessionName, r.Asker.Agent, r.Asker.Cwd = r.Session, "pi 1.6.0", "/src/"+r.Session
	rec := ask.Record{Request: r}
	if kind != "" {
		at, via := r.CreatedAt.Add(40*time.Second), ask.ViaPane
		if !kind.Submitted() && kind != ask.Cancelled {
			via = ask.ViaAskd
		}
		rec.Outcome = &ask.Outcome{
			ID: "o", RequestID: r.ID, Session: r.Session, Kind: kind, Via: via, StoredAt: at, AnsweredAt: &at,
			Result: ask.BuildResult(r, response, kind == ask.Cancelled),
		}
	}
	return rec
}

// atOnce lets everything that the pane does elsewhere be done when a frame has been drawn.
func (s *stage) atOnce() {
	s.frame()
	s.pane.o.Go = func(_ string, f func()) { f() }
}

func shows(t *testing.T, screen string, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if !strings.Contains(screen, want) {
			t.Errorf("%q is not on the screen:\n%s", want, screen)
		}
	}
}

func TestHistoryKeepsTheForm(t *testing.T) {
	s := newStage(t, 80, 24)
	s.remember()
	s.desk.ask(storage(s.clock))
	s.keys("4", "half an answer", "ctrl+r")
	shows(t, s.frame(), "History", "7 questions", "Postgres", "1 waiting")
	s.desk.ask(small(s.clock, "docs-site", "b1", "Tone", 0, false))
	shows(t, s.frame(), "History", "2 waiting")
	s.keys("e", "esc", "esc")
	shows(t, s.frame(), "Which store holds the orders?", "half an answer")
	if n := len(s.desk.made("cancel")) + len(s.desk.made("submit")) + len(s.desk.made("defer")); n != 0 {
		t.Errorf("keys of the history reached the form %d times", n)
	}
	s.keys(" goes on")
	shows(t, s.frame(), "half an answer goes on")
}

// A key too many does not reach the form that lay below.
func TestClosedHistoryLeavesAGuardedForm(t *testing.T) {
	s := newStage(t, 80, 24)
	s.remember()
	s.desk.ask(storage(s.clock))
	s.keys("ctrl+r")
	s.pane.key(keyEvents("esc")[0])
	s.frame()
	s.clock.pass(150 * time.Millisecond)
	s.pane.key(keyEvents("esc")[0])
	s.clock.pass(time.Second)
	if s.frame(); len(s.desk.made("cancel")) != 0 {
		t.Error("a second Esc cancelled the form")
	}
	s.keys("ctrl+r", "enter", "ctrl+r")
	shows(t, s.frame(), "Which store holds the orders?", "Enter confirm")
}

func TestHistoryKeyWhereNothingIsTyped(t *testing.T) {
	s := newStage(t, 80, 24)
	s.remember()
	shows(t, s.frame(), "History:")
	s.keys("h")
	shows(t, s.frame(), "7 questions")
	s.keys("q")
	queue(s)
	s.keys("alt+q", "h")
	shows(t, s.frame(), "7 questions")
	s.keys("esc")
	shows(t, s.frame(), "Enter open")
	s.keys("alt+q", "h")
	if strings.Contains(s.frame(), "7 questions") {
		t.Error("the key of the list acts in a form")
	}
}

// What waits has the mark that the inbox gives it.
func TestHistoryMarksWhatWaits(t *testing.T) {
	s := newStage(t, 80, 24)
	s.atOnce()
	still, goes, later := small(s.clock, "s", "a", "Still", 0, false), small(s.clock, "s", "b", "Goes", 0, true), small(s.clock, "s", "c", "Later", 0, true)
	later.Status = broker.Deferred
	for _, e := range []*broker.Entry{still, goes, later} {
		s.past.add(s.record(e.Request, time.Minute, "", ask.Response{}))
	}
	s.desk.ask(still, goes, later)
	s.keys("ctrl+r")
	shows(t, s.frame(), "● Still", "○ Goes", "⏸ Later")
}

func TestWithoutHistoryNoKey(t *testing.T) {
	s := newStage(t, 80, 24)
	s.pane.o.History = nil
	s.keys("h", "ctrl+r")
	if got := s.frame(); !strings.Contains(got, "When an agent asks") || strings.Contains(got, "History:") {
		t.Errorf("a history that is not there:\n%s", got)
	}
}

func TestHistorySearch(t *testing.T) {
	s := newStage(t, 80, 24)
	s.remember()
	s.keys("h", "/", "POSTGRES")
	got := s.frame()
	shows(t, got, "1 found", "Which store holds", "Search: POSTGRES")
	if strings.Contains(got, "Font") {
		t.Errorf("what does not match is shown:\n%s", got)
	}
	s.keys("enter", "enter")
	shows(t, s.frame(), "question 1 of 2", "ask again next year")
	s.keys("esc")
	shows(t, s.frame(), "1 found", "Esc clear search")
	s.keys("esc")
	shows(t, s.frame(), "7 questions")
	s.keys("/")
	s.pane.paste("no\nsuch")
	s.frame()
	shows(t, s.frame(), "Search: no such", "Nothing in the history holds this text.")
	s.keys("esc", "esc")
	shows(t, s.frame(), "When an agent asks")
}

// What an older search finds later is dropped, and its read is stopped.
func TestStaleSearchIsDropped(t *testing.T) {
	s := newStage(t, 80, 24)
	s.fill()
	s.start()
	s.inject("h")
	s.sees("7 questions")
	gate := make(chan struct{})
	s.past.set(gate)
	s.inject("/", "font")
	s.sees("searching…")
	s.past.set(nil)
	s.inject("x")
	s.sees("Nothing in the history holds this text.")
	close(gate)
	s.inject("backspace")
	s.sees("1 found")
	s.sees("Font")
}

func (m *memoryHistory) set(gate chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gate = gate
}

func TestHistoryReadsWhatIsSeen(t *testing.T) {
	s := newStage(t, 80, 24)
	s.rememberMany(5000)
	s.keys("h", "end")
	shows(t, s.frame(), "5,000 questions", "Part 1:")
	s.keys("home")
	s.frame()
	shows(t, s.frame(), "Part 5000:")
	for range 30 {
		s.keys("pageDown")
	}
	s.frame()
	shows(t, s.frame(), "❯ ✓ Part 47")
	for _, page := range s.past.pages {
		if page[1] > 60 {
			t.Errorf("%d questions were read at once", page[1])
		}
	}
	if n := len(s.pane.past.rows); n > 60 {
		t.Errorf("%d questions are in memory", n)
	}
}

// The focus stays on its question when others are asked meanwhile.
func TestHistoryGrows(t *testing.T) {
	s := newStage(t, 80, 24)
	s.remember()
	s.keys("h", "down", "down")
	shows(t, s.frame(), "❯ ✗ Font")
	e := small(s.clock, "docs-site", "new", "News", 0, true)
	s.past.add(ask.Record{Request: e.Request})
	s.desk.ask(e)
	s.frame()
	s.frame()
	shows(t, s.frame(), "8 questions", "News", "❯ ✗ Font")
}

func TestHistoryReadsEveryState(t *testing.T) {
	s := newStage(t, 100, 50)
	s.remember()
	s.keys("h")
	shows(t, s.frame(), "waits for an answer", "interrupted, not answered", "cancelled", "no answer", "nobody could be asked", "Postgres · note:")
	for _, want := range [][]string{
		{"Which Tone?", "→ waits for an answer"},
		{"Which Region?", "→ interrupted, not answered", "Entered, not submitted", "→ Two", "Note: half a thought", "Interrupted 2026-03-04"},
		{"Which Font?", "→ cancelled", "Cancelled 2026-03-04 14:04"},
		{"Which Colour?", "→ no answer", "Skipped 2026-03-04"},
		{"Which Paper?", "→ nobody could be asked"},
		{"Which store", "→ Postgres", "Note: ask again next year", "in askd's pane, 40 s after it was asked. The agent has it.", "☒ 1. Postgres", "Note: not on NFS", "checkout-api · pi 1.6.0 · main · /src/checkout-api", "See the load report"},
		{"How long", "→ 2 years", "→ For ever", "→ and ten years for invoices", "☐ 2. 7 years (recommended)", "what the auditors asked for"},
	} {
		s.keys("enter")
		shows(t, s.frame(), want...)
		s.keys("esc", "down")
	}
}

func TestHistoryFailure(t *testing.T) {
	s := newStage(t, 80, 24)
	s.atOnce()
	s.past.fail = errors.New("damaged page 7")
	s.keys("h")
	s.frame()
	shows(t, s.frame(), "could not be read: damaged page 7")
	s.past.fail = nil
	s.keys("esc", "h")
	shows(t, s.frame(), "No questions yet")
}

func TestHistoryByMouse(t *testing.T) {
	s := newStage(t, 80, 24)
	s.rememberMany(40)
	s.keys("h")
	s.pane.wheel(5, 5, 3)
	s.frame()
	shows(t, s.frame(), "Part 37", "▴")
	x, y := place(s.text(), "Part 35")
	s.pane.overlay.click(s.pane, s.pane.canvas.hit(x, y))
	shows(t, s.frame(), "❯ ✓ Part 35")
	x, y = place(s.frame(), "Part 35")
	s.pane.overlay.click(s.pane, s.pane.canvas.hit(x, y))
	shows(t, s.frame(), "Which Part 35?", "Asked in the background")
}

// TestHistorySearchIsCutWithASign: a search longer than its line says at which end there is more.
func TestHistorySearchIsCutWithASign(t *testing.T) {
	s := newStage(t, 40, 12)
	s.remember()
	s.keys("h", "/")
	s.pane.paste(strings.Repeat("ab", 20) + "漢字" + strings.Repeat("cd", 20))
	shows(t, s.frame(), "Search: …")
	s.keys("ctrl+a")
	shows(t, s.frame(), "Search: abab", "aba…\n")
	for range 40 {
		s.raw("right")
	}
	shows(t, s.frame(), "Search: …", "…\n")
}

func TestHistoryOpensFromOutside(t *testing.T) {
	s := newStage(t, 80, 24)
	s.remember()
	s.desk.ask(storage(s.clock))
	s.frame()
	if !s.pane.Open("history", ask.Key{}) {
		t.Fatal("no such view")
	}
	s.frame()
	s.pane.key(keyEvents("e")[0]) // meant for what was there before
	shows(t, s.frame(), "7 questions", "Enter open")
	s.keys("esc")
	shows(t, s.frame(), "Which store holds the orders?")
}

func TestExport(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	s := newStage(t, 100, 24)
	s.remember()
	s.keys("h", "/", "font", "enter", "e")
	shows(t, s.frame(), "Write to: ~/askd-history-2026-03-04.md", "Enter write Markdown")
	s.keys("enter")
	shows(t, s.frame(), "✓ 1 question written to")
	s.keys("e", "enter")
	s.frame()
	shows(t, s.frame(), "exists already and was left alone", "Write to: ")
	for range 200 {
		s.pane.key(keyEvents("backspace")[0])
		s.clock.pass(time.Second)
	}
	s.keys("enter")
	shows(t, s.frame(), "Name a file to write to.")
	s.keys("notes/other.md", "enter")
	want := []string{filepath.Join(home, "askd-history-2026-03-04.md") + " font", filepath.Join(home, "notes/other.md") + " font"}
	if got := strings.Join(s.past.exported, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("exported %s", got)
	}
	s.past.fail = errors.New("no space left")
	s.keys("e")
	s.pane.past.prompt.area.SetText("/x/y.md", true)
	s.keys("enter")
	shows(t, s.frame(), "The file was not written: no space left.")
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
