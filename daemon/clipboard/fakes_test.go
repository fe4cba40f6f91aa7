package clipboard

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
)

// bench is a folder of small programs that stand first, and alone, in PATH. What is tested are the commands that are run:
// each program writes down how it was called.
type bench struct {
	t   *testing.T
	dir string
}

func newBench(t *testing.T) bench {
	t.Helper()
	b := bench{t, t.TempDir()}
	t.Setenv("PATH", b.dir)
	t.Setenv("BENCH", b.dir)
	return b
}

// program puts a shell script into PATH.
func (b bench) program(name, script string) {
	b.t.Helper()
	head := "#!/bin/sh\nprintf '%s' \"" + name + "\" >>\"$BENCH/calls\"; for a; do printf ' [%s]' \"$a\" >>\"$BENCH/calls\"; done; echo >>\"$BENCH/calls\"\n"
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(head+script), 0o755); err != nil {
		b.t.Fatal(err)
	}
}

// file puts bytes beside the programs.
func (b bench) file(name string, data []byte) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), data, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// calls are the commands that were run.
func (b bench) calls() []string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, "calls"))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func linux(pairs ...string) Reader { return reader("linux", pairs...) }

func reader(system string, pairs ...string) Reader {
	return Reader{OS: system, Kernel: "Linux version 6.1.0", Getenv: func(key string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == key {
				return pairs[i+1]
			}
		}
		return ""
	}}
}

// picture is a small drawing with a pixel of every corner's own colour.
func picture() image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	m.Set(0, 0, color.NRGBA{255, 0, 0, 255})
	m.Set(2, 0, color.NRGBA{0, 255, 0, 255})
	m.Set(0, 1, color.NRGBA{0, 0, 255, 255})
	m.Set(2, 1, color.NRGBA{9, 9, 9, 255})
	m.Set(1, 0, color.NRGBA{1, 2, 3, 255})
	m.Set(1, 1, color.NRGBA{4, 5, 6, 255})
	return m
}

// encoded is the drawing in a format.
func encoded(t *testing.T, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch format {
	case "image/png":
		err = png.Encode(&b, picture())
	case "image/jpeg":
		err = jpeg.Encode(&b, picture(), nil)
	case "image/gif":
		err = gif.Encode(&b, picture(), nil)
	case "image/bmp":
		err = bmp.Encode(&b, picture())
	case "image/webp": // one pixel: nothing here writes WebP
		var data []byte
		data, err = base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
		b.Write(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
