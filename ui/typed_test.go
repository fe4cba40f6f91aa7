package ui

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestTyped: what tcell is given of what a terminal sends. Each read comes after the time before it.
func TestTyped(t *testing.T) {
	type read struct {
		after time.Duration
		bytes string
	}
	const soon = time.Millisecond
	for _, c := range []struct {
		name  string
		reads []read
		want  string
	}{
		{"keys", []read{{0, "a\x1b[A\x1bOB\x1b[1;5C\x1b[<0;3;4M\x03\r"}}, "a\x1b[A\x1bOB\x1b[1;5C\x1b[<0;3;4M\x03\r"},
		{"Alt+]", []read{{0, "\x1b]"}, {soon, "x"}}, "\x1b[93;3ux"},
		{"Alt+] in two reads", []read{{0, "\x1b"}, {soon, "]x"}}, "\x1b\x1b[93;3ux"},
		{"Esc, then ]", []read{{0, "\x1b"}, {time.Second, "]x"}}, "\x1b]x"},
		{"others of its kind", []read{{0, "\x1bX\x1b^\x1b_\x1bP"}}, "\x1b[88;3u\x1b[94;3u\x1b[95;3u\x1b[80;3u"},
		{"an answer to another program", []read{{0, "\x1bP>|tmux 3.3a\x1b\\\x1bP1+r544e=11\x1b\\a"}}, "a"},
		{"one whose Esc stands alone", []read{{0, "\x1b"}, {soon, "P1+r11\x1b\\a"}}, "\x1b_1+r11\x1b\\a"},
		{"an answer that nobody asked for", []read{{0, "a\x1b]11;rgb:ff/ff/ff\x1b\\b\x1b]0;x\ac"}}, "abc"},
		{"its Esc alone", []read{{0, "\x1b"}, {soon, "]0;x\ac"}}, "\x1b_0;x\ac"},
		{"a string that ends in a key", []read{{0, "\x1b]0;x\x1b[A"}}, "\x1b[93;3u0;x\x1b[A"},
		{"Esc twice at once", []read{{0, "\x1b\x1b"}}, "\x1b[27u\x1b"},
		{"Esc held over a slow line", []read{{0, "\x1b\x1b\x1b"}}, "\x1b[27u\x1b[27u\x1b"},
		{"Alt with an arrow", []read{{0, "\x1b\x1b[A"}}, "\x1b\x1b[A"},
		{"the keypad", []read{{0, "\x1bOM\x1bOp\x1bOy\x1bOk\x1bOA\x1bOP"}}, "\r09+\x1bOA\x1bOP"},
		{"the keypad, one alone", []read{{0, "\x1bO"}}, "\x1bO"},
		{"a paste", []read{{0, "\x1b[200~a\tb\r\n" + "ü\x1b[201~c"}}, "\x1b[200~a\tb\r\nü\x1b[201~c"},
		{"a paste in pieces", []read{{0, "\x1b[2"}, {soon, "00~a\x1b"}, {soon, "[20"}, {soon, "1~\x1b[A"}}, "\x1b[200~a\x1b[201~\x1b[A"},
		{"sequences in a paste", []read{{0, "\x1b[200~\x1b[31mred\x1b[0m \x1b[<0;1;1M\x1b[200~\x1b]0;t\a\x1bOA\x1b\x1b[A\x1b[1\r\x1b[201~"}}, "\x1b[200~red ]0;t\aOA\r\x1b[201~"},
		{"one that is too long", []read{{0, "\x1b[200~\x1b[" + strings.Repeat("1", 40) + "\x1b[201~"}}, "\x1b[200~" + strings.Repeat("1", 9) + "\x1b[201~"},
		{"no end, then Esc", []read{{0, "\x1b[200~a"}, {2 * time.Second, "\x1b"}, {soon, "\x1b[A"}}, "\x1b[200~a\x1b[201~\x1b[A"},
		{"no end, then Ctrl+C", []read{{0, "\x1b[200~a"}, {2 * time.Second, "\x03"}, {soon, "b"}}, "\x1b[200~a\x1b[201~b"},
		{"no end, then Ctrl+C of a kitty", []read{{0, "\x1b[200~a"}, {2 * time.Second, "\x1b[99;5u"}, {soon, "b"}}, "\x1b[200~a\x1b[201~b"},
		{"a slow paste", []read{{0, "\x1b[200~a"}, {2 * time.Second, "\r"}, {2 * time.Second, "1"}, {2 * time.Second, "\x1b[201~"}}, "\x1b[200~a\r1\x1b[201~"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var typing typed
			now, got := time.Unix(0, 0), ""
			for _, r := range c.reads {
				now = now.Add(r.after)
				got += string(typing.take([]byte(r.bytes), now))
			}
			if got != c.want {
				t.Errorf("%q\nwant %q", got, c.want)
			}
		})
	}
}

