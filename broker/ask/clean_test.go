package ask_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"askd/broker/ask"
	"askd/broker/ask/asktest"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "Ship it?\nYes.", "Ship it?\nYes."},
		{"empty", "", ""},
		{"clipboard write", "a\x1b]52;c;QQ==\ab", "a␛]52;c;QQ==␇b"},
		{"clear screen", "\x1b[2J", "␛[2J"},
		{"raw C1 byte", "\x9b31m", "\uFFFD31m"},
		{"encoded C1", "\u009b31m\u0085", "\uFFFD31m\uFFFD"},
		{"NUL, DEL", "\x00\x7f", "␀␡"},
		{"CR LF", "a\r\nb", "a\nb"},
		{"lone CR", "a\rb", "a␍b"},
		{"tab", "a\tb", "a    b"},
		{"invalid UTF-8", "a\xffb\xc3", "a\uFFFDb\uFFFD"},
		{"lone surrogate", "\xed\xa0\x80", "\uFFFD\uFFFD\uFFFD"},
		{"bidi override", "a\u202Eb\u2066c\u2069", "a\uFFFDb\uFFFDc\uFFFD"},
		{"bidi marks", "a\u200Eb\u200Fc\u061Cd", "abcd"},
		{"zero width", "a\u200Bb\u2060c\uFEFFd\u00ADe", "abcde"},
		{"line separator", "a\u2028b\u2029c", "a\nb\nc"},
		{"emoji family", "👨‍👩‍👧‍👦!", "👨‍👩‍👧‍👦!"},
		{"emoji selectors", "❤️‍🔥 ✈︎", "❤️‍🔥 ✈︎"},
		{"skin tone", "👍🏽", "👍🏽"},
		{"flags", "🇨🇭 🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🇨🇭 🏴󠁧󠁢󠁥󠁮󠁧󠁿"},
		{"tags elsewhere", "a\U000E0067\U000E0062b", "ab"},
		{"Persian", "می\u200cروم", "می\u200cروم"},
		{"Bengali", "র\u200d্য", "র\u200d্য"},
		{"Hangul letters", "각각", "각각"},
		{"Hangul letters in pieces", "\u1100\u1161\u11A8 \uAC00\u11A8", "\u1100\u1161\u11A8 \uAC00\u11A8"},
		{"lone vowel", "a\u1161 \u1161b", "a\uFFFD \uFFFDb"},
		{"lone final", "\u11A8\u1100\u11A8\uD7CB", "\uFFFD\u1100\uFFFD\uFFFD"},
		{"vowel after a final", "\uAC01\u1161\u1161", "\uAC01\uFFFD\uFFFD"},
		{"Hangul flood", "\u1100" + strings.Repeat("\u1161", 50), "\u1100" + strings.Repeat("\u1161", 8)},
		{"halfwidth voiced", "\uFF76\uFF9E\uFF8A\uFF9F", "\uFF76\u3099\uFF8A\u309A"},
		{"voiced on nothing", "\uFF9E", "\u25CC\u3099"},
		{"wide by itself", "\u3030\u3030 \u3297\uFE0E\u0301\uFE0E", "\u3030\uFE0F\u3030\uFE0F \u3297\uFE0F\u0301"},
		{"accents", "Ame\u0301lie", "Ame\u0301lie"},
		{"mark flood", "a" + strings.Repeat("\u0301", 50), "a" + strings.Repeat("\u0301", 8)},
		{"joiner flood", "a" + strings.Repeat("\u200D", 50) + "b", "a\u200Db"},
		{"tone flood", "👍" + strings.Repeat("🏽", 50), "👍" + strings.Repeat("🏽", 8)},
		{"joiner at the end", "a\u200D", "a"},
		{"mark on nothing", "\u0301a\n\u0301", "◌\u0301a\n◌\u0301"},
		{"selector on nothing", "\uFE0Fa", "a"},
		{"nonframes", "a\uFDD0\uFFFE\U0001FFFFb", "a\uFFFD\uFFFD\uFFFDb"},
		{"private use", "\uE0A0", "\uE0A0"},
		{"wide and no-break space", "a\u3000b\u00A0c", "a\u3000b\u00A0c"},
		{"tview tags stay", "[red]x", "[red]x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ask.Clean(c.in); got != c.want {
				t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestCleanJoinerChainIsCut(t *testing.T) {
	got := ask.Clean(strings.Repeat("👩\u200D", 100) + "👩")
	longest := 0
	for _, run := range strings.Split(strings.ReplaceAll(got, "👩\u200D", "j"), "👩") {
		longest = max(longest, len(run))
	}
	if longest > 8 || strings.Count(got, "👩") != 101 {
		t.Errorf("%d joined in a row of %d", longest, strings.Count(got, "👩"))
	}
}

func TestCleanLine(t *testing.T) {
	for in, want := range map[string]string{
		"a\nb\r\nc\u2028d": "a b c d",
		"a\tb":             "a    b",
		"plain":            "plain",
		"\x1b[31m":         "␛[31m",
	} {
		if got := ask.CleanLine(in); got != want {
			t.Errorf("CleanLine(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "a\x1b[2J", "👨‍👩‍👧", "e\u0301\u0301", "\u200D\u200C", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "\u1160\u11A8", "a\u200D\u0301\u200Db", "\r\r\n\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := ask.Clean(s)
		if !utf8.ValidString(got) {
			t.Fatalf("invalid UTF-8: %q", got)
		}
		if again := ask.Clean(got); again != got {
			t.Fatalf("not stable: %q, then %q", got, again)
		}
		if line := ask.CleanLine(s); strings.ContainsAny(line, "\n\r\t") {
			t.Fatalf("line with a break: %q", line)
		}
		marks := 0
		for _, r := range got {
			if (unicode.IsControl(r) && r != '\n') || unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("control %U in %q", r, got)
			}
			if marks++; !unicode.Is(unicode.M, r) && r != 0x200D && r != 0x200C {
				marks = 0
			}
			if marks > 20 {
				t.Fatalf("marks pile up: %q", got)
			}
		}
	})
}

// TestCleanHostile sends every hostile text, and each beside each, through the door.
func TestCleanHostile(t *testing.T) {
	all := asktest.Hostile(t, "testdata/hostile.json")
	for _, a := range all {
		if raw := asktest.Raw(ask.Clean(a.Text)); raw != "" {
			t.Errorf("%s: %s", a.Name, raw)
		}
		for _, b := range all {
			if raw := asktest.Raw(ask.CleanLine(a.Text + b.Text)); raw != "" {
				t.Errorf("%s beside %s: %s", a.Name, b.Name, raw)
			}
		}
	}
}
