package clipboard

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// wanted are the types of image that agents are given, the best first; what follows can be made one of them.
var wanted = []string{"image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp", "image/x-bmp", "image/x-ms-bmp"}

// pick is the best of the types that a clipboard offers, one a line. Images of other types alone are ErrDecode, none at all
// is ErrNoImage.
func pick(offered []byte) (string, error) {
	err := ErrNoImage
	types := map[string]string{}
	for line := range strings.Lines(string(offered)) {
		name := strings.TrimSpace(line)
		base, _, _ := strings.Cut(strings.ToLower(name), ";")
		base = strings.TrimSpace(base)
		if strings.HasPrefix(base, "image/") {
			err = ErrDecode
		}
		if types[base] == "" {
			types[base] = name
		}
	}
	for _, w := range wanted {
		if types[w] != "" {
			return types[w], nil
		}
	}
	return "", err
}

// wayland asks the Wayland compositor.
func wayland(ctx context.Context) ([]byte, error) {
	offered, said, err := run(ctx, "wl-paste", "--list-types")
	if err != nil {
		return nil, emptied(err, said, "Nothing is copied", "No selection")
	}
	name, err := pick(offered)
	if err != nil {
		return nil, err
	}
	return notEmpty(run(ctx, "wl-paste", "--type", name, "--no-newline"))
}

// x11 asks the X server.
func x11(ctx context.Context) ([]byte, error) {
	offered, said, err := run(ctx, "xclip", "-selection", "clipboard", "-t", "TARGETS", "-o")
	if err != nil {
		return nil, emptied(err, said, "target TARGETS not available")
	}
	name, err := pick(offered)
	if err != nil {
		return nil, err
	}
	return notEmpty(run(ctx, "xclip", "-selection", "clipboard", "-t", name, "-o"))
}

// emptied is ErrNoImage where a failed command said that there is nothing to give.
func emptied(err error, said string, words ...string) error {
	for _, w := range words {
		if errors.Is(err, ErrUnavailable) && strings.Contains(said, w) {
			return ErrNoImage
		}
	}
	return err
}

func notEmpty(data []byte, _ string, err error) ([]byte, error) {
	if err == nil && len(data) == 0 {
		return nil, ErrNoImage
	}
	return data, err
}

// windows lets PowerShell put the image of the Windows clipboard into a folder of its own, which goes away in every case.
func windows(ctx context.Context) ([]byte, error) {
	dir, err := os.MkdirTemp("", "pi-ask-clipboard-")
	if err != nil {
		return nil, ErrUnavailable
	}
	defer func() { _ = os.RemoveAll(dir) }()
	theirs, _, err := run(ctx, "wslpath", "-w", dir)
	if err != nil {
		return nil, err
	}
	folder := strings.TrimSpace(string(theirs))
	if folder == "" {
		return nil, ErrUnavailable
	}
	said, _, err := run(ctx, "powershell.exe", "-NoProfile", "-STA", "-Command", powershell(folder+`\image.png`))
	if err != nil {
		return nil, err
	}
	switch strings.TrimSpace(string(said)) {
	case "ok":
	case "empty":
		return nil, ErrNoImage
	default:
		return nil, ErrUnavailable
	}
	return readBounded(filepath.Join(dir, "image.png"))
}

// powershell is the script that saves the image as a file.
func powershell(path string) string {
	return strings.Join([]string{
		"Add-Type -AssemblyName System.Windows.Forms",
		"Add-Type -AssemblyName System.Drawing",
		"$image = [System.Windows.Forms.Clipboard]::GetImage()",
		"if ($image) { $image.Save('" + strings.ReplaceAll(path, "'", "''") + "', [System.Drawing.Imaging.ImageFormat]::Png); Write-Output 'ok' } else { Write-Output 'empty' }",
	}, "; ")
}

func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, ErrUnavailable
	}
	defer func() { _ = f.Close() }()
	return copied(f)
}

// mac asks pngpaste where the person has it, because it takes more kinds of image, else AppleScript, which every macOS has.
func mac(ctx context.Context) ([]byte, error) {
	if _, err := exec.LookPath("pngpaste"); err == nil {
		data, said, err := run(ctx, "pngpaste", "-")
		if err = emptied(err, said, "No image data"); !failed(err) {
			return data, err
		}
	}
	printed, said, err := run(ctx, "osascript", "-e", "the clipboard as «class PNGf»")
	if err != nil {
		return nil, emptied(err, said, "-1700") // "Can't make some data into the expected type."
	}
	return appleData(printed)
}

// appleData reads how AppleScript prints bytes: «data PNGf8950…».
func appleData(printed []byte) ([]byte, error) {
	_, digits, ok := bytes.Cut(bytes.TrimSpace(printed), []byte("«data PNGf"))
	digits, closed := bytes.CutSuffix(digits, []byte("»"))
	data := make([]byte, hex.DecodedLen(len(digits)))
	if _, err := hex.Decode(data, digits); err != nil || !ok || !closed {
		return nil, ErrDecode
	}
	return data, nil
}
