package ui

import (
	"strings"
	"testing"
)

// TestWrapHugeWord: a word of a megabyte is broken in one pass over it; measured anew for each line it took minutes.
func TestWrapHugeWord(t *testing.T) {
	for name, unit := range map[string]string{"narrow": "x", "wide": "日\u2060", "marks": "*"} {
		word := strings.Repeat(unit, 1<<20/len(unit))
		for _, columns := range []int{1, 2, 7, 80} {
			lines := wrap(word, columns)
			if got := strings.Join(lines, ""); got != word {
				t.Errorf("%s at %d columns: %d bytes became %d", name, columns, len(word), len(got))
			}
			for _, l := range lines {
				if w := width(l); w > max(columns, 2) {
					t.Fatalf("%s at %d columns: a line of %d", name, columns, w)
				}
			}
		}
	}
}
