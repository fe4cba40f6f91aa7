package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/ask"
)

func inline() ask.PromptSettings {
	return ask.PromptSettings{DisplayMode: "inline", Layout: "auto", ToggleKey: "alt+o"}
}

func overlaid() ask.PromptSettings {
	return ask.PromptSettings{DisplayMode: "overlay", Layout: "auto", ToggleKey: "alt+o"}
}

func sessionsQuestion() ask.Question {
	return ask.Question{
		ID: "q1", Label: "Sessions", Prompt: "Where should sessions live?", Type: ask.Single, Options: []ask.Option{
			{Value: "Redis", Label: "Redis", Description: "In-memory, needs a failover plan", Preview: redisPreview},
			{Value: "Postgres", Label: "Postgres", Description: "Already deployed; slower reads"},
			{Value: "Signed cookies", Label: "Signed cookies", Description: "No server state; 4 KB cap"},
		},
	}
}

const redisPreview = `Sessions are kept in **Redis**, with a *second* node that takes over.

- Reads take less than ` + "`1 ms`" + `
- A restart loses what is younger than a second

` + "```\nmaxmemory-policy volatile-lru\n```\n\n> See the [runbook](https://example.com/redis)."

func gatesQuestion() ask.Question {
	return ask.Question{
		ID: "q2", Label: "CI gates", Prompt: "Which checks gate a merge?", Type: ask.Multi, Options: []ask.Option{
			{Value: "Unit tests", Label: "Unit tests", Description: "Fast"},
			{Value: "Linters", Label: "Linters", Description: "Style and vet"},
			{Value: "Fuzzing", Label: "Fuzzing", Description: "Ten minutes per run"},
		},
	}
}

func logsQuestion() ask.Question {
	return ask.Question{
		ID: "q3", Label: "Logs", Prompt: "Which log format?", Type: ask.Single, Options: []ask.Option{
			{Value: "JSON", Label: "JSON", Description: "Machine readable"}, {Value: "Text", Label: "Text", Description: "Readable by people"},
		},
	}
}

// prompt asks questions in a form of their own.
func (s *stage) prompt(set ask.PromptSettings, questions ...ask.Question) *broker.Entry {
	e := asked(s.clock, "p1", &ask.Request{Questions: questions}, set)
	s.desk.ask(e)
	return e
}

func (s *stage) batch(set ask.PromptSettings) *broker.Entry {
	return s.prompt(set, sessionsQuestion(), gatesQuestion(), logsQuestion())
}

func longPrompt() ask.Question {
	q := ask.Question{ID: "q1", Label: "A header that is far too long for the border of a small terminal and is cut", Type: ask.Single}
	for i := range 40 {
		q.Prompt += fmt.Sprintf("Line %d of a question that somebody made far too long.\n", i+1)
	}
	for i := range 4 {
		q.Options = append(q.Options, ask.Option{
			Value: fmt.Sprint(i), Label: fmt.Sprintf("Option %d", i+1),
			Description: strings.Repeat(fmt.Sprintf("Description of option %d, which goes on. ", i+1), 5),
			Preview:     strings.Repeat("A paragraph of the preview that is long enough to be broken in the pane.\n\n", 30),
		})
	}
	return q
}

func hostilePrompt() ask.Question {
	const bad = "\x1b]52;c;QQ==\x07 \x1b[2J\x9b31m [red]DELETE[-] [\"r1\"]x[\"\"] a\x00b\x7f \u202egnp.exe &#27;[2J"
	return ask.Question{
		ID: "q1", Label: "Head " + bad, Prompt: "Question " + bad, Type: ask.Single, Options: []ask.Option{
			{Value: "a", Label: "Label " + bad, Description: "About " + bad, Preview: "# Preview " + bad + "\n\n" + strings.Repeat("> ", 60) + "deep\n\n<b>" + bad + "</b>"},
			{Value: "b", Label: "[[ arr[0] ]", Description: "(starts with a parenthesis)"},
			{Value: "c", Label: "two\nlines", Description: "one\r\ntwo\ttabbed"},
		},
	}
}

func widePrompt() ask.Question {
	return ask.Question{
		ID: "q1", Label: "保存先 👩‍💻", Prompt: "注文データはどこに保存しますか。三つのサービスから読まれ、二年間保存されます。🙂 ZWJ 👨‍👩‍👧‍👦 flags 🇯🇵🇵🇱 e\u0301",
		Type: ask.Single, Options: []ask.Option{
			{Value: "a", Label: "データベース。すでに配備されていて、三つのサービスから読まれるもの", Description: "すでに配備されています。遅い読み取りが問題になることがあります", Preview: "# 詳細\n\n**重要** な 説明 📁 と e\u0301 です。"},
			{Value: "b", Label: "ファイル 📁", Description: "👨‍👩‍👧‍👦"},
			{Value: "c", Label: "한국어 선택지", Description: "설명"},
		},
	}
}

