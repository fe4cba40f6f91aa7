package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"askd/broker"
	"askd/broker/ask"
	"askd/config"
)

// only is the one call of a kind.
func only(t *testing.T, d *recordingDesk, what string) call {
	t.Helper()
	calls := d.made(what)
	if len(calls) != 1 {
		t.Fatalf("%d calls of %s, want one: %+v", len(calls), what, calls)
	}
	return calls[0]
}

func TestAnswersThroughTheTerminal(t *testing.T) {
	s := newStage(t, 80, 24)
	s.start()
	s.sees("nothing is waiting")
	s.desk.ask(storage(s.clock))
	s.sees("Which store holds the orders?")
	s.clock.pass(time.Second)
	s.inject("2")
	s.sees("How long are orders kept?")
	s.clock.pass(time.Second)
	s.inject("1")
	s.sees("[x] 2 years")
	s.clock.pass(time.Second)
	s.inject("enter")
	s.sees("Review answers")
	s.clock.pass(time.Second)
	s.inject("1")
	s.sees("Press 1 again")
	s.clock.pass(time.Second)
	s.inject("1")
	s.sees("✓ saved · delivered to checkout-api")
	got := only(t, s.desk, "submit").Response
	want := ask.Response{Choices: []ask.Choice{{Type: ask.Single, Selected: []int{1}}, {Type: ask.Multi, Selected: []int{0}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("response (-want +got):\n%s", diff)
	}
	s.clock.pass(settledFor)
	s.desk.set(func(*broker.Snapshot) {})
	s.sees("When an agent asks")
}

func TestFormThatTookTheScreenIgnoresCommittingKeys(t *testing.T) {
	for _, key := range []string{"1", "enter", "space", "esc", "ctrl+c", "d", "t", "n", "N"} {
		t.Run(key, func(t *testing.T) {
			s := newStage(t, 80, 24)
			s.desk.ask(storage(s.clock))
			before := s.frame()
			s.clock.pass(config.Guard - time.Millisecond)
			s.raw(key)
			if got := s.frame(); got != before {
				t.Errorf("%s acted within the guard:\n%s", key, got)
			}
			s.clock.pass(time.Second)
			s.raw(key)
			if got := s.frame(); got == before {
				t.Errorf("%s did nothing after the guard", key)
			}
		})
	}
}

// raw gives keys to the pane as they are, with no time between them.
func (s *stage) raw(names ...string) {
	for _, name := range names {
		for _, e := range keyEvents(name) {
			s.pane.key(e)
		}
	}
}

// TestMashedKeyEndsOneFormOnly: a key that is pressed on and on means what it was pressed for first.
func TestMashedKeyEndsOneFormOnly(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.grace = 3 * time.Second
	for i := range 4 {
		s.desk.ask(small(s.clock, fmt.Sprintf("session-%d", i), "x", "Tone", time.Minute, false))
	}
	s.frame()
	s.clock.pass(time.Second)
	mash := func(key string, gap time.Duration) {
		for range 12 {
			s.raw(key)
			s.frame()
			s.clock.pass(gap)
			s.frame()
		}
	}
	mash("esc", 110*time.Millisecond)
	if n := len(s.desk.made("hold")); n != 1 {
		t.Fatalf("%d forms were cancelled by one key that was pressed on", n)
	}
	s.clock.pass(config.Guard)
	s.raw("?")
	s.clock.pass(time.Second)
	mash("esc", 250*time.Millisecond)
	if n := len(s.desk.made("hold")); n != 1 {
		t.Fatalf("closing the settings cancelled a form: %d", n)
	}
	s.clock.pass(config.Guard)
	s.raw("esc")
	s.clock.pass(time.Second)
	s.frame()
	if n := len(s.desk.made("hold")); n != 2 {
		t.Errorf("after a pause the key counts again: %d cancelled", n)
	}
}

// TestPasteIntoAnotherForm: what was on its way to the form before does not become text of the one that took the screen.
func TestPasteIntoAnotherForm(t *testing.T) {
	s := newStage(t, 100, 30)
	queue(s)
	s.keys("4", "x") // an editor is open in each of the two
	s.keys("alt+q", "down", "enter")
	first := s.pane.current
	s.keys("3", "y")
	s.keys("alt+q", "up")
	s.clock.pass(time.Second)
	s.raw("enter")
	s.frame()
	if s.pane.current == first || s.pane.onScreen().area == nil {
		t.Fatalf("no editor in the other form:\n%s", s.frame())
	}
	s.pane.paste("for the other")
	s.clock.pass(time.Second)
	s.pane.paste("for this")
	if got := s.pane.onScreen().form.Editor().Text; got != "xfor this" {
		t.Errorf("the editor holds %q", got)
	}
}

func TestMovingWorksWithinTheGuard(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.frame()
	s.raw("down")
	if got := s.frame(); !strings.Contains(got, "❯ 2. SQLite") {
		t.Errorf("the focus did not move:\n%s", got)
	}
}

func TestHeldKeyCountsOnce(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(multi(s.clock))
	s.frame()
	s.clock.pass(time.Second)
	for range 30 {
		s.raw("space")
		s.clock.pass(30 * time.Millisecond)
	}
	if got := s.frame(); !strings.Contains(got, "[x] 2 years") {
		t.Errorf("a held space bar toggled more than once:\n%s", got)
	}
	s.clock.pass(time.Second)
	for range 30 {
		s.raw("esc")
		s.clock.pass(30 * time.Millisecond)
	}
	if got := s.frame(); !strings.Contains(got, "Press cancel/dismiss again") {
		t.Errorf("a held Esc did more than warn:\n%s", got)
	}
	if n := len(s.desk.made("cancel")); n != 0 {
		t.Errorf("a held Esc cancelled the form")
	}
}

func TestHeldKeyEndsOneFormOnly(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(small(s.clock, "one", "b1", "Tone", time.Minute, true), small(s.clock, "two", "b2", "Tone", time.Minute, true))
	s.frame()
	s.clock.pass(time.Second)
	s.raw("esc")
	s.frame()
	s.clock.pass(500 * time.Millisecond)
	for range 30 {
		s.raw("esc")
		s.clock.pass(30 * time.Millisecond)
		s.frame()
	}
	if got := s.desk.made("defer"); len(got) != 1 {
		t.Errorf("a held Esc hid %d forms", len(got))
	}
	s.keys("esc")
	if got := s.desk.made("defer"); len(got) != 2 {
		t.Errorf("a new press hid %d forms in all", len(got))
	}
}

// A script, or two quick hands, can press a key twice in no time; a held key goes on.
func TestTwoQuickPressesAreTwo(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(multi(s.clock))
	s.frame()
	s.clock.pass(time.Second)
	s.raw("space")
	s.clock.pass(10 * time.Millisecond)
	s.raw("space")
	s.frame()
	s.clock.pass(secondAfter)
	if got := s.frame(); !strings.Contains(got, "[ ] 2 years") {
		t.Errorf("the second press was lost:\n%s", got)
	}
}

// Keyboards repeat a held key only after a while, and some slowly.
func TestHeldKeyIsNoSecondPress(t *testing.T) {
	for _, c := range []struct {
		key           string
		delay, repeat time.Duration
	}{
		{"esc", 500 * time.Millisecond, 30 * time.Millisecond},
		{"esc", 250 * time.Millisecond, 90 * time.Millisecond},
		{"ctrl+c", 660 * time.Millisecond, 40 * time.Millisecond},
	} {
		s := newStage(t, 80, 24)
		s.desk.ask(multi(s.clock))
		s.keys("1")
		s.clock.pass(time.Second)
		s.raw(c.key)
		s.clock.pass(c.delay)
		for range 30 {
			s.raw(c.key)
			s.clock.pass(c.repeat)
			s.frame()
		}
		s.clock.pass(time.Second)
		s.frame()
		if n := len(s.desk.made("cancel")); n != 0 {
			t.Errorf("a held %s cancelled the form", c.key)
		}
		s.keys(c.key)
		if n := len(s.desk.made("cancel")); n != 1 {
			t.Errorf("%s pressed again: %d cancellations", c.key, n)
		}
	}
}

func TestArrivalsDoNotTakeTheScreen(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(small(s.clock, "docs-site", "b1", "Tone", time.Minute, true))
	s.keys("down", "N")
	s.frame()
	s.clock.pass(time.Second)
	s.raw("1 y")
	s.desk.set(func(snap *broker.Snapshot) {
		snap.Entries = append([]*broker.Entry{storage(s.clock)}, snap.Entries...)
	})
	s.frame()
	s.raw("es please")
	s.clock.pass(time.Second)
	got := s.frame()
	if !strings.Contains(got, "1 yes please") || strings.Contains(got, "Which store") {
		t.Errorf("an arrival disturbed the form on screen:\n%s", got)
	}
	s.keys("enter", "2", "1", "1")
	s.frame()
	s.clock.pass(settledFor)
	if got := s.frame(); !strings.Contains(got, "Which store") {
		t.Errorf("the next form did not come:\n%s", got)
	}
	if got := only(t, s.desk, "submit").Response.Choices[0].Note; got != "1 yes please" {
		t.Errorf("note %q", got)
	}
}

func TestDirtyFormIsDiscardedOnTheSameKeyTwice(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock))
	s.keys("2", "esc", "ctrl+c")
	if n := len(s.desk.made("cancel")); n != 0 {
		t.Fatal("another key confirmed the warning")
	}
	s.keys("ctrl+c")
	if got := only(t, s.desk, "cancel").Response.Choices[0].Selected; !cmp.Equal(got, []int{1}) {
		t.Errorf("cancelled with %v", got)
	}
}

