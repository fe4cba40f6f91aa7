package ui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// plain are lines as text, the ends of lines without blanks.
func plain(lines []line) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimRight(l.String(), " ")
	}
	return out
}

func TestMarkdownLines(t *testing.T) {
	tests := []struct {
		name, source string
		columns      int
		want         []string
	}{
		{"nothing", "", 20, []string{}},
		{"a heading and a paragraph", "# One\ntwo *three* **four** `five`", 40, []string{"One", "", "two three four five"}},
		{"line ends stay", "one\ntwo  \nthree", 40, []string{"one", "two", "three"}},
		{"wrapped across pieces", "aaa **bbb ccc** ddd", 7, []string{"aaa bbb", "ccc ddd"}},
		{"a tight list", "- one\n- two\n  goes on", 40, []string{"- one", "- two", "  goes on"}},
		{"numbers", "7. one\n8. two", 40, []string{"7. one", "8. two"}},
		{"lists in lists", "- one\n  1. two\n  2. three", 40, []string{"- one", "  1. two", "  2. three"}},
		{"a loose list", "- one\n\n- two", 40, []string{"- one", "", "- two"}},
		{"a quote", "> one\n> two\n>\n> > three", 40, []string{"│ one", "│ two", "│", "│ │ three"}},
		{"code", "```go\nfunc *x*\n\n  y\n```", 40, []string{"  func *x*", "", "    y"}},
		{"indented code", "    a\n    b", 40, []string{"  a", "  b"}},
		{"a rule", "a\n\n---\n\nb", 5, []string{"a", "", "─────", "", "b"}},
		{"links", "[here](https://a.b/c) <https://d.e> ![pic](p.png)", 60, []string{"here (https://a.b/c) https://d.e pic (p.png)"}},
		{"a link that says where it leads", "[https://a.b](https://a.b)", 60, []string{"https://a.b"}},
		{"HTML is text", "<b>a</b> x\n\n<div>\ny\n</div>", 40, []string{"<b>a</b> x", "", "<div>", "y", "</div>"}},
		{"escapes and entities", `\*a\* &amp; &lt;x&gt;`, 40, []string{"*a* & <x>"}},
		{"entities of control characters", "a&#27;[2Jb &#x202e;c", 40, []string{"a␛[2Jb \ufffdc"}},
		{"a table is text", "| a | b |\n| - | - |\n| 1 | 2 |", 40, []string{"| a | b |", "| - | - |", "| 1 | 2 |"}},
		{"wide characters", "日本語の**答え**です", 7, []string{"日本語", "の答え", "です"}},
		{"an empty item", "-\n- b", 40, []string{"-", "- b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, plain(drawn.markdown(tt.source, tt.columns))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMarkdownRoles(t *testing.T) {
	got := drawn.markdown("*a* **b** `c` d", 40)[0]
	want := line{
		{text: "a", role: roleEmphasis}, {text: " "}, {text: "b", role: roleStrong}, {text: " "}, {text: "c", role: roleCode}, {text: " d"},
	}
	if diff := cmp.Diff(want.String(), got.String()); diff != "" {
		t.Error(diff)
	}
	roles := map[string]role{}
	for _, s := range got {
		roles[strings.TrimSpace(s.text)] = s.role
	}
	if roles["a"] != roleEmphasis || roles["b"] != roleStrong || roles["c"] != roleCode || roles["d"] != rolePlain {
		t.Errorf("%v", got)
	}
}

// A list whose number takes all the room but a column leaves none to a wide character.
func TestMarkdownNumbersLeaveRoom(t *testing.T) {
	for _, l := range drawn.markdown("> > 1. 999999999. 999999999. 日本", 30) {
		if l.width() > 30 {
			t.Errorf("%d columns in 30: %q", l.width(), l.String())
		}
	}
}

// Hostile Markdown: no panic, nothing that is wider than it may be, nothing a terminal would obey.
func TestHostileMarkdown(t *testing.T) {
	pieces := []string{
		"> ", "- ", "1. ", "# ", "*", "**", "`", "```\n", "[", "](", ")", "<", ">", "\n", "\n\n", "    ", "\t", "a", "日本", "&#27;", "&#0;", "\x1b", "\r", "\x00", "\xff", "---\n",
		"| ", "![", "word ", "\u202e", "e\u0301", "<!--", "]: ", "\\", "999999999. ",
	}
	rapid.Check(t, func(rt *rapid.T) {
		source := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 120).Draw(rt, "pieces"), "")
		columns := rapid.IntRange(1, 60).Draw(rt, "columns")
		for _, l := range drawn.markdown(source, columns) {
			if n := l.width(); n > max(2, columns) {
				rt.Fatalf("%d columns in %d: %q", n, columns, l.String())
			}
			if strings.ContainsAny(l.String(), "\x00\x1b\r\n\t\u202e") {
				rt.Fatalf("a control character in %q", l.String())
			}
		}
	})
}

// Deep and long texts end, and end soon: what is looked at as Markdown is bounded.
func TestMarkdownIsBounded(t *testing.T) {
	for name, source := range map[string]string{
		"quotes": strings.Repeat(">", 1<<20), "lists": strings.Repeat("- ", 1<<19), "brackets": strings.Repeat("[", 1<<20), "stars": strings.Repeat("*a_ ", 1<<18),
		"emphasis": strings.Repeat("*a*\n", 1<<18), "words": strings.Repeat("日本語", 1<<18), "backticks": strings.Repeat("`a``b```c", 1<<16), "links": strings.Repeat("[a](", 1<<18),
	} {
		t.Run(name, func(t *testing.T) {
			lines := drawn.markdown(source, 40)
			if last := lines[len(lines)-1].String(); last != "…" {
				t.Errorf("nothing says that there is more: %q", last)
			}
		})
	}
}
