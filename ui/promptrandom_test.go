package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"askd/broker"
	"askd/broker/ask"
)

// Whatever is pressed, pasted and resized while prompts come and go: nothing panics, every frame is straight, and nothing
// ends a prompt but the person.
func TestRandomKeysInPrompts(t *testing.T) {
	names := []string{
		"0", "1", "2", "3", "4", "9", "enter", "space", "esc", "tab", "shift+tab", "up", "down", "left", "right", "a", "re", "?", "ctrl+c", "alt+q", "alt+o",
		"ctrl+o", "ctrl+j", "ctrl+k", "ctrl+u", "ctrl+d", "pageUp", "pageDown", "home", "end", "text", "日本", "e\u0301", "backspace", "ctrl+z", "f1", "f2", "shift+enter", `\`,
	}
	kinds := []ask.Question{longPrompt(), gatesQuestion(), sessionsQuestion(), widePrompt(), hostilePrompt()}
	rapid.Check(t, func(rt *rapid.T) {
		s := newStage(t, 80, 24)
		asks := 0
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			switch rapid.IntRange(0, 11).Draw(rt, "step") {
			case 0:
				asks++
				s.askRandom(rt, asks, kinds)
			case 1:
				s.frame()
				s.screen.SetSize(rapid.IntRange(1, 130).Draw(rt, "width"), rapid.IntRange(1, 45).Draw(rt, "height"))
			case 2:
				if entries := s.desk.Snapshot().Entries; len(entries) > 0 {
					kind := rapid.SampledFrom([]ask.OutcomeKind{ask.Withdrawn, ask.TimedOut, ask.Answered}).Draw(rt, "end")
					s.desk.drop(entries[0].Key(), &broker.Settled{Key: entries[0].Key(), Kind: kind})
				}
			case 3:
				s.clock.pass(time.Second)
				before := len(s.desk.made("submit")) + len(s.desk.made("cancel"))
				s.pane.paste(rapid.SampledFrom([]string{"1\n\n", "a\r\nb", "\x1b[A\x03\n", strings.Repeat("long ", 100), "保存\t先"}).Draw(rt, "paste"))
				if len(s.desk.made("submit"))+len(s.desk.made("cancel")) != before {
					rt.Fatal("a paste ended a prompt")
				}
			default:
				s.keys(rapid.SampledFrom(names).Draw(rt, "key"))
			}
			if got := s.frame(); s.pane.overlay == nil {
				bordered(t, got)
			}
			if t.Failed() {
				rt.Fatal("a frame is not straight")
			}
		}
		s.pane.RestoreTerminal()
		s.pane.endCompletion()
	})
}

func (s *stage) askRandom(rt *rapid.T, n int, kinds []ask.Question) {
	r := &ask.Request{Questions: rapid.SliceOfN(rapid.SampledFrom(kinds), 1, 4).Draw(rt, "questions")}
	for i := range r.Questions {
		r.Questions[i].ID = fmt.Sprintf("q%d", i+1)
	}
	set := rapid.SampledFrom([]ask.PromptSettings{inline(), overlaid(), {DisplayMode: "overlay", Layout: "list"}}).Draw(rt, "settings")
	e := asked(s.clock, fmt.Sprint("p", n), r, set)
	if n%2 == 0 {
		r.Deadline = s.clock.Now().Add(time.Minute)
	}
	s.desk.ask(e)
}
