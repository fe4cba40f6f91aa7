package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/ask"
	"askd/config"
)

func yes() *bool { b := true; return &b }

func storage(c *clock) *broker.Entry {
	return entry(c, "checkout-api", "a1", 2*time.Minute, &ask.Request{
		Title: "Storage layout",
		Questions: []ask.Question{
			{
				ID: "store", Label: "Store", Prompt: "Which store holds the orders?", Type: ask.Single,
				Context: "Orders are read by three services. Peak writes 40/s, 2 years kept.\n\nSee the load report, section 2.\n" +
					strings.Repeat("The nightly export reads everything once.\n", 12),
				Options: []ask.Option{
					{Value: "pg", Label: "Postgres", Description: "already deployed", Recommended: yes()},
					{Value: "sqlite", Label: "SQLite", Description: "one file, no server"},
					{Value: "files", Label: "Files"},
				},
			},
			retention(),
		},
	})
}

func retention() ask.Question {
	return ask.Question{
		ID: "retention", Label: "Retention", Prompt: "How long are orders kept?", Type: ask.Multi,
		Options: []ask.Option{
			{Value: "2y", Label: "2 years"},
			{Value: "7y", Label: "7 years", Description: "what the auditors asked for", Recommended: yes()},
			{Value: "ever", Label: "For ever"},
		},
	}
}

func multi(c *clock) *broker.Entry {
	return entry(c, "checkout-api", "m1", 2*time.Minute, &ask.Request{Title: "Storage layout", Questions: []ask.Question{retention()}})
}

func entry(c *clock, session, id string, ago time.Duration, r *ask.Request) *broker.Entry {
	r.ID, r.Session, r.Tool, r.CreatedAt = id, session, ask.ToolAskUser, c.Now().Add(-ago)
	r.Asker.GitBranch = "main"
	return &broker.Entry{Request: r, Status: broker.Waiting, SessionName: session, AskerOnline: true}
}

func small(c *clock, session, id, label string, ago time.Duration, background bool) *broker.Entry {
	return entry(c, session, id, ago, &ask.Request{Background: background, Questions: []ask.Question{{
		ID: "q", Label: label, Prompt: "Which " + label + "?", Type: ask.Single,
		Options: []ask.Option{{Value: "a", Label: "One"}, {Value: "b", Label: "Two"}},
	}}})
}

// queue is an inbox with something of everything.
func queue(s *stage) {
	gone := small(s.clock, "infra", "c1", "Region", 3*time.Hour, true)
	gone.Status, gone.AskerOnline, gone.GoneSince = broker.Interrupted, false, s.clock.Now().Add(-time.Hour)
	hidden := small(s.clock, "billing", "d1", "Currency", time.Hour, true)
	hidden.Status = broker.Deferred
	s.desk.ask(storage(s.clock), small(s.clock, "docs-site", "b1", "Tone", 14*time.Minute, true), gone, hidden)
}

func sessions(s *stage) {
	s.desk.set(func(snap *broker.Snapshot) {
		snap.Sessions = []broker.SessionView{
			{ID: "checkout-api", Name: "checkout-api", Agent: "pi 1.6.0", Cwd: "/src/checkout", LastAsked: s.clock.Now().Add(-12 * time.Minute), LastTook: 40 * time.Second},
			{ID: "docs-site", Name: "docs-site", Agent: "pi 1.6.0", Cwd: "/src/docs"},
		}
	})
}