func TestEscapeInABackgroundFormHidesIt(t *testing.T) {
	s := newStage(t, 120, 40)
	s.desk.ask(small(s.clock, "docs-site", "b1", "Tone", time.Minute, true))
	if got := s.frame(); !strings.Contains(got, "Esc later") {
		t.Errorf("the foot does not say what Esc does:\n%s", got)
	}
	s.keys("esc")
	if got := only(t, s.desk, "defer").Key.Session; got != "docs-site" {
		t.Errorf("deferred %q", got)
	}
	if got := s.frame(); !strings.Contains(got, "1 deferred") || strings.Contains(got, "Which Tone") {
		t.Errorf("the form is still there:\n%s", got)
	}
	s.keys("alt+q", "enter")
	if got := s.frame(); !strings.Contains(got, "Which Tone?") {
		t.Errorf("the form did not come back:\n%s", got)
	}
	only(t, s.desk, "reopen")
}

func TestPickingAnotherFormKeepsBoth(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.ask(storage(s.clock), small(s.clock, "docs-site", "b1", "Tone", time.Minute, true))
	s.keys("N", "half a note", "alt+q", "down", "enter")
	if got := s.frame(); !strings.Contains(got, "Which Tone?") {
		t.Fatalf("the other form did not open:\n%s", got)
	}
	s.keys("alt+q", "up", "enter")
	if got := s.frame(); !strings.Contains(got, "half a note") {
		t.Errorf("what was typed is gone:\n%s", got)
	}
}

