package files

import (
	"strings"
	"testing"
)

// FuzzToken: what is found stands in the text, and a path that completes a reference is found again as it is.
func FuzzToken(f *testing.F) {
	for _, s := range []string{"", "@", "see @src/ma", `@"a b`, `@"a b" `, "a@b", "(@x", "@@", "é@", "\n@a\tb", `"@"`} {
		f.Add(s, "src/a b.go")
	}
	f.Fuzz(func(t *testing.T, before, path string) {
		at, query, ok := Token(before)
		if ok && (before[at] != '@' || !strings.HasSuffix(before, query) || strings.ContainsRune(query, '\n')) {
			t.Fatalf("Token(%q) = %d, %q", before, at, query)
		}
		if path == "" || strings.ContainsFunc(path, unprintable) || strings.ContainsAny(path, "\"@") {
			return
		}
		ref := Reference(path)
		typed := strings.TrimSuffix(strings.TrimSuffix(ref, " "), `"`)
		at, query, ok = Token("see " + typed)
		if !ok || at != len("see ") || query != path {
			t.Fatalf("Reference(%q) = %q, of which Token finds %d, %q, %v", path, ref, at, query, ok)
		}
	})
}
