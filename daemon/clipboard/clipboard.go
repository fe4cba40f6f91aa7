// Package clipboard reads an image from the clipboard of the person at the pane: through wl-paste and xclip on Linux,
// through PowerShell in the Windows subsystem for Linux, through pngpaste or osascript on macOS. It only ever reads.
package clipboard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"askd/config"
)

// The published notices (contract, "Clipboard images"): every error of Read is a sentence for the person.
var (
	// ErrNoImage: the clipboard was read and holds no image.
	ErrNoImage = errors.New("No image in the clipboard.")
	// ErrUnavailable: no tool that reads the clipboard is there, or none of them could.
	ErrUnavailable = errors.New("Image clipboard is unavailable. On Linux, install wl-clipboard or xclip; on WSL, enable Windows clipboard access.")
	// ErrDecode: what the clipboard holds is no image that an agent can be given.
	ErrDecode = errors.New("The clipboard image could not be decoded.")
	// ErrSlow: a tool did not end in time; the program that owns the clipboard hangs.
	ErrSlow = fmt.Errorf("The clipboard did not answer within %d seconds. Copy the image again and paste it anew.", config.ClipboardTime/1e9)
	// ErrTooLarge: the clipboard holds more than any form could take.
	ErrTooLarge = fmt.Errorf("The clipboard holds more than %d MiB. Copy a smaller part of the image and paste it anew.", config.ClipboardOutput>>20)
)

// Image is an image as it was copied, or as PNG where it was copied in a form that agents are not given.
type Image struct {
	MimeType string // image/png, image/jpeg, image/webp or image/gif, by what the bytes are
	Data     []byte
}

// Reader reads the clipboard of one kind of system. The zero value reads none; use System.
type Reader struct {
	OS     string              // as runtime.GOOS
	Kernel string              // what /proc/version says; names the Windows subsystem
	Getenv func(string) string // of the process that has the person's session
}

// System is the reader for the system that this process runs on.
func System() Reader {
	kernel, _ := os.ReadFile("/proc/version") // only Linux has one
	return Reader{OS: runtime.GOOS, Kernel: string(kernel), Getenv: os.Getenv}
}

// Read gives the image in the clipboard. It runs programs and waits for them, config.ClipboardTime for each, so it is no
// call for a goroutine that draws; the end of ctx ends it, and its error is then that of ctx. All other errors are one of
// this package.
func (r Reader) Read(ctx context.Context) (Image, error) {
	data, err := r.bytes(ctx)
	if ctx.Err() != nil {
		return Image{}, ctx.Err()
	}
	if err != nil {
		return Image{}, err
	}
	return decode(data)
}

func (r Reader) bytes(ctx context.Context) ([]byte, error) {
	switch r.OS {
	case "linux":
		return r.linux(ctx)
	case "darwin":
		return mac(ctx)
	}
	return nil, ErrUnavailable
}

// linux asks the desktop that runs first. One that answers is believed, also when it has no image: the other may hold
// something older. Windows comes last, because its clipboard reaches Linux in part only.
func (r Reader) linux(ctx context.Context) (data []byte, err error) {
	err = ErrUnavailable
	if r.Getenv("WAYLAND_DISPLAY") != "" || r.windows() {
		data, err = wayland(ctx)
	}
	if failed(err) {
		data, err = firstReason(err, func() ([]byte, error) { return x11(ctx) })
	}
	if err == nil || !r.windows() || errors.Is(err, ErrTooLarge) {
		return data, err
	}
	data, werr := windows(ctx)
	if werr == nil || failed(err) && !failed(werr) {
		return data, werr
	}
	return nil, err
}

// windows reports whether this is Linux inside Windows.
func (r Reader) windows() bool {
	kernel := strings.ToLower(r.Kernel)
	return r.Getenv("WSL_DISTRO_NAME") != "" || r.Getenv("WSL_INTEROP") != "" || strings.Contains(kernel, "microsoft") || strings.Contains(kernel, "wsl")
}

// failed reports whether an error says nothing of what the clipboard holds.
func failed(err error) bool { return errors.Is(err, ErrUnavailable) || errors.Is(err, ErrSlow) }

// firstReason tries another way after one that failed. That the first was slow says more than that the other is missing.
func firstReason(before error, other func() ([]byte, error)) ([]byte, error) {
	data, err := other()
	if errors.Is(err, ErrUnavailable) {
		return nil, before
	}
	return data, err
}