func TestFailedSubmitOpensTheFormAgain(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.fail = errors.New("no space left on device")
	s.desk.ask(small(s.clock, "docs-site", "b1", "Tone", time.Minute, false))
	s.keys("1", "1", "1")
	got := s.frame()
	if !strings.Contains(got, "could not be saved: no space left on device") || !strings.Contains(got, "Review answers") {
		t.Fatalf("the form did not open again:\n%s", got)
	}
	s.desk.fail = nil
	s.keys("1", "1")
	if got := s.frame(); !strings.Contains(got, "✓ saved") {
		t.Errorf("trying again did not work:\n%s", got)
	}
}

func TestDraftsAreHandedOverAndRestored(t *testing.T) {
	s := newStage(t, 80, 24)
	e := storage(s.clock)
	s.desk.ask(e)
	s.keys("4", "our own")
	drafts := s.desk.made("draft")
	d := drafts[len(drafts)-1].Draft
	if d == nil || d.Editor == nil || d.Editor.Text != "our own" || d.SavedAt.IsZero() {
		t.Fatalf("last draft %+v", d)
	}
	again := newStage(t, 80, 24)
	restored := *e
	restored.Draft = d
	again.desk.ask(&restored)
	if got := again.frame(); !strings.Contains(got, "our own") {
		t.Errorf("the draft did not come back:\n%s", got)
	}
}

func TestLeavingAsksWhileAnAgentWaits(t *testing.T) {
	s := newStage(t, 80, 24)
	left := false
	s.pane.o.Quit = func() { left = true }
	s.desk.ask(storage(s.clock))
	s.keys("ctrl+q")
	if left || !strings.Contains(s.frame(), "1 agent waits for an answer") {
		t.Fatalf("did not ask first:\n%s", s.frame())
	}
	s.keys("down", "ctrl+q")
	if left {
		t.Fatal("another key in between did not take the question back")
	}
	s.keys("esc")
	if n := len(s.desk.made("cancel")); n > 0 || strings.Contains(s.frame(), "again leaves") {
		t.Fatalf("Esc did more than take the question back, %d forms cancelled:\n%s", n, s.frame())
	}
	s.keys("ctrl+q", "ctrl+q")
	if !left {
		t.Error("did not leave")
	}
}

func TestCtrlCNeverLeaves(t *testing.T) {
	s := newStage(t, 80, 24)
	s.start()
	s.inject("ctrl+c", "ctrl+c", "?")
	s.sees("Live settings")
}
