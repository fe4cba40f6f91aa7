package ui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/ask"
)

// has fails unless the frame holds all of some texts; a text after "!" must be missing.
func (s *stage) has(texts ...string) {
	s.t.Helper()
	got := s.frame()
	for _, text := range texts {
		rest, not := strings.CutPrefix(text, "!")
		if strings.Contains(got, rest) == not {
			s.t.Errorf("%q: %v, want %v:\n%s", rest, !not, not, got)
		}
	}
}

// status gives an entry another status, as a new snapshot would.
func (d *recordingDesk) status(k ask.Key, status broker.Status) {
	d.set(func(s *broker.Snapshot) {
		for i, e := range s.Entries {
			if e.Key() == k {
				copied := *e
				copied.Status = status
				s.Entries[i] = &copied
			}
		}
	})
}

func TestLaterHidesTheWholeSession(t *testing.T) {
	s := newStage(t, 120, 40)
	s.desk.ask(
		small(s.clock, "docs-site", "b1", "Tone", 14*time.Minute, true),
		small(s.clock, "docs-site", "b2", "Length", 13*time.Minute, true),
		small(s.clock, "infra", "c1", "Region", time.Minute, true))
	s.keys("down", "n", "half a note", "esc", "esc")
	s.has("Which Region?", "2 deferred", "⏸", "─ deferred", "!Which Tone?")
	late := small(s.clock, "docs-site", "b3", "Voice", 0, true)
	late.Status = broker.Deferred
	s.desk.ask(late)
	s.has("Which Region?", "3 deferred")
	s.keys("alt+q", "down", "enter")
	only(t, s.desk, "reopen")
	s.has("Which Tone?", "Note: half a note", "Esc later", "!deferred")
}

// Hiding works whatever the desk thought of the session before.
func TestLaterOfAFormThatStillCountsAsHidden(t *testing.T) {
	s := newStage(t, 80, 24)
	e := small(s.clock, "docs-site", "b1", "Tone", time.Minute, true)
	s.desk.ask(e)
	s.keys("down")
	s.desk.status(e.Key(), broker.Deferred)
	s.has("!Which Tone?")
	s.pane.openEntry(e.Key())
	s.desk.status(e.Key(), broker.Deferred) // the snapshot that shows the reopening is late
	s.frame()
	s.pane.views[e.Key()].status = broker.Deferred
	s.keys("esc")
	s.has("!Which Tone?", "1 deferred")
}

func TestArrivalsWaitForTheInboxToo(t *testing.T) {
	s := newStage(t, 80, 24)
	hidden := small(s.clock, "docs-site", "b1", "Tone", time.Minute, true)
	hidden.Status = broker.Deferred
	s.desk.ask(hidden)
	s.keys("alt+q")
	s.desk.ask(small(s.clock, "infra", "c1", "Region", 0, true))
	s.keys("enter")
	s.has("Which Tone?", "next: infra")
}

func TestAskerGoneIsReadable(t *testing.T) {
	for columns, want := range map[int][]string{
		40: {"asker gone)"}, 60: {"(asker gone)"}, 119: {"(gone)"}, 140: {"(asker gone)"},
	} {
		s := newStage(t, columns, 24)
		gone := small(s.clock, "a-session-with-a-long-name", "c1", "Region", 3*time.Hour, true)
		gone.Status, gone.AskerOnline, gone.GoneSince = broker.Interrupted, false, s.clock.Now().Add(-time.Hour)
		s.desk.ask(small(s.clock, "docs", "b1", "Tone", time.Minute, true), gone)
		s.keys("alt+q", "down")
		s.has(append(want, "The asker has gone (1 h ago)")...)
		if n := strings.Count(s.frame(), "gone)"); n != 1 || strings.Contains(s.frame(), "gone 1h") {
			t.Errorf("%d columns say %d times and more that the asker has gone:\n%s", columns, n, s.frame())
		}
	}
}

// TestScriptGone: the session of a script that has ended never comes back, and the pane does not say that it would.
func TestScriptGone(t *testing.T) {
	s := newStage(t, 120, 24)
	e := small(s.clock, "deploy", "c1", "Region", time.Minute, true)
	e.AskerOnline, e.GoneSince, e.Request.Asker.UI = false, s.clock.Now().Add(-time.Minute), "cli"
	s.desk.ask(e)
	s.has("The script that asked has ended (1 min ago). An answer is kept until askctl wait collects it.")
	s.clock.pass(time.Second)
	s.keys("1", "1", "1")
	s.desk.drop(e.Key(), &broker.Settled{Key: e.Key(), Kind: ask.Answered})
	s.has("✓ saved · deploy has ended, kept until askctl wait collects it")
}

func TestGoneFormCanBeAnsweredAndDismissed(t *testing.T) {
	for key, what := range map[string]string{"1": "submit", "ctrl+c": "cancel"} {
		s := newStage(t, 80, 24)
		gone := small(s.clock, "infra", "c1", "Region", 3*time.Hour, false)
		gone.Status, gone.AskerOnline, gone.GoneSince = broker.Interrupted, false, s.clock.Now().Add(-time.Hour)
		s.desk.ask(gone)
		s.has("1 interrupted: Alt+Q shows them")
		s.keys("alt+q", "enter")
		s.has("The asker has gone (1 h ago)")
		s.keys(key, key, key)
		only(t, s.desk, what)
	}
}

