package clipboard

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	wlTypes    = "wl-paste [--list-types]"
	wlPNG      = "wl-paste [--type] [image/png] [--no-newline]"
	xTypes     = "xclip [-selection] [clipboard] [-t] [TARGETS] [-o]"
	xPNG       = "xclip [-selection] [clipboard] [-t] [image/png] [-o]"
	pngOf      = `/bin/cat "$BENCH/image"`
	offersPNG  = "if [ \"$1\" = --list-types ] || [ \"$4\" = TARGETS ]; then printf 'text/plain\\nimage/png\\n'; else " + pngOf + "; fi"
	offersText = "printf 'TARGETS\\nUTF8_STRING\\ntext/plain\\n'"
	fails      = "exit 1"
	wlEmpty    = "echo 'Nothing is copied' >&2; exit 1"
	xEmpty     = "echo 'Error: target TARGETS not available' >&2; exit 1"
)

var wayland1 = []string{"WAYLAND_DISPLAY", "wayland-1"}

// On Linux the desktop that runs is asked first, and who answers is believed.
func TestLinuxCommands(t *testing.T) {
	tests := []struct {
		name      string
		env       []string
		wl, xclip string // scripts; empty: not installed
		err       error
		calls     []string
	}{
		{"wayland", wayland1, offersPNG, offersPNG, nil, []string{wlTypes, wlPNG}},
		{"wayland without an image", wayland1, offersText, offersPNG, ErrNoImage, []string{wlTypes}},
		{"wayland with nothing", wayland1, wlEmpty, offersPNG, ErrNoImage, []string{wlTypes}},
		{"wayland that fails", wayland1, fails, offersPNG, nil, []string{wlTypes, xTypes, xPNG}},
		{"wayland without its tool", wayland1, "", offersPNG, nil, []string{xTypes, xPNG}},
		{"x11", nil, offersPNG, offersPNG, nil, []string{xTypes, xPNG}},
		{"x11 without an image", nil, "", offersText, ErrNoImage, []string{xTypes}},
		{"x11 with nothing", nil, "", xEmpty, ErrNoImage, []string{xTypes}},
		{"x11 without a display", nil, "", "echo \"Error: Can't open display: (null)\" >&2; exit 1", ErrUnavailable, []string{xTypes}},
		{"no tool at all", nil, "", "", ErrUnavailable, nil},
		{"an image that is gone", nil, "", `[ "$4" = TARGETS ] && echo image/png`, ErrUnavailable, []string{xTypes, xPNG}},
		{"an image of no byte", nil, "", `[ "$4" != TARGETS ] || echo image/png`, ErrNoImage, []string{xTypes, xPNG}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			b.file("image", encoded(t, "image/png"))
			for name, script := range map[string]string{"wl-paste": tt.wl, "xclip": tt.xclip} {
				if script != "" {
					b.program(name, script)
				}
			}
			img, err := linux(tt.env...).Read(t.Context())
			if !errors.Is(err, tt.err) || err == nil && (img.MimeType != "image/png" || !bytes.Equal(img.Data, encoded(t, "image/png"))) {
				t.Errorf("%s of %d bytes, %v, want %v", img.MimeType, len(img.Data), err, tt.err)
			}
			if d := cmp.Diff(tt.calls, b.calls()); d != "" {
				t.Error(d)
			}
		})
	}
}

// The first of PNG, JPEG, WebP and GIF that is offered is taken, then what can be made a PNG.
func TestPreferredType(t *testing.T) {
	tests := []struct {
		offered, want string
		err           error
	}{
		{"image/gif\nimage/webp\nimage/jpeg\nimage/png", "image/png", nil},
		{"image/gif\nimage/webp\nimage/jpeg", "image/jpeg", nil},
		{"image/gif\r\nimage/webp\r\n", "image/webp", nil},
		{"image/bmp\nimage/gif", "image/gif", nil},
		{"image/tiff\nimage/x-bmp", "image/x-bmp", nil},
		{"IMAGE/PNG;q=1", "IMAGE/PNG;q=1", nil},
		{"image/tiff\nimage/svg+xml", "", ErrDecode},
		{"text/html\nSTRING", "", ErrNoImage},
		{"", "", ErrNoImage},
	}
	for _, tt := range tests {
		got, err := pick([]byte(tt.offered))
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%q: %q, %v", tt.offered, got, err)
		}
	}
}

