package asktest

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Sample is one hostile text that an agent may send in any field.
type Sample struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Hostile reads the hostile texts from path, which is broker/ask/testdata/hostile.json.
func Hostile(t testing.TB, path string) []Sample {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []Sample
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("only %d hostile texts in %s", len(all), path)
	}
	return all
}

// mostMarks is more than any script piles on one character, and less than a flood.
const mostMarks = 20

// Raw looks in what came out of a door for what a terminal may act on or a person cannot see: controls but the line feed,
// characters that turn the direction, line separators, formats without width, bytes that are no UTF-8, piles of marks.
// It gives the first one in words and the text around it, empty when there is none.
func Raw(out string) string {
	marks := 0
	for i, r := range out {
		marks++
		if !unicode.Is(unicode.M, r) {
			marks = 0
		}
		what := ""
		switch {
		case marks > mostMarks:
			what = "a pile of marks"
		case steers(r):
			what = fmt.Sprintf("%U", r)
		case r == utf8.RuneError && out[i] != "\uFFFD"[0]:
			what = fmt.Sprintf("byte %#x", out[i])
		}
		if what != "" {
			return fmt.Sprintf("%s in %q", what, out[max(0, i-40):min(len(out), i+20)])
		}
	}
	return ""
}

func steers(r rune) bool {
	return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == 0x2028 || r == 0x2029 ||
		r >= 0x2060 && r <= 0x2064 || r == 0x200B || r == 0xFEFF || r == 0xAD || r == 0x180E || r >= 0xFFF9 && r <= 0xFFFB || r >= 0xE0000 && r <= 0xE001F)
}