// promptScenes are the prompts that are drawn at every size.
var promptScenes = []struct {
	name string
	make func(s *stage)
}{
	{"single", func(s *stage) { s.prompt(inline(), sessionsQuestion()) }},
	{"filtered", func(s *stage) { s.prompt(inline(), sessionsQuestion()); s.keys("cook") }},
	{"nomatch", func(s *stage) { s.prompt(inline(), sessionsQuestion()); s.keys("xyz") }},
	{"multi", func(s *stage) { s.prompt(inline(), gatesQuestion()); s.keys("1", "3", "up") }},
	{"draft", func(s *stage) {
		s.prompt(inline(), sessionsQuestion())
		s.keys("up", "enter", "memcached,", "shift+enter", "for now", "esc")
	}},
	{"multi-draft", func(s *stage) {
		s.prompt(inline(), gatesQuestion())
		s.keys("1", "up", "enter", "licence scan", "enter")
	}},
	{"editor", func(s *stage) {
		s.prompt(inline(), sessionsQuestion())
		s.keys("up", "enter", "memcached,", "ctrl+j", "written by hand 日本")
	}},
	{"editor-empty", func(s *stage) { s.prompt(inline(), sessionsQuestion()); s.keys("up", "enter") }},
	{"batch", func(s *stage) { s.batch(inline()); s.keys("enter") }},
	{"review", func(s *stage) { s.batch(inline()); s.keys("enter", "1", "2", "enter", "down", "enter") }},
	{"review-warned", func(s *stage) { s.batch(inline()); s.keys("enter", "tab", "tab", "enter") }},
	{"overlay", func(s *stage) { s.batch(overlaid()); s.frame(); queue(s) }},
	{"overlay-hidden", func(s *stage) {
		s.batch(overlaid())
		s.desk.ask(small(s.clock, "docs", "b", "Tone", time.Hour, true))
		s.keys("alt+o")
	}},
	{"overlay-editor", func(s *stage) { s.prompt(overlaid(), sessionsQuestion()); s.keys("up", "enter", "something else") }},
	{"long", func(s *stage) { s.prompt(inline(), longPrompt()); s.keys("down", "down", "pageDown") }},
	{"overlay-long", func(s *stage) { s.prompt(overlaid(), longPrompt()); s.keys("down", "pageDown") }},
	{"list-layout", func(s *stage) {
		set := inline()
		set.Layout = "list"
		s.prompt(set, sessionsQuestion())
	}},
	{"cjk", func(s *stage) { s.prompt(inline(), widePrompt()); s.keys("up", "enter", "日本語の答え", "esc") }},
	{"hostile", func(s *stage) { s.prompt(inline(), hostilePrompt()) }},
	{"deadline", func(s *stage) {
		s.prompt(inline(), logsQuestion()).Request.Deadline = s.clock.Now().Add(5*time.Minute - 300*time.Millisecond)
	}},
	{"timed-out", func(s *stage) {
		e := s.prompt(inline(), sessionsQuestion())
		s.keys("up", "enter", "half an ans")
		s.desk.drop(e.Key(), &broker.Settled{Key: e.Key(), Kind: ask.TimedOut})
	}},
	{"reader", func(s *stage) { s.prompt(inline(), sessionsQuestion()); s.keys("ctrl+o") }},
	{"away", func(s *stage) { s.prompt(inline(), sessionsQuestion()); s.keys("alt+q") }},
}

func TestPromptScreens(t *testing.T) {
	sizes := [][2]int{{40, 12}, {80, 24}, {88, 30}, {120, 40}, {200, 60}}
	for _, scene := range promptScenes {
		for _, size := range sizes {
			name := fmt.Sprintf("prompt-%s-%dx%d", scene.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				s := newStage(t, size[0], size[1])
				scene.make(s)
				got := s.frame()
				golden(t, name, got)
				bordered(t, got)
			})
		}
	}
}

// bordered checks that the right border of a frame is straight.
func bordered(t *testing.T, screen string) {
	t.Helper()
	lines := strings.Split(screen, "\n")
	from, left, right := -1, 0, 0
	for i, l := range lines {
		if at := strings.Index(l, "╭"); at >= 0 {
			from, left = i, width(l[:at])
			right = width(l[:strings.Index(l, "╮")])
		}
		if from < 0 || i <= from {
			continue
		}
		if strings.Contains(l, "╰") {
			if got := width(l[:strings.Index(l, "╯")]); got != right {
				t.Errorf("the bottom border ends at %d, the top at %d", got, right)
			}
			return
		}
		head, _ := splitAt(l, left)
		if rest := l[len(head):]; !strings.HasPrefix(rest, "│") {
			t.Errorf("row %d does not begin with a border: %q", i, l)
		}
		if cells, rest := splitAt(l, right); width(cells) != right || !strings.HasPrefix(rest, "│") {
			t.Errorf("row %d has no border in column %d: %q", i, right, l)
		}
	}
	if from >= 0 {
		t.Error("the frame has no end")
	}
}
