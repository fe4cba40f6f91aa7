package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf16"

	"golang.org/x/term"

	"askd/broker"
	"askd/broker/ask"
)

// output is one of the two streams that a person or a script reads. The zero value is not usable.
type output struct {
	w      io.Writer
	width  int  // columns of the terminal; 0 when it is none
	colour bool // only on a terminal, and not with NO_COLOR
	// size measures the terminal anew; nil where the cursor cannot be moved.
	size func() (columns, rows int)
}

// kept is a stream that remembers the first write that failed: most of what is printed is not looked after.
type kept struct {
	io.Writer
	lost error
}

// Write passes p on.
func (k *kept) Write(p []byte) (int, error) {
	n, err := k.Writer.Write(p)
	if k.lost == nil {
		k.lost = err
	}
	return n, err
}

// lost is why some of what was printed has not got out, nil when all has.
func (o *output) lost() error {
	if k, ok := o.w.(*kept); ok {
		return k.lost
	}
	return nil
}

// newOutput looks once at what a stream is.
func newOutput(f *os.File, getenv func(string) string) *output {
	o := &output{w: &kept{Writer: f}}
	fd := int(f.Fd())
	if !term.IsTerminal(fd) {
		return o
	}
	o.colour = getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
	size := func() (columns, rows int) {
		columns, rows, err := term.GetSize(fd)
		if err != nil || columns <= 0 || rows <= 0 {
			return 80, 24
		}
		return columns, rows
	}
	o.width, _ = size()
	if getenv("TERM") != "dumb" {
		o.size = size
	}
	return o
}

// Write passes on what needs no cleaning: askctl's own words.
func (o *output) Write(p []byte) (int, error) { return o.w.Write(p) }

func (o *output) printf(format string, args ...any) { fmt.Fprintf(o.w, format, args...) }

// line and text are the one door for what agents, files and askd supply: nothing in it can steer the terminal.
func (o *output) line(s string) string { return ask.CleanLine(s) }
func (o *output) text(s string) string { return ask.Clean(s) }

// style is an SGR parameter list.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	yellow style = "33"
	cyan   style = "36"
	green  style = "32"
	red    style = "31"
)

// hueStyles are the colours of sessions, as the pane has them.
var hueStyles = [broker.Hues]style{"1;32", "1;33", "1;34", "1;35", "1;36", "1;31"}

// hueStyle is how the name of a session is shown; 0 is no colour.
func hueStyle(hue int) style {
	if hue < 1 || hue > len(hueStyles) {
		return bold
	}
	return hueStyles[hue-1]
}

func (o *output) paint(s style, text string) string {
	if !o.colour || s == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// writeJSON prints a value as indented JSON. Values stay as they came, but what could steer a terminal is written as
// \u escapes, which read back as the same text.
func (o *output) writeJSON(v any) error {
	return o.encode(v, "  ")
}

// writeJSONLine is writeJSON on one line.
func (o *output) writeJSONLine(v any) error { return o.encode(v, "") }

func (o *output) encode(v any, indent string) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode JSON: %w", err)
	}
	_, err := io.WriteString(o.w, escapeControls(buf.String()))
	return err
}

// jsonArray prints an array piece by piece, as writeJSON prints a whole one. end must be called, also when it is empty.
type jsonArray struct {
	o *output
	n int
}

func (w *jsonArray) add(elements []json.RawMessage) error {
	var buf bytes.Buffer
	for _, raw := range elements {
		before := ",\n  "
		if w.n == 0 {
			before = "[\n  "
		}
		buf.WriteString(before)
		w.n++
		if err := json.Indent(&buf, raw, "  ", "  "); err != nil {
			return fmt.Errorf("encode JSON: %w", err)
		}
	}
	_, err := io.WriteString(w.o.w, escapeControls(buf.String()))
	return err
}

func (w *jsonArray) end() error {
	text := "\n]\n"
	if w.n == 0 {
		text = "[]\n"
	}
	_, err := io.WriteString(w.o.w, text)
	return err
}

// escapeControls writes characters that a terminal may act on, or that nobody sees, as \u escapes. In JSON they stand only
// inside strings: those below U+0020 are escaped by the encoder, and its own line breaks are kept.
func escapeControls(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || !steers(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// steers reports whether a terminal may act on r or shows nothing for it: controls, line separators and the characters
// that only format, marks and overrides of direction among them, but for the joiners that emoji and several scripts need.
func steers(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) && r != 0x200c && r != 0x200d
}
