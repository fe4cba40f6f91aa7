package ui

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"askd/broker/ask"
)

// Text of agents, files and sessions enters the pane through shown and shownLine alone.

// shown makes supplied text fit to be drawn; line ends stay.
func shown(s string) string {
	return strings.ReplaceAll(ask.Clean(s), "\t", "    ")
}

// shownLine makes supplied text fit to be drawn on one line.
func shownLine(s string) string {
	return strings.ReplaceAll(ask.CleanLine(s), "\t", " ")
}

// width is the columns that s takes.
func width(s string) int {
	for i := 0; i < len(s); {
		n := simple(s[i:])
		if n == 0 {
			return columnsOf(s[:i]) + uniseg.StringWidth(s[i:])
		}
		i += n
	}
	return columnsOf(s)
}

// columnsOf is the width of a text of simple characters.
func columnsOf(s string) int { return utf8.RuneCountInString(s) }

// simple is the length of the character at the beginning of s when it is a plain one of one column with nothing joined to
// it: ASCII or a piece of a line. Most of a screen is; looking all of it up would be most of a frame's work. Else 0.
func simple(s string) int {
	n := 1
	switch {
	case s[0] >= ' ' && s[0] < 0x7f:
	case len(s) >= 3 && s[0] == 0xe2 && (s[1] == 0x94 || s[1] == 0x95):
		n = 3
	default:
		return 0
	}
	if len(s) == n || s[n] < 0x80 || n == 3 && s[n] == 0xe2 && len(s) > n+1 && (s[n+1] == 0x94 || s[n+1] == 0x95) {
		return n
	}
	return 0
}

// cluster takes the first character off s.
func cluster(s string) (first, rest string, columns int) {
	if n := simple(s); n > 0 {
		return s[:n], s[n:], 1
	}
	first, rest, columns, _ = uniseg.FirstGraphemeClusterInString(s, -1)
	return first, rest, columns
}

// cut shortens s to columns, with a sign when something is missing.
func cut(s string, columns int) string {
	if width(s) <= columns {
		return s
	}
	if columns <= 0 {
		return ""
	}
	head, _ := splitAt(s, columns-1)
	return head + "…"
}

// splitAt cuts s after at most columns columns, between graphemes.
func splitAt(s string, columns int) (head, tail string) {
	rest, used := s, 0
	for rest != "" {
		_, next, w := cluster(rest)
		if used+w > columns {
			break
		}
		used += w
		rest = next
	}
	return s[:len(s)-len(rest)], rest
}

// pad fills s with spaces up to columns.
func pad(s string, columns int) string {
	if n := columns - width(s); n > 0 {
		return s + strings.Repeat(" ", n)
	}
	return s
}

// wrap breaks text into lines of at most columns columns, at word ends where it can. It gives at least one line.
func wrap(text string, columns int) []string {
	columns = max(columns, 1)
	var out []string
	for _, paragraph := range strings.Split(text, "\n") {
		out = append(out, wrapLine(strings.TrimSuffix(paragraph, "\r"), columns)...)
	}
	return out
}

func wrapLine(text string, columns int) []string {
	var out []string
	line, used, state := "", 0, -1
	for text != "" {
		var segment string
		segment, text, _, state = uniseg.FirstLineSegmentInString(text, state)
		w := width(strings.TrimRight(segment, " "))
		if used+w > columns && used > 0 {
			out = append(out, strings.TrimRight(line, " "))
			line, used = "", 0
		}
		for w > columns {
			var head string
			head, segment = splitFirst(segment, columns)
			out = append(out, head)
			w -= width(head) // not measured anew: a word of a megabyte would be measured once a line
		}
		line += segment
		used += width(segment)
	}
	return append(out, strings.TrimRight(line, " "))
}

// splitFirst is splitAt that always takes something, so that a wide character in one column does not loop.
func splitFirst(s string, columns int) (head, tail string) {
	if head, tail = splitAt(s, columns); head != "" {
		return head, tail
	}
	head, tail, _ = cluster(s)
	return head, tail
}

// age says how long ago something was, in as few columns as will do.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	default:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	}
}

// ago is age in words.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	default:
		return fmt.Sprintf("%d d ago", d/(24*time.Hour))
	}
}

// took says how long something lasted.
func took(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(1, d.Round(time.Second)/time.Second))
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	default:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
}

// wrapCache remembers the lines of long texts: a frame is drawn for every key. The zero value is ready.
type wrapCache struct {
	lines map[wrapKey][]string
	size  int
}

type wrapKey struct {
	text    string
	columns int
}

// maxWrapped is how many bytes of text the cache holds before it begins anew: a few of the largest contexts.
const maxWrapped = 8 << 20

// wrap is shown and wrap of supplied text.
func (c *wrapCache) wrap(text string, columns int) []string {
	key := wrapKey{text, columns}
	if lines, ok := c.lines[key]; ok {
		return lines
	}
	if c.lines == nil || c.size > maxWrapped || len(c.lines) > 4096 {
		c.lines, c.size = map[wrapKey][]string{}, 0
	}
	lines := wrap(strings.TrimRight(shown(text), "\n "), columns)
	c.lines[key] = lines
	c.size += len(text)
	return lines
}