// scenes are the screens that are drawn at every size.
var scenes = []struct {
	name string
	make func(s *stage)
}{
	{"idle", sessions},
	{"single", queue},
	{"multi", func(s *stage) { s.desk.ask(multi(s.clock)); s.keys("down", "space") }},
	{"note", func(s *stage) {
		s.desk.ask(multi(s.clock))
		s.keys("down", "n", "ask the auditors first", "enter", "N", "A question note that is being written")
	}},
	{"custom", func(s *stage) {
		s.desk.ask(storage(s.clock))
		s.keys("4", "A store of our own,", "ctrl+j", "written by hand")
	}},
	{"image-custom", func(s *stage) {
		s.desk.ask(storage(s.clock))
		s.keys("4", "Like this one:")
		s.pasted("ctrl+v", "ctrl+v")
	}},
	{"image-note", func(s *stage) {
		s.desk.ask(multi(s.clock))
		s.keys("down", "N")
		s.pasted("ctrl+v")
	}},
	{"image-option", func(s *stage) {
		s.desk.ask(storage(s.clock))
		s.keys("down", "n")
		s.pasted("ctrl+v")
	}},
	{"image-saved", func(s *stage) {
		s.desk.ask(storage(s.clock))
		s.keys("n")
		s.pasted("ctrl+v")
		s.keys("enter", "N")
		s.pasted("ctrl+v", "ctrl+v")
		s.keys("see the picture", "enter", "4")
		s.pasted("ctrl+v")
		s.keys("esc")
	}},
	{"image-review", func(s *stage) {
		s.desk.ask(storage(s.clock))
		s.keys("n")
		s.pasted("ctrl+v")
		s.keys("enter", "N")
		s.pasted("ctrl+v", "ctrl+v")
		s.keys("see the picture", "enter", "4")
		s.pasted("ctrl+v")
		s.keys("enter", "tab")
	}},
	{"image-none", func(s *stage) {
		s.desk.ask(storage(s.clock))
		s.keys("4", "Like this one:")
		s.clip.err = errors.New("No image in the clipboard.")
		s.pasted("ctrl+v")
	}},
	{"image-reading", func(s *stage) {
		s.desk.ask(storage(s.clock))
		s.clip.hold()
		s.keys("4", "Like this one:", "ctrl+v")
	}},
	{"image-unavailable", func(s *stage) {
		s.desk.ask(storage(s.clock))
		s.keys("4")
		s.pane.o.ReadClipboard = nil
		s.keys("ctrl+v")
	}},
	{"own-words", func(s *stage) {
		e := entry(s.clock, "checkout-api", "w1", 0, &ask.Request{Questions: []ask.Question{{
			ID: "answer", Label: "Q1", Prompt: "What does this change?", Type: ask.Single, Input: true, Placeholder: "one line, no full stop",
		}}})
		e.Draft = &ask.Draft{Editor: &ask.EditorDraft{Kind: ask.EditCustom, Question: "answer"}}
		s.desk.ask(e)
	}},
	{"placeholder", func(s *stage) { s.desk.ask(storage(s.clock)); s.keys("4") }},
	{"review", func(s *stage) {
		s.desk.ask(storage(s.clock))
		s.keys("down", "n", "not on NFS", "enter", "1", "2", "3", "N", "auditors decide", "enter", "enter", "2")
	}},
	{"dirty", func(s *stage) { s.desk.ask(storage(s.clock)); s.keys("2", "esc") }},
	{"settings-open", func(s *stage) { queue(s); s.keys("?") }},
	{"settings", func(s *stage) { queue(s); s.keys("?", "down") }},
	{"keys", func(s *stage) { queue(s); s.keys("?", "up", "enter") }},
	{"inbox", func(s *stage) { queue(s); s.keys("alt+q", "down", "down") }},
	{"deferred", func(s *stage) {
		s.desk.ask(small(s.clock, "docs-site", "b1", "Tone", 14*time.Minute, true))
		s.keys("esc")
	}},
	{"settled", func(s *stage) {
		s.desk.ask(small(s.clock, "docs-site", "b1", "Tone", 14*time.Minute, false))
		s.keys("1", "1", "1")
		s.clock.pass(-settledFor)
	}},
	{"hostile", func(s *stage) { s.desk.ask(hostile(s.clock)) }},
	{"cjk", func(s *stage) { s.desk.ask(wide(s.clock)); s.keys("4", "日本語の答え") }},
	{"long", func(s *stage) {
		s.desk.ask(long(s.clock))
		s.keys("down", "down", "down", "down", "down", "down", "pageDown")
	}},
	{"leaving", func(s *stage) { queue(s); s.keys("ctrl+q") }},
	{"paths", func(s *stage) { s.paths(s.t) }},
	{"paths-note", func(s *stage) {
		s.desk.ask(inFolder(s, folder(s.t, project...)))
		s.keys("down", "n", "@説明")
		s.offered(1)
	}},
	{"gone", func(s *stage) {
		queue(s)
		s.keys("alt+q", "down", "down", "enter")
	}},
	{"taken", func(s *stage) {
		e := storage(s.clock)
		s.desk.ask(e, small(s.clock, "docs-site", "b1", "Tone", 14*time.Minute, true))
		s.keys("2", "N", "half a note")
		s.desk.drop(e.Key(), &broker.Settled{Key: e.Key(), Kind: ask.Withdrawn})
	}},
	{"elsewhere", func(s *stage) {
		e := storage(s.clock)
		s.desk.ask(e)
		s.frame()
		s.desk.drop(e.Key(), &broker.Settled{Key: e.Key(), Kind: ask.Answered, Delivered: true})
	}},
	{"background", func(s *stage) {
		s.desk.ask(small(s.clock, "docs-site", "b1", "Tone", 14*time.Minute, true), small(s.clock, "infra", "c1", "Region", time.Hour, true))
		s.keys("2")
	}},
	{"type", func(s *stage) { s.desk.ask(multi(s.clock)); s.keys("1", "2", "t") }},
	{"skipped", func(s *stage) {
		s.desk.ask(storage(s.clock))
		s.keys("d", "tab")
	}},
	{"again", func(s *stage) {
		for _, id := range []string{"r1", "r2", "r3"} {
			s.desk.ask(small(s.clock, "loop", id, "Tone", 0, true))
		}
	}},
	{"not-connected", func(s *stage) {
		e := small(s.clock, "infra", "c1", "Region", 3*time.Hour, false)
		e.AskerOnline, e.GoneSince = false, s.clock.Now().Add(-time.Hour)
		s.desk.ask(e)
		s.keys("1", "1")
		s.desk.drop(e.Key(), &broker.Settled{Key: e.Key(), SessionName: "infra", Kind: ask.Answered})
		s.pane.views[e.Key()].finished = true
	}},
	{"failed", func(s *stage) {
		s.desk.fail = errors.New("write /var/lib/askd/askd.db: no space left on device")
		s.desk.ask(small(s.clock, "docs-site", "b1", "Tone", time.Minute, false))
		s.keys("1", "1", "1")
	}},
	{"saving", func(s *stage) {
		e := storage(s.clock)
		e.Settling = true
		s.desk.ask(small(s.clock, "docs-site", "b1", "Tone", time.Minute, false))
		s.frame()
		s.desk.set(func(snap *broker.Snapshot) {
			copied := *snap.Entries[0]
			copied.Settling = true
			snap.Entries[0] = &copied
		})
	}},
	{"notices", func(s *stage) {
		s.settings.loaded.Notices = []config.Notice{{Text: "Config was invalid or unsupported. Loaded defaults for this session."}}
		s.desk.set(func(snap *broker.Snapshot) {
			snap.Notices = []string{"The disk is full: answers cannot be saved. Free some space."}
		})
		s.desk.ask(storage(s.clock))
		s.keys("2", "esc")
	}},
	{"many-options", func(s *stage) { s.desk.ask(many(s.clock, 1, 200)); s.keys("end") }},
	{"many-questions", func(s *stage) { s.desk.ask(many(s.clock, 30, 3)); s.keys("tab", "tab", "tab", "tab", "tab", "tab") }},
	{"many-review", func(s *stage) { s.desk.ask(many(s.clock, 30, 3)); s.keys("2", "shift+tab", "shift+tab", "pageDown") }},
	{"tabs", func(s *stage) { s.desk.ask(tabbed(s.clock)); s.keys("2", "a\tb") }},
	{"busy-inbox", func(s *stage) {
		for i := range 60 {
			s.desk.ask(small(s.clock, fmt.Sprintf("session-%d", i), "r", "Tone", time.Duration(i)*time.Minute, i%3 == 0))
		}
		s.keys("alt+q")
		for range 40 {
			s.keys("down")
		}
	}},
	{"hues", func(s *stage) {
		var entries []*broker.Entry
		for i := range broker.Hues + 1 {
			e := small(s.clock, fmt.Sprintf("session-%d", i), "r", "Tone", time.Duration(i)*time.Minute, i%3 == 0)
			e.Hue = i
			entries = append(entries, e)
		}
		s.desk.ask(entries...)
		s.keys("alt+q", "down")
	}},
	{"reset", func(s *stage) { queue(s); s.keys("?", "up", "up", "enter") }},
	{"history", func(s *stage) { queue(s); s.remember(); s.keys("ctrl+r", "down") }},
	{"history-empty", func(s *stage) { s.remember(); s.past.records = nil; s.keys("h") }},
	{"history-search", func(s *stage) { s.remember(); s.keys("h", "/", "postgres") }},
	{"history-nothing", func(s *stage) { s.remember(); s.keys("h", "/", "no such text", "enter") }},
	{"history-answer", func(s *stage) { s.remember(); s.keys("h", "end", "enter") }},
	{"history-interrupted", func(s *stage) { s.remember(); s.keys("h", "down", "enter") }},
	{"history-prompt", func(s *stage) { s.rememberPrompts(); s.keys("h", "down", "down", "enter") }},
	{"history-export", func(s *stage) { s.remember(); s.keys("h", "e") }},
	{"history-many", func(s *stage) { s.rememberMany(1234); s.keys("h", "pageDown", "pageDown") }},
	{"history-hostile", func(s *stage) { s.rememberHostile(); s.keys("h", "enter") }},
	{"undo", func(s *stage) {
		s.desk.grace = 4 * time.Second
		queue(s)
		s.keys("esc")
	}},
	{"same", func(s *stage) { three(s); s.keys("2", "1", "1") }},
	{"quiet", func(s *stage) {
		queue(s)
		s.desk.SetQuiet("", s.clock.Now().Add(26*time.Minute), func(error) {})
	}},
	{"quiet-menu", func(s *stage) { queue(s); s.keys("alt+q", "down", "z", "tab") }},
	{"reader", func(s *stage) { queue(s); s.keys("ctrl+o") }},
}

