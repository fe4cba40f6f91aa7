package ui

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"askd/broker"
	"askd/broker/ask"
	"askd/config"
)

func TestPromptThatTookTheScreenIgnoresKeys(t *testing.T) {
	tests := []struct {
		name string
		q    func() ask.Question
		keys []string
	}{
		{"single", sessionsQuestion, []string{"enter", "esc", "ctrl+c", "2", "9", "a", "space"}},
		{"multi", gatesQuestion, []string{"enter", "esc", "ctrl+c", "2", "space"}},
	}
	for _, tt := range tests {
		for _, key := range tt.keys {
			t.Run(tt.name+"-"+key, func(t *testing.T) {
				s := newStage(t, 80, 24)
				s.prompt(inline(), tt.q())
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
}

// hold holds a key down: the keyboard waits, then repeats it.
func (s *stage) hold(key string) {
	s.frame()
	s.clock.pass(time.Second)
	s.raw(key)
	s.clock.pass(500 * time.Millisecond)
	for range 20 {
		s.frame()
		s.raw(key)
		s.clock.pass(30 * time.Millisecond)
	}
	s.clock.pass(time.Second)
	s.frame()
}

func TestHeldKeysCountOnceInAPrompt(t *testing.T) {
	tests := []struct {
		name   string
		before []string
		key    string
		want   string
	}{
		{"enter answers one page", nil, "enter", "CI gates 1✓ [2] 3 · review"},
		{"esc clears the filter and cancels nothing", []string{"r"}, "esc", "Filter: type to filter"},
		{"enter on review only warns", []string{"tab", "tab", "tab"}, "enter", "3 unanswered — press enter again"},
		{"enter opens the editor and ends nothing", []string{"up"}, "enter", "Custom response"},
		{"esc leaves the editor only", []string{"up", "enter", "text"}, "esc", "→ 4. text"},
		{"space ticks once", []string{"tab"}, "space", "→ 1. [✓] Unit tests"},
		{"backspace goes on", []string{"r", "e", "d"}, "backspace", "Filter: type to filter"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t, 80, 24)
			s.batch(inline())
			s.keys(tt.before...)
			s.hold(tt.key)
			if got := s.frame(); !strings.Contains(got, tt.want) || len(s.desk.made("submit"))+len(s.desk.made("cancel")) > 0 {
				t.Errorf("%q is missing, or the prompt ended:\n%s", tt.want, got)
			}
		})
	}
}

// TestAttachedPaneNamesItsWayOutOnce: over a form and over a prompt.
func TestAttachedPaneNamesItsWayOutOnce(t *testing.T) {
	for name, ask := range map[string]func(*stage){
		"form": func(s *stage) { s.desk.ask(storage(s.clock)) }, "prompt": func(s *stage) { s.batch(inline()) },
	} {
		s := newStage(t, 140, 30)
		s.pane.o.Remote = &Remote{}
		ask(s)
		if got := s.frame(); strings.Count(got, "Ctrl+Q detach") != 1 || strings.Contains(got, "leave") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

func TestKeysOfThePaneInAPrompt(t *testing.T) {
	tests := []struct {
		name   string
		before []string
		key    string
		want   string
	}{
		{"? is text for a filter", nil, "?", "Filter: ?"},
		{"F1 opens the settings from a list", nil, "f1", "Live settings"},
		{"F1 opens the settings from an editor", []string{"up", "enter"}, "f1", "Live settings"},
		{"? opens the settings where it is no text", []string{"tab"}, "?", "Live settings"},
		{"? opens the settings on review", []string{"shift+tab"}, "?", "Live settings"},
		{"ctrl+o reads all", nil, "ctrl+o", "Sessions are kept in Redis"},
		{"ctrl+o reads the answers", []string{"enter", "shift+tab", "shift+tab"}, "ctrl+o", "→ Redis"},
		{"the inbox", nil, "alt+q", "❯ checkout-api"},
		{"leaving asks", nil, "ctrl+q", "1 agent waits for an answer"},
		{"enter is a new line after a backslash", []string{"up", "enter", `a\`}, "enter", "Custom response"},
		{"ctrl+j scrolls the review page and submits nothing", []string{"shift+tab"}, "ctrl+j", "Review answers"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t, 80, 24)
			s.batch(inline())
			s.keys(tt.before...)
			s.keys(tt.key)
			if got := s.frame(); !strings.Contains(got, tt.want) || len(s.desk.made("submit")) > 0 {
				t.Errorf("%q is missing:\n%s", tt.want, got)
			}
		})
	}
}

func TestCancellingAPromptAsksNothing(t *testing.T) {
	for name, keys := range map[string][]string{
		"esc":                    {"1", "enter", "space", "esc"},
		"ctrl+c with a filter":   {"red", "ctrl+c"},
		"ctrl+c in the editor":   {"up", "enter", "half", "ctrl+c"},
		"blank text":             {"up", "enter", "enter"},
		"esc on review":          {"enter", "shift+tab", "shift+tab", "esc"},
		"nothing entered at all": {"esc"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, 80, 24)
			s.batch(inline())
			s.keys(keys...)
			only(t, s.desk, "cancel")
			if got := s.frame(); !strings.Contains(got, "✓ cancelled · checkout-api is told") {
				t.Errorf("nothing says so:\n%s", got)
			}
		})
	}
}

func TestPasteIntoAPrompt(t *testing.T) {
	s := newStage(t, 80, 24)
	s.prompt(inline(), sessionsQuestion())
	s.keys("down")
	s.clock.pass(time.Second)
	s.pane.paste("signed\ncookies\n")
	if got := s.frame(); !strings.Contains(got, "Filter: signed cookies") || !strings.Contains(got, "→ 1. Signed cookies") {
		t.Errorf("the paste is no filter:\n%s", got)
	}
	s.keys("esc", "up", "enter")
	s.clock.pass(time.Second)
	s.pane.paste("one\ntwo\n")
	s.frame()
	if got := s.frame(); !strings.Contains(got, "Custom response") || len(s.desk.made("submit")) > 0 {
		t.Errorf("a paste submitted:\n%s", got)
	}
	s.keys("esc")
	if got := s.frame(); !strings.Contains(got, "→ 4. one two") {
		t.Errorf("the draft is not on one line:\n%s", got)
	}
	s = newStage(t, 80, 24)
	s.prompt(inline(), gatesQuestion())
	s.frame()
	s.clock.pass(time.Second)
	s.pane.paste("1 2\n")
	if got := s.frame(); strings.Contains(got, "[✓]") || strings.Contains(got, "Filter") {
		t.Errorf("a paste ticked:\n%s", got)
	}
}

func TestOverlayToggle(t *testing.T) {
	s := newStage(t, 80, 24)
	set := overlaid()
	set.ToggleKey = "alt+h"
	s.prompt(set, sessionsQuestion())
	const hint = "ask_user_question hidden — press alt+h to reopen"
	steps := []struct{ key, there, notThere string }{
		{"down", "→ 2. Postgres", hint},
		{"alt+h", hint, "Postgres"},
		{"alt+h", "→ 2. Postgres", hint},
		{"alt+h", "Alt+Q back", hint},
		{"ctrl+r", "/ search", "Signed cookies"},
		{"alt+h", "→ 2. Postgres", hint},
		{"alt+q", "alt+h prompt", "Postgres"},
		{"enter", "→ 2. Postgres", hint},
	}
	s.remember()
	for i, step := range steps {
		s.keys(step.key)
		if got := s.frame(); !strings.Contains(got, step.there) || strings.Contains(got, step.notThere) {
			t.Fatalf("step %d, %s: want %q, not %q:\n%s", i, step.key, step.there, step.notThere, got)
		}
	}
	s.clock.pass(time.Second)
	s.raw("alt+h", "alt+h", "alt+h")
	if got := s.frame(); strings.Contains(got, "Postgres") {
		t.Errorf("a held key brought the window back:\n%s", got)
	}
}

// A look at the inbox takes less time than keyboards wait before they repeat a key.
func TestOverlayToggledTwiceAtOnce(t *testing.T) {
	s := newStage(t, 80, 24)
	s.prompt(overlaid(), sessionsQuestion())
	s.frame()
	s.clock.pass(time.Second)
	s.raw("alt+o")
	s.frame()
	s.clock.pass(300 * time.Millisecond)
	s.raw("alt+o")
	s.frame()
	s.clock.pass(secondAfter)
	shows(t, s.frame(), "→ 1. Redis")
	s.hold("alt+o")
	shows(t, s.frame(), "alt+o prompt") // the hint comes with the first time only
}

func TestOverlayToggleKeyThatIsOff(t *testing.T) {
	s := newStage(t, 200, 30)
	set := overlaid()
	set.ToggleKey = ""
	s.prompt(set, sessionsQuestion())
	s.keys("alt+o")
	if got := s.frame(); strings.Contains(got, " hide") || !strings.Contains(got, "PgUp/PgDn prompt") {
		t.Errorf("a key that is off acts or is named:\n%s", got)
	}
}

func TestToggleKeyMeansNothingInline(t *testing.T) {
	s := newStage(t, 80, 24)
	s.prompt(inline(), sessionsQuestion())
	s.keys("alt+o")
	if got := s.frame(); !strings.Contains(got, "→ 1. Redis") || strings.Contains(got, "hidden") {
		t.Errorf("it was hidden:\n%s", got)
	}
}

func TestTimeLeftTicks(t *testing.T) {
	s := newStage(t, 80, 24)
	e := s.prompt(inline(), sessionsQuestion())
	if s.frame(); s.pane.next() < time.Second*2 {
		t.Error("it is drawn anew without a deadline")
	}
	e.Request.Deadline = s.clock.Now().Add(61*time.Second + 400*time.Millisecond)
	for _, step := range []struct {
		pass time.Duration
		want string
		next time.Duration
	}{
		{0, "1:02 left", 400 * time.Millisecond},
		{400 * time.Millisecond, "1:01 left", time.Second},
		{time.Minute, "0:01 left", time.Second},
		{time.Hour, "0:00 left", never},
	} {
		s.clock.pass(step.pass)
		if got := s.frame(); !strings.Contains(got, step.want) || s.pane.next() > step.next {
			t.Errorf("want %s, again after %v, not %v:\n%s", step.want, step.next, s.pane.next(), got)
		}
	}
}

func TestPromptThatTimedOutIsThereToBeRead(t *testing.T) {
	s := newStage(t, 80, 24)
	e := s.batch(inline())
	s.keys("enter", "1")
	s.desk.drop(e.Key(), &broker.Settled{Key: e.Key(), SessionName: "checkout-api", Kind: ask.TimedOut})
	if got := s.frame(); !strings.Contains(got, "This question timed out") || !strings.Contains(got, "[✓] Unit tests") {
		t.Errorf("what was entered is gone:\n%s", got)
	}
	s.keys("shift+tab", "shift+tab")
	if got := s.frame(); !strings.Contains(got, "→ Redis") {
		t.Errorf("the answers cannot be read:\n%s", got)
	}
	s.keys("enter")
	if got := s.frame(); !strings.Contains(got, "nothing is waiting") || len(s.desk.made("submit"))+len(s.desk.made("cancel")) > 0 {
		t.Errorf("it was answered, or cannot be left:\n%s", got)
	}
}

func TestUntouchedPromptThatTimedOutSaysSo(t *testing.T) {
	s := newStage(t, 80, 24)
	e := s.prompt(overlaid(), sessionsQuestion())
	s.keys("down")
	s.desk.drop(e.Key(), &broker.Settled{Key: e.Key(), SessionName: "checkout-api", Kind: ask.TimedOut})
	if got := s.frame(); !strings.Contains(got, "The question of checkout-api timed out; it was not answered.") {
		t.Errorf("nothing says so:\n%s", got)
	}
}

func TestPromptThatCannotBeSavedOpensAgain(t *testing.T) {
	s := newStage(t, 80, 24)
	s.desk.fail = errors.New("no space left on device")
	s.prompt(inline(), sessionsQuestion())
	s.keys("2", "enter")
	if got := s.frame(); !strings.Contains(got, "could not be saved") || !strings.Contains(got, "→ 2. Postgres") {
		t.Errorf("it is not open again:\n%s", got)
	}
	s.desk.fail = nil
	s.keys("enter")
	if got := s.frame(); !strings.Contains(got, "✓ saved · delivered") {
		t.Errorf("the second try failed:\n%s", got)
	}
}

func TestPromptComesBackFromItsDraft(t *testing.T) {
	s := newStage(t, 80, 24)
	s.batch(inline())
	s.keys("enter", "1", "up", "enter", "licence", "ctrl+j", "scan")
	drafts := s.desk.made("draft")
	before := s.frame()
	again := newStage(t, 80, 24)
	e := again.batch(inline())
	e.Draft = drafts[len(drafts)-1].Draft
	if diff := cmp.Diff(before, again.frame()); diff != "" {
		t.Error(diff)
	}
}

// piKeysOf are Pi's keys as a file sets them.
func piKeysOf(t *testing.T, file string) *config.PiKeys {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keybindings.json")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	keys, notices := config.OpenPiKeys(path, func(string) string { return "" }).Load()
	if notices != nil {
		t.Fatal(notices)
	}
	return keys
}

func TestPromptObeysPisOwnKeys(t *testing.T) {
	s := newStage(t, 120, 24)
	s.settings.loaded.Pi = piKeysOf(t, `{"tui.select.up":"ctrl+p","tui.select.down":"ctrl+n","tui.select.confirm":"f5",
		"tui.select.cancel":"ctrl+g","tui.input.submit":"ctrl+s","tui.input.newLine":"enter","tui.editor.deleteCharBackward":"ctrl+h"}`)
	s.prompt(inline(), sessionsQuestion())
	s.keys("ctrl+n", "down", "enter")
	got := s.frame()
	for _, want := range []string{"→ 2. Postgres", "ctrl+p/ctrl+n navigate", "f5 select", "ctrl+g cancel", "ctrl+h erase", "Press F5 to select"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
	s.keys("ctrl+p", "ctrl+p", "f5", "one", "enter", "two")
	if got := s.frame(); !strings.Contains(got, "ctrl+s submit • enter newline • esc back • ctrl+g cancel") {
		t.Errorf("the editor's help is wrong:\n%s", got)
	}
	s.keys("ctrl+s")
	if got := only(t, s.desk, "submit").Response.Choices[0].CustomText; got != "one\ntwo" {
		t.Errorf("the answer is %q", got)
	}
}

func TestClicksOnAPrompt(t *testing.T) {
	s := newStage(t, 80, 24)
	s.batch(inline())
	s.start()
	s.sees("Where should sessions live?")
	s.click("Postgres")
	s.sees("→ 2. Postgres")
	s.click("Postgres")
	s.sees("CI gates 1✓ [2] 3 · review")
	s.click("Linters")
	s.sees("→ 2. [✓] Linters")
	s.click("Type something.")
	s.sees("Custom response")
	s.click("review")
	s.sees("Review answers")
	s.click("Which log format?")
	s.sees("Logs 1✓ 2 [3] · review")
	s.click("1✓")
	s.sees("Sessions [1✓] 2 3 · review")
	if n := len(s.desk.made("submit")) + len(s.desk.made("cancel")); n > 0 {
		t.Errorf("%d ends", n)
	}
}

// Whatever the size, the focused row can be seen, also over the pane.
func TestEverySizeShowsThePromptsFocus(t *testing.T) {
	for _, set := range []ask.PromptSettings{inline(), overlaid()} {
		for _, q := range []ask.Question{longPrompt(), sessionsQuestion(), widePrompt(), hostilePrompt()} {
			for _, size := range [][2]int{{1, 1}, {20, 5}, {20, 6}, {24, 7}, {30, 8}, {40, 9}, {40, 10}, {40, 12}, {60, 9}, {80, 15}, {90, 16}, {115, 20}, {120, 12}} {
				s := newStage(t, size[0], size[1])
				s.prompt(set, q)
				for range q.Options {
					got := s.frame()
					bordered(t, got)
					if size[0] >= leastColumns && size[1] >= leastRows && !strings.Contains(got, "→ ") {
						t.Fatalf("%s %v: no focus:\n%s", set.DisplayMode, size, got)
					}
					s.clock.pass(time.Second)
					s.raw("down")
				}
			}
		}
	}
}

func TestPromptGeometry(t *testing.T) {
	var got [][2]int
	for _, inner := range []int{83, 84, 116, 77} {
		left, right, _ := splitColumns(inner)
		got = append(got, [2]int{left, right})
	}
	if want := [][2]int{{83, 0}, {34, 47}, {47, 66}, {77, 0}}; !slices.Equal(got, want) {
		t.Errorf("columns %v, want %v", got, want)
	}
	heights := map[int]int{10: 8, 12: 10, 24: 20, 60: 51}
	for rows, want := range heights {
		if got := overlayCap(rows); got != want {
			t.Errorf("an overlay on %d rows is %d high, want %d", rows, got, want)
		}
	}
	for _, tt := range []struct {
		in, want rect
	}{
		{rect{0, 1, 80, 22}, rect{3, 2, 73, 20}}, {rect{0, 1, 40, 10}, rect{1, 1, 38, 10}}, {rect{0, 1, 200, 58}, rect{8, 4, 184, 51}},
	} {
		if got := overlayRect(tt.in, tt.in.h+2, 1000); got != tt.want {
			t.Errorf("in %v: %v, want %v", tt.in, got, tt.want)
		}
	}
}

func TestPromptWithoutColour(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	s := newStage(t, 120, 40)
	s.batch(inline())
	s.keys("re")
	for _, c := range s.pane.screen.Load().shown {
		if c.style != colourless(c.style) {
			t.Fatalf("%q has a colour", c.text)
		}
	}
}

func TestTimeLeftShowsInEverySizeAndWhileHidden(t *testing.T) {
	for _, size := range [][2]int{{40, 6}, {40, 12}, {80, 24}, {120, 40}} {
		s := newStage(t, size[0], size[1])
		e := s.prompt(overlaid(), sessionsQuestion())
		e.Request.Deadline = s.clock.Now().Add(5 * time.Minute)
		shows(t, s.frame(), "5:00 left")
		s.keys("alt+o")
		shows(t, s.frame(), "4:59 left")
	}
}

// TestHugePasteIntoFilter: a paste of megabytes is drawn like a short one.
func TestHugePasteIntoFilter(t *testing.T) {
	s := newStage(t, 80, 24)
	s.prompt(inline(), sessionsQuestion())
	s.frame()
	s.clock.pass(time.Second)
	s.pane.paste(strings.Repeat("lorem ipsum 漢字 ", 60_000) + "end")
	s.has(" end ")
}

// TestCutHead keeps as much of the end as fits beside the sign.
func TestCutHead(t *testing.T) {
	for _, tt := range []struct {
		text    string
		columns int
		want    string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "…cd"},
		{"漢字", 4, "漢字"},
		{"漢字", 3, "…字"},
		{"漢字", 2, "…"},
		{"a漢", 2, "…"},
		{"xe\u0301yz", 3, "…yz"},
		{"xyze\u0301", 3, "…ze\u0301"},
		{"", 0, ""},
		{"ab", 0, "…"},
	} {
		if got := cutHead(tt.text, tt.columns); got != tt.want {
			t.Errorf("cutHead(%q, %d) = %q, want %q", tt.text, tt.columns, got, tt.want)
		}
	}
}
