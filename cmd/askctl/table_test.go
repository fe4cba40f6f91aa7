package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"
)

func sample() *table {
	t := &table{columns: []column{{head: "#", right: true}, {head: "SESSION", min: 8}, {head: "FORM", min: 6}, {head: "REQUEST", below: true}}}
	t.add(cell{text: "1"}, cell{text: "checkout-api"}, cell{text: "Storage layout"}, cell{text: "8f14e45f"})
	t.add(cell{text: "12"}, cell{text: "文書サイト"}, cell{}, cell{text: "9a33"})
	return t
}

func TestTable(t *testing.T) {
	for _, row := range []struct {
		name  string
		width int
		want  string
	}{
		{"as wide as it likes", 0, `
 #  SESSION       FORM            REQUEST
 1  checkout-api  Storage layout  8f14e45f
12  文書サイト                    9a33
`},
		{"columns shrink, the widest first", 34, `
 #  SESSION    FORM       REQUEST
 1  checkout…  Storage …  8f14e45f
12  文書サイ…             9a33
`},
		{"the last column goes below", 20, `
 #  SESSION   FORM
 1  checkou…  Stora…
  8f14e45f
12  文書サ…
  9a33
`},
	} {
		t.Run(row.name, func(t *testing.T) {
			var buf bytes.Buffer
			sample().write(&output{w: &buf, width: row.width})
			if diff := cmp.Diff(strings.TrimPrefix(row.want, "\n"), buf.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestTableFits: above its smallest width a table never is wider than the terminal, and nothing but blanks is at the end
// of a line.
func TestTableFits(t *testing.T) {
	for width := 21; width < 60; width++ {
		var buf bytes.Buffer
		sample().write(&output{w: &buf, width: width})
		for line := range strings.Lines(buf.String()) {
			line = strings.TrimSuffix(line, "\n")
			if uniseg.StringWidth(line) > width {
				t.Errorf("width %d: %q is %d wide", width, line, uniseg.StringWidth(line))
			}
			if strings.TrimRight(line, " ") != line {
				t.Errorf("width %d: %q ends with blanks", width, line)
			}
		}
	}
}

func TestCut(t *testing.T) {
	for _, row := range []struct {
		text  string
		width int
		want  string
	}{
		{"short", 5, "short"},
		{"shorter", 5, "shor…"},
		{"文書サイト", 10, "文書サイト"},
		{"文書サイト", 9, "文書サイ…"},
		{"文書サイト", 8, "文書サ…"},
		{"a👩‍👩‍👧‍👦b", 3, "a…"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"x", 0, ""},
		{"", 0, ""},
		{"xy", 1, "…"},
	} {
		got := cut(row.text, row.width)
		if got != row.want {
			t.Errorf("cut(%q, %d) = %q, want %q", row.text, row.width, got, row.want)
		}
		if uniseg.StringWidth(got) > row.width {
			t.Errorf("cut(%q, %d) is %d wide", row.text, row.width, uniseg.StringWidth(got))
		}
	}
}

func TestTableColour(t *testing.T) {
	var buf bytes.Buffer
	tab := &table{columns: []column{{head: "A"}, {head: "B"}}}
	tab.add(cell{"x", yellow}, cell{"y", plain})
	tab.write(&output{w: &buf, colour: true})
	if want := "\x1b[1mA\x1b[0m  \x1b[1mB\x1b[0m\n\x1b[33mx\x1b[0m  y\n"; buf.String() != want {
		t.Errorf("%q, want %q", buf.String(), want)
	}
}