func many(c *clock, questions, options int) *broker.Entry {
	r := &ask.Request{Title: "Many"}
	for i := range questions {
		q := ask.Question{ID: fmt.Sprint(i), Label: fmt.Sprintf("Part %d", i+1), Prompt: fmt.Sprintf("What about part %d?", i+1), Type: ask.Single}
		for j := range options {
			q.Options = append(q.Options, ask.Option{Value: fmt.Sprint(j), Label: fmt.Sprintf("Option %d", j+1)})
		}
		r.Questions = append(r.Questions, q)
	}
	return entry(c, "many", "y1", time.Minute, r)
}

func tabbed(c *clock) *broker.Entry {
	return entry(c, "tabs", "t1", time.Minute, &ask.Request{Questions: []ask.Question{{
		ID: "q", Label: "Tab\tbed", Prompt: "name\tsize\n\tindented", Context: "one\ttwo\n1\t2", Type: ask.Single,
		Options: []ask.Option{{Value: "a", Label: "x\ty", Description: "p\tq"}},
	}}})
}

func hostile(c *clock) *broker.Entry {
	const bad = "\x1b]52;c;QQ==\x07 \x1b[2J\x9b31m [red]DELETE[-] [\"r1\"]x[\"\"] a\x00b\x7f \u202egnp.exe"
	return entry(c, "evil\x1b]0;x\x07 [::b]", "h1", time.Minute, &ask.Request{Title: "Title " + bad, Questions: []ask.Question{{
		ID: "q", Label: "L" + bad, Prompt: "Prompt " + bad, Context: "Context " + bad, Type: ask.Single,
		Options: []ask.Option{{Value: "a", Label: "Label " + bad, Description: "About " + bad}, {Value: "b", Label: "[[ arr[0] ]"}},
	}}})
}