// written is a form whose own answer is being typed on a real terminal screen.
func written(t *testing.T, locale string) (*stage, *countingTTY) {
	t.Helper()
	s, tty := onTTY(t)
	t.Setenv("LC_ALL", locale)
	s.pane.tail = time.Second // whatever else the machine does
	s.desk.ask(storage(s.clock))
	ctx, cancel := context.WithCancel(context.Background())
	go func() { s.done <- s.pane.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-s.done; err != nil {
			t.Error(err)
		}
	})
	s.until("the form", func() bool { return len(s.desk.made("shown")) > 0 })
	s.clock.pass(time.Second)
	tty.send("4")
	s.until("the editor", func() bool { return s.editing() })
	s.clock.pass(time.Second)
	return s, tty
}

// TestHostilePastes: a paste is text, whatever it holds, and the keys after it are keys.
func TestHostilePastes(t *testing.T) {
	for name, c := range map[string]struct{ paste, want string }{
		"its own end and Enter":  {"a\x1b[201~\r\r\r1", "a\n\n\n1"},
		"its own end and Esc":    {"a\x1b[201~\x1b\x1b\x03\x03", "a"},
		"its own end and clicks": {"a\x1b[201~\x1b[<0;5;8M\x1b[<0;5;8m", "a"},
		"two ends":               {"a\x1b[201~b\x1b[201~\r", "ab\n"},
		"clicks":                 {"a\x1b[<0;5;8M\x1b[<0;5;8m", "a"},
		"keys":                   {"a\x1b[A\x1b\r\x1b[13;5u", "a\n"},
		"a title without end":    {"a\x1b]0;b", "a]0;b"},
	} {
		t.Run(name, func(t *testing.T) {
			s, tty := written(t, "C.UTF-8")
			tty.send("\x1b[200~" + c.paste + "\x1b[201~")
			s.until("the paste", func() bool { return s.typed() == c.want })
			tty.send("z")
			s.until("a key after it", func() bool { return s.typed() == c.want+"z" })
			if calls := append(s.desk.made("submit"), s.desk.made("cancel")...); len(calls) != 0 {
				t.Errorf("a paste ended the form: %v", calls)
			}
		})
	}
}

// TestAltWithABracketKeepsTheKeys: what begins a terminal's string is a key like any other.
func TestAltWithABracketKeepsTheKeys(t *testing.T) {
	s, tty := written(t, "C.UTF-8")
	tty.send("a\x1b]b\x1b_c")
	s.until("the keys after it", func() bool { return s.typed() == "abc" })
	tty.send("\x1bP1+r544e=11\x1b\\d")
	s.until("the key after what a terminal says", func() bool { return s.typed() == "abcd" })
}

// TestEscTwiceAtOnce: two Esc that arrive together are two, the first for the editor and the other for the form.
func TestEscTwiceAtOnce(t *testing.T) {
	s, tty := written(t, "C.UTF-8")
	tty.send("\x1b\x1b")
	s.until("the form to end", func() bool {
		s.clock.pass(secondAfter)
		return len(s.desk.made("cancel")) == 1
	})
}

// TestLocales: what is typed is UTF-8 in every locale, and what is drawn is ASCII where the locale is not UTF-8.
func TestLocales(t *testing.T) {
	for locale, ascii := range map[string]bool{"C": true, "POSIX": true, "de_DE.ISO-8859-1": true, "C.UTF-8": false, "en_US.utf8": false, "de_DE.utf8@euro": false} {
		t.Run(locale, func(t *testing.T) {
			s, tty := written(t, locale)
			tty.send("äö漢x")
			s.until("what was typed", func() bool { return s.typed() == "äö漢x" })
			s.until("a frame", func() bool { return s.inLoop(func() bool { return s.pane.screen.Load().shown != nil }) })
			isASCII := strings.IndexFunc(tty.take(), func(r rune) bool { return r > '~' }) < 0
			if isASCII != ascii {
				t.Errorf("drawn in ASCII: %v", isASCII)
			}
		})
	}
}

// TestOneCell: nothing that is typed reaches beyond its cell.
func TestOneCell(t *testing.T) {
	s := newStage(t, 80, 24)
	s.frame()
	f := s.pane.screen.Load()
	for in, want := range map[string]string{
		"e\u0301": "e\u0301", "👨\u200d": "👨", "👨\u200d👩\u200d": "👨\u200d👩", "👨\u200d👩": "👨\u200d👩",
		"a" + strings.Repeat("\u0301", 1000): "a" + strings.Repeat("\u0301", 8), "\u1161": "\ufffd", "\u1100\u1161": "\u1100\u1161",
		"ｶﾞ": "ｶ\u3099", "\u200d": " ", "\u202e": "·", "漢": "漢", "❤\ufe0f": "❤\ufe0f",
	} {
		if got := f.drawable(in); got != want {
			t.Errorf("%q is drawn as %q, want %q", in, got, want)
		}
	}
}
