package ui

import (
	"fmt"
	"strings"
	"time"

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

func width(s string) int { return uniseg.StringWidth(s) }

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
	rest, used, state := s, 0, -1
	for rest != "" {
		cluster, next, w, newState := uniseg.FirstGraphemeClusterInString(rest, state)
		if used+w > columns {
			break
		}
		used += w
		rest, state = next, newState
		_ = cluster
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
			w = width(strings.TrimRight(segment, " "))
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
	head, tail, _, _ = uniseg.FirstGraphemeClusterInString(s, -1)
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