func wide(c *clock) *broker.Entry {
	return entry(c, "注文サービス", "w1", time.Minute, &ask.Request{Title: "保存先の選択 👩‍💻", Questions: []ask.Question{{
		ID: "q", Label: "保存先", Prompt: "注文データはどこに保存しますか。三つのサービスから読まれ、二年間保存されます。🙂 ZWJ 👨‍👩‍👧‍👦 flags 🇯🇵🇵🇱 e\u0301",
		Type: ask.Single, Options: []ask.Option{
			{Value: "a", Label: "データベース", Description: "すでに配備されています", Recommended: yes()},
			{Value: "b", Label: "ファイル 📁"},
			{Value: "c", Label: "한국어 선택지"},
		},
	}}})
}

func long(c *clock) *broker.Entry {
	q := ask.Question{ID: "q", Label: "Long", Type: ask.Multi}
	for i := range 60 {
		q.Prompt += fmt.Sprintf("Line %d of a question that somebody made far too long.\n", i+1)
	}
	for i := range 12 {
		q.Options = append(q.Options, ask.Option{
			Value: fmt.Sprint(i), Label: fmt.Sprintf("Option %d", i+1),
			Description: strings.Repeat(fmt.Sprintf("Description of option %d, which goes on. ", i+1), 5),
		})
	}
	return entry(c, "long-winded", "l1", time.Minute, &ask.Request{Questions: []ask.Question{q}})
}

func TestScreens(t *testing.T) {
	sizes := [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 60}}
	for _, scene := range scenes {
		for _, size := range sizes {
			name := fmt.Sprintf("%s-%dx%d", scene.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				s := newStage(t, size[0], size[1])
				scene.make(s)
				golden(t, name, s.frame())
			})
		}
	}
}

func five(c *clock) *broker.Entry {
	r := &ask.Request{}
	for _, label := range []string{"One", "Two", "Three", "Four", "Five"} {
		r.Questions = append(r.Questions, ask.Question{
			ID: label, Label: label, Prompt: label + "?", Type: ask.Single, Options: []ask.Option{{Value: "a", Label: "A"}},
		})
	}
	return entry(c, "five", "f1", time.Minute, r)
}
