package export

import (
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"askd/broker/ask"
)

var errBroken = errors.New("broken record")

// seq yields the records and then, when there is one, the error.
func seq(err error, records ...ask.Record) iter.Seq2[ask.Record, error] {
	return func(yield func(ask.Record, error) bool) {
		for _, rec := range records {
			if !yield(rec, nil) {
				return
			}
		}
		if err != nil {
			yield(ask.Record{}, err)
		}
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func TestFileIsNewAndPrivate(t *testing.T) {
	for _, format := range []Format{"", FormatMarkdown, FormatJSONLines} {
		path := filepath.Join(t.TempDir(), "out")
		must(t, Write(path, seq(nil, everything()), format))
		info, err := os.Lstat(path)
		must(t, err)
		if info.Mode() != 0o600 || info.Size() == 0 {
			t.Errorf("%q: %v, %d bytes", format, info.Mode(), info.Size())
		}
	}
}

func TestFileErrors(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must(t, os.WriteFile(at("file"), []byte("kept"), 0o600))
	must(t, os.Symlink(at("file"), at("link")))
	must(t, os.Symlink(at("nowhere"), at("dangling")))
	must(t, os.Mkdir(at("folder"), 0o700))
	must(t, syscall.Mkfifo(at("fifo"), 0o600)) // opening it would wait for a reader
	for _, c := range []struct {
		name, want string
		errno      syscall.Errno
	}{
		{"folder", "EEXIST: file already exists, open '%'", syscall.EEXIST},
		{"fifo", "EEXIST: file already exists, open '%'", syscall.EEXIST},
		{"a\x00b", "EINVAL: invalid argument, open '%'", syscall.EINVAL},
		{"file", "EEXIST: file already exists, open '%'", syscall.EEXIST},
		{"link", "EEXIST: file already exists, open '%'", syscall.EEXIST},
		{"dangling", "EEXIST: file already exists, open '%'", syscall.EEXIST},
		{"none/out.md", "ENOENT: no such file or directory, open '%'", syscall.ENOENT},
		{"file/out.md", "ENOTDIR: not a directory, open '%'", syscall.ENOTDIR},
		{strings.Repeat("n", 300), "ENAMETOOLONG: name too long, open '%'", syscall.ENAMETOOLONG},
	} {
		err := Write(at(c.name), seq(nil, everything()), FormatMarkdown)
		if err == nil || err.Error() != strings.ReplaceAll(c.want, "%", at(c.name)) || !errors.Is(err, c.errno) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if kept, err := os.ReadFile(at("file")); err != nil || string(kept) != "kept" {
		t.Errorf("the file in the way holds %q, %v", kept, err)
	}
	if _, err := os.Lstat(at("nowhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a symlink was followed")
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	for _, format := range []Format{FormatMarkdown, FormatJSONLines} {
		if err := Write(path, seq(errBroken, everything(), everything()), format); !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", format, err)
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a file is left", format)
		}
	}
	if err := Write(path, seq(nil), "html"); !errors.Is(err, ErrFormat) {
		t.Errorf("format: %v", err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("format: a file is left")
	}
}

// What has taken the name of a failed export is not removed with it.
func TestFileOfAnotherIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	records := func(yield func(ask.Record, error) bool) {
		must(t, os.Remove(path))
		must(t, os.WriteFile(path, []byte("theirs"), 0o600))
		yield(ask.Record{}, errBroken)
	}
	if err := Write(path, records, FormatMarkdown); !errors.Is(err, errBroken) {
		t.Errorf("err = %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "theirs" {
		t.Errorf("%q, %v", got, err)
	}
}

// A full disk in the middle of an export.
func TestFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Log("no /dev/full here")
		return
	}
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	must(t, err)
	defer f.Close()
	err = describe(Markdown(f, Questions(seq(nil, everything()))))
	if !errors.Is(err, syscall.ENOSPC) || err.Error() != "ENOSPC: no space left on device, write" {
		t.Errorf("err = %v", err)
	}
}