// take takes a form out of the pane: "parked" with its branch, "" with more others ended since than the desk remembers.
func (s *stage) take(k ask.Key, kind ask.OutcomeKind) {
	switch kind {
	case "parked":
		s.desk.status(k, broker.Parked)
	case "":
		s.desk.drop(k, nil)
	default:
		s.desk.drop(k, &broker.Settled{Key: k, Kind: kind})
	}
}

func TestTakenFormStaysToBeRead(t *testing.T) {
	for kind, want := range map[ask.OutcomeKind]string{
		ask.Withdrawn: "took this question back", ask.Answered: "was answered elsewhere", ask.Cancelled: "was cancelled elsewhere",
		"parked": "is not on the branch that checkout-api", "": "ended elsewhere, or is not on the branch",
	} {
		t.Run(string(kind), func(t *testing.T) {
			s := newStage(t, 80, 24)
			e := storage(s.clock)
			s.desk.ask(e, small(s.clock, "docs-site", "b1", "Tone", time.Minute, true))
			s.keys("N", "half a note")
			s.take(e.Key(), kind)
			drafts := len(s.desk.made("draft"))
			s.keys("more", "tab", "1", "enter")
			s.has("Which Tone?", "!half a note")
			if n := len(s.desk.made("draft")) - drafts + len(s.desk.made("submit")) + len(s.desk.made("cancel")); n != 0 {
				t.Errorf("a form that has ended made %d calls", n)
			}
			if strings.Contains(want, "branch") {
				return
			}
			s.desk.ask(e)
			s.pane.openEntry(e.Key())
			s.has("!half a note more")
		})
		s := newStage(t, 80, 24)
		e := storage(s.clock)
		s.desk.ask(e, small(s.clock, "docs-site", "b1", "Tone", time.Minute, true))
		s.keys("2", "1", "N", "half a note")
		s.take(e.Key(), kind)
		s.keys("paste", "x")
		s.clock.pass(time.Hour)
		s.has(want, "half a note", "Esc leave", "closed", "!half a notex")
	}
}

func TestTakenFormTurnsItsTabsOnly(t *testing.T) {
	s := newStage(t, 80, 24)
	s.settings.loaded.Settings.Behaviour.AutoSubmitWhenAnsweredWithoutNotes = true
	e := storage(s.clock)
	s.desk.ask(e)
	s.keys("2", "1")
	s.desk.drop(e.Key(), &broker.Settled{Key: e.Key(), Kind: ask.Withdrawn})
	s.keys("tab", "1", "1", "space")
	s.has("Review answers", "→ 2 years", "took this question back")
	if n := len(s.desk.made("submit")); n != 0 {
		t.Error("a form that was taken back was submitted")
	}
	s.keys("esc")
	s.has("When an agent asks")
}

func TestTakenFormComesBackWithItsBranch(t *testing.T) {
	s := newStage(t, 80, 24)
	e := storage(s.clock)
	s.desk.ask(e)
	s.keys("N", "half a note")
	s.desk.status(e.Key(), broker.Parked)
	s.has("is not on the branch")
	s.desk.status(e.Key(), broker.Waiting)
	s.keys(", whole")
	s.has("half a note, whole", "!is not on the branch")
	s.desk.drop(e.Key(), nil)
	s.keys("esc")
	s.desk.ask(e)
	s.has("Which store", "!×2")
}

func TestUntouchedFormThatIsTakenSaysSoForAMoment(t *testing.T) {
	for kind, want := range map[ask.OutcomeKind]string{
		ask.Withdrawn: "was taken back", ask.Skipped: "✓ answered elsewhere", ask.Cancelled: "was cancelled elsewhere", "": "it was ended elsewhere, or",
		"parked": "its branch is not open now",
	} {
		s := newStage(t, 80, 24)
		e := storage(s.clock)
		s.desk.ask(e, small(s.clock, "docs-site", "b1", "Tone", time.Minute, true))
		s.frame()
		s.take(e.Key(), kind)
		s.has(want)
		s.clock.pass(settledFor)
		s.has("Which Tone?")
	}
}

// Two answers at once: the one that lost is not reported as given.
func TestAnswerThatCameTooLateIsNotClaimed(t *testing.T) {
	s := newStage(t, 80, 24)
	e := small(s.clock, "docs-site", "b1", "Tone", time.Minute, false)
	s.desk.ask(e)
	s.keys("1")
	s.desk.fail = broker.ErrNotPending
	s.keys("1")
	s.desk.drop(e.Key(), &broker.Settled{Key: e.Key(), Kind: ask.Answered, Delivered: true})
	s.raw("1")
	s.clock.pass(time.Second)
	s.has("answered elsewhere", "!delivered")
	if !errors.Is(s.desk.fail, broker.ErrNotPending) {
		t.Fatal("the desk took the answer")
	}
}

