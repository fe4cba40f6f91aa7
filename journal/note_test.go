package journal

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"
)

func saveNote(tb testing.TB, j *Journal, name, value string) error {
	tb.Helper()
	return wait(tb, func(done func(error)) { j.SaveNote(name, []byte(value), done) })
}

// TestNotesAreKept: the newest value of a note stands over a restart and a compaction, an empty one removes it, and a file
// with notes is a whole one.
func TestNotesAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "askd.db")
	j := openTest(t, Options{Path: path})
	for _, value := range []string{"one", "two"} {
		must(t, saveNote(t, j, "quiet", value))
	}
	must(t, saveNote(t, j, "other", "x"))
	must(t, saveNote(t, j, "other", ""))
	if _, err := j.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	must(t, j.Close())
	j = openTest(t, Options{Path: path})
	for name, want := range map[string]string{"quiet": "two", "other": "", "never": ""} {
		got, err := j.Note(name)
		if err != nil || string(got) != want {
			t.Errorf("note %s is %q, %v; want %q", name, got, err, want)
		}
	}
	if err := saveNote(t, j, "long", string(bytes.Repeat([]byte("x"), MaxNote+1))); !errors.Is(err, ErrNoteTooLong) {
		t.Errorf("a note over the limit gave %v", err)
	}
}