// In the Windows subsystem PowerShell is asked when Linux has no image; its folder is gone afterwards.
func TestWindowsCommands(t *testing.T) {
	const answers = `/bin/cp "$BENCH/image" "$(/bin/cat "$BENCH/folder")/image.png"; printf 'ok\r\n'`
	tests := []struct {
		name, wl, shell string
		err             error
	}{
		{"image", "", answers, nil},
		{"image beside an empty Linux clipboard", wlEmpty, answers, nil},
		{"image beside text on Linux", offersText, answers, nil},
		{"image beside a type that Linux cannot use", "echo image/tiff", answers, nil},
		{"empty", "", `printf 'empty\r\n'`, ErrNoImage},
		{"fails", "", fails, ErrUnavailable},
		{"fails beside an empty Linux clipboard", wlEmpty, fails, ErrNoImage},
		{"says ok without a file", "", "echo ok", ErrUnavailable},
		{"says something else", "", "echo Ausnahme", ErrUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			b.file("image", encoded(t, "image/png"))
			b.program("wslpath", `printf '%s' "$2" >"$BENCH/folder"; echo "C:\\it's"`)
			b.program("powershell.exe", tt.shell)
			if tt.wl != "" {
				b.program("wl-paste", tt.wl)
			}
			img, err := linux("WSL_DISTRO_NAME", "Ubuntu").Read(t.Context())
			if !errors.Is(err, tt.err) || err == nil && img.MimeType != "image/png" {
				t.Errorf("%+v, %v, want %v", img, err, tt.err)
			}
			folder, err := os.ReadFile(filepath.Join(b.dir, "folder"))
			if err != nil || !strings.HasPrefix(filepath.Base(string(folder)), "pi-ask-clipboard-") {
				t.Fatalf("folder %q, %v", folder, err)
			}
			if _, err := os.Stat(string(folder)); err == nil {
				t.Errorf("%s was left behind", folder)
			}
			calls := b.calls()
			want := `powershell.exe [-NoProfile] [-STA] [-Command] [Add-Type -AssemblyName System.Windows.Forms; Add-Type -AssemblyName System.Drawing; ` +
				`$image = [System.Windows.Forms.Clipboard]::GetImage(); ` +
				`if ($image) { $image.Save('C:\it''s\image.png', [System.Drawing.Imaging.ImageFormat]::Png); Write-Output 'ok' } else { Write-Output 'empty' }]`
			if d := cmp.Diff([]string{"wslpath [-w] [" + string(folder) + "]", want}, calls[len(calls)-2:]); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestWindowsIsToldByItsKernel(t *testing.T) {
	r := linux()
	r.Kernel = "Linux version 5.15.90.1-microsoft-standard-WSL2"
	if !r.windows() || linux().windows() || !linux("WSL_INTEROP", "/run/x").windows() {
		t.Error("wrong")
	}
}

func TestMacCommands(t *testing.T) {
	script := "printf '\u00ab%s\u00bb\\n' \"data PNGf$(/bin/cat \"$BENCH/hex\")\""
	const refuses = `echo "execution error: Can't make some data into the expected type. (-1700)" >&2; exit 1`
	const apple = "osascript [-e] [the clipboard as «class PNGf»]"
	tests := []struct {
		name, pngpaste, osascript string
		err                       error
		calls                     []string
	}{
		{"pngpaste", pngOf, fails, nil, []string{"pngpaste [-]"}},
		{"pngpaste without an image", "echo 'pngpaste: No image data found on the clipboard' >&2; exit 1", script, ErrNoImage, []string{"pngpaste [-]"}},
		{"pngpaste that fails", fails, script, nil, []string{"pngpaste [-]", apple}},
		{"AppleScript", "", script, nil, []string{apple}},
		{"AppleScript without an image", "", refuses, ErrNoImage, []string{apple}},
		{"AppleScript that fails", "", fails, ErrUnavailable, []string{apple}},
		{"AppleScript that prints something else", "", "echo PNGf", ErrDecode, []string{apple}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t)
			b.file("image", encoded(t, "image/png"))
			b.file("hex", []byte(strings.ToUpper(hex.EncodeToString(encoded(t, "image/png")))))
			b.program("osascript", tt.osascript)
			if tt.pngpaste != "" {
				b.program("pngpaste", tt.pngpaste)
			}
			img, err := reader("darwin").Read(t.Context())
			if !errors.Is(err, tt.err) || err == nil && !bytes.Equal(img.Data, encoded(t, "image/png")) {
				t.Errorf("%+v, %v, want %v", img, err, tt.err)
			}
			if d := cmp.Diff(tt.calls, b.calls()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestOtherSystemsHaveNoClipboard(t *testing.T) {
	if _, err := reader("plan9").Read(t.Context()); !errors.Is(err, ErrUnavailable) {
		t.Error(err)
	}
}

// What an image is, its bytes say, whatever the clipboard called it.
func TestImagesAreToldByTheirBytes(t *testing.T) {
	for _, format := range []string{"image/png", "image/jpeg", "image/gif", "image/webp"} {
		data := encoded(t, format)
		img, err := decode(data)
		if err != nil || img.MimeType != format || !bytes.Equal(img.Data, data) {
			t.Errorf("%s: %s, %v", format, img.MimeType, err)
		}
	}
}

func TestBitmapsBecomePNG(t *testing.T) {
	img, err := decode(encoded(t, "image/bmp"))
	if err != nil || img.MimeType != "image/png" {
		t.Fatal(img.MimeType, err)
	}
	got, err := png.Decode(bytes.NewReader(img.Data))
	if err != nil || got.Bounds() != picture().Bounds() {
		t.Fatal(got.Bounds(), err)
	}
	for x := range 3 {
		for y := range 2 {
			if w, g := color.NRGBAModel.Convert(picture().At(x, y)), color.NRGBAModel.Convert(got.At(x, y)); w != g {
				t.Errorf("%d,%d is %v, want %v", x, y, g, w)
			}
		}
	}
}

func TestBrokenImagesAreRefused(t *testing.T) {
	bomb := encoded(t, "image/bmp")
	copy(bomb[18:], "\xff\xff\x00\x00\xff\xff\x00\x00") // claims 65,535 by 65,535 pixels
	for name, data := range map[string][]byte{
		"nothing": {}, "text": []byte("hello"), "svg": []byte("<svg/>"), "half a signature": []byte("\x89PNG"),
		"a signature alone": []byte("\x89PNG\r\n\x1a\nrubbish, and more of it"), "a header alone": encoded(t, "image/bmp")[:54],
		"a bitmap that claims too much": bomb, "a riff that is no webp": []byte("RIFF\x1a\x00\x00\x00WAVEVP8L\x00\x00\x00\x00"),
	} {
		if img, err := decode(data); !errors.Is(err, ErrDecode) {
			t.Errorf("%s: %s, %v", name, img.MimeType, err)
		}
	}
}

func TestTooMuchIsRefused(t *testing.T) {
	b := newBench(t)
	b.program("xclip", `if [ "$4" = TARGETS ]; then echo image/png; else /usr/bin/head -c 40000000 /dev/zero; fi`)
	if _, err := linux().Read(t.Context()); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
}

// hangs starts another process that would outlive it, and does not end.
const hangs = `/bin/sleep 600 & echo $! >"$BENCH/pid~"; /bin/mv "$BENCH/pid~" "$BENCH/pid"; wait`

// A program that does not end is ended after its time, with all that it has started. That says more than that the other
// program is not installed.
func TestSlowProgramsAreEnded(t *testing.T) {
	b := newBench(t)
	b.program("wl-paste", hangs)
	if _, err := linux(wayland1...).Read(t.Context()); !errors.Is(err, ErrSlow) {
		t.Error(err)
	}
	b.gone()
}

// The end of the context ends the program at once.
func TestReadEndsWithItsContext(t *testing.T) {
	b := newBench(t)
	b.program("xclip", hangs)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		b.pid()
		cancel()
	}()
	if _, err := linux().Read(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	b.gone()
}

// pid waits for the process that hangs has started.
func (b bench) pid() int {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); <-tick.C {
		if data, err := os.ReadFile(filepath.Join(b.dir, "pid")); err == nil {
			pid, _ := strconv.Atoi(strings.TrimSpace(string(data)))
			return pid
		}
	}
	return 0
}

// gone waits until that process has ended.
func (b bench) gone() {
	b.t.Helper()
	pid := b.pid()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(20 * time.Second); pid > 0 && time.Now().Before(deadline); <-tick.C {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if syscall.Kill(pid, 0) != nil || strings.Contains(string(stat), ") Z") {
			return
		}
	}
	b.t.Errorf("process %d still runs", pid)
}