func TestFormHiddenFromOutsideSaysSo(t *testing.T) {
	s := newStage(t, 80, 24)
	e := small(s.clock, "docs-site", "b1", "Tone", time.Minute, true)
	s.desk.ask(e, small(s.clock, "infra", "c1", "Region", time.Minute, true))
	s.keys("N", "half a note")
	s.desk.Defer("docs-site")
	s.has("The forms of docs-site were deferred", "!half a note")
	s.keys("1", "enter")
	s.clock.pass(settledFor)
	s.has("Which Region?")
	s.pane.openEntry(e.Key())
	s.has("half a note")
}

func TestNobodyStandsStillForAGoneAsker(t *testing.T) {
	s := newStage(t, 80, 24)
	left := false
	s.pane.o.Quit = func() { left = true }
	e := storage(s.clock)
	e.AskerOnline = false
	s.desk.ask(e)
	s.keys("ctrl+q")
	if !left {
		t.Errorf("asked before leaving:\n%s", s.frame())
	}
}

func TestSameQuestionAgainIsCounted(t *testing.T) {
	s := newStage(t, 120, 40)
	for i, id := range []string{"r1", "r2", "r3"} {
		e := small(s.clock, "loop", id, "Tone", 0, false)
		s.desk.ask(e)
		s.keys("ctrl+c")
		if i < 2 {
			s.clock.pass(settledFor)
		}
	}
	s.clock.pass(settledFor)
	s.desk.ask(small(s.clock, "loop", "r4", "Tone", 0, false), small(s.clock, "loop", "x", "Other", 0, false))
	s.has("4 times the same", "Tone · ×4", "!Other · ×")
	s.screen.SetSize(80, 24)
	s.has("loop · now ×4")
}

func TestPagesAndEndsMoveAmongOptions(t *testing.T) {
	s := newStage(t, 80, 24)
	e := long(s.clock)
	e.Request.Questions[0].Prompt = "Short."
	s.desk.ask(e)
	for _, step := range [][2]string{
		{"end", "12. [ ]"}, {"home", "1. [ ]"}, {"pageDown", "9. [ ]"}, {"pageDown", "12. [ ]"}, {"pageUp", "4. [ ]"},
	} {
		s.keys(step[0])
		if got := s.frame(); !strings.Contains(strings.ReplaceAll(got, "❯  ", "❯ "), "❯ "+step[1]) {
			t.Errorf("%s does not lead to %s:\n%s", step[0], step[1], got)
		}
	}
}

// A row that is longer than its window can be read whole.
func TestReaderShowsTheOptions(t *testing.T) {
	s := newStage(t, 40, 12)
	s.desk.ask(long(s.clock))
	s.keys("down", "n", "a note of mine", "enter")
	s.keys("ctrl+o", "end")
	s.has("Type your own")
	seen := ""
	for range 200 {
		s.keys("up")
		seen += s.frame()
	}
	for _, want := range []string{"Note: a note of mine", "12. [ ] Option 12", "Description of option 7", "Line 60"} {
		if !strings.Contains(seen, want) {
			t.Errorf("%q cannot be read", want)
		}
	}
}

func TestThisMachineIsNotNamed(t *testing.T) {
	s := newStage(t, 120, 40)
	s.pane.host = "desk"
	sessions(s)
	s.desk.set(func(snap *broker.Snapshot) { snap.Sessions[0].Host, snap.Sessions[1].Host = "desk", "build-7" })
	s.has("docs-site · build-7", "!checkout-api · desk")
	e := storage(s.clock)
	e.Request.Asker.Host = "desk"
	s.desk.ask(e)
	s.has("checkout-api · main · asked")
}

// A form of another machine says so at every width; the machine's name gives way before the session's does.
func TestOtherMachinesAreNamed(t *testing.T) {
	for width, want := range map[int][]string{
		40:  {"● checkout-api@devbox.exa…"},
		80:  {"● checkout-api@devbox.example.org"},
		120: {"❯ checkout-…@devbo…   2m", "checkout-api · devbox.example.org · main · asked"},
	} {
		s := newStage(t, width, 24)
		s.pane.host = "desk"
		e := storage(s.clock)
		e.Request.Asker.Host = "devbox.example.org"
		s.desk.ask(e)
		s.has(want...)
	}
	s := newStage(t, 120, 24)
	e := storage(s.clock)
	e.Request.Asker.Host = "box-7"
	for columns, want := range map[int]string{40: "checkout-api@box-7", 18: "checkout-api@box-7", 17: "checkout-a…@box-7", 9: "ch…@box-7", 3: "…@…"} {
		if got := s.pane.asker(e, columns); got != want {
			t.Errorf("%d columns: %q, not %q", columns, got, want)
		}
	}
}

func TestReviewSaysWhatIsOpen(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.keys("shift+tab")
	s.has("2 of 2 unanswered.")
	s.keys("tab", "d", "shift+tab", "shift+tab")
	s.has("1 of 2 unanswered.", "→ skipped")
	s.keys("1", "1")
	if got := only(t, s.desk, "submit").Response; !got.Choices[0].Skipped || len(got.Choices[1].Selected) > 0 {
		t.Errorf("submitted %+v", got)
	}
}
