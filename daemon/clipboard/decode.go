package clipboard

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"

	"askd/config"
)

// format is one kind of image by how its bytes begin. A "?" in magic stands for any byte.
type format struct {
	mime   string
	magic  string
	config func(io.Reader) (image.Config, error)
}

var formats = []format{
	{"image/png", "\x89PNG\r\n\x1a\n", png.DecodeConfig},
	{"image/jpeg", "\xff\xd8\xff", jpeg.DecodeConfig},
	{"image/gif", "GIF8?a", gif.DecodeConfig},
	{"image/webp", "RIFF????WEBP", webp.DecodeConfig},
	{"image/bmp", "BM", bmp.DecodeConfig},
}

// decode tells what an image is by its bytes, whatever the clipboard called it, and sees that its header can be read: a
// model refuses a whole conversation for the sake of one broken image.
func decode(data []byte) (Image, error) {
	for _, f := range formats {
		if !begins(data, f.magic) {
			continue
		}
		size, err := f.config(bytes.NewReader(data))
		switch {
		case err != nil || size.Width <= 0 || size.Height <= 0:
			return Image{}, ErrDecode
		case f.mime == "image/bmp":
			return asPNG(data, size)
		}
		return Image{MimeType: f.mime, Data: data}, nil
	}
	return Image{}, ErrDecode
}

func begins(data []byte, magic string) bool {
	if len(data) < len(magic) {
		return false
	}
	for i := range len(magic) {
		if magic[i] != '?' && magic[i] != data[i] {
			return false
		}
	}
	return true
}

// asPNG converts a bitmap. A header that claims more pixels than there are bytes would take memory for nothing.
func asPNG(data []byte, size image.Config) (Image, error) {
	if size.Width > len(data)/size.Height {
		return Image{}, ErrDecode
	}
	picture, err := bmp.Decode(bytes.NewReader(data))
	if err != nil {
		return Image{}, ErrDecode
	}
	var out bytes.Buffer
	if err := png.Encode(&out, picture); err != nil {
		return Image{}, ErrDecode
	}
	return Image{MimeType: "image/png", Data: out.Bytes()}, nil
}

// copied reads at most as much as a command may print.
func copied(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, config.ClipboardOutput+1))
	switch {
	case err != nil:
		return nil, ErrUnavailable
	case len(data) > config.ClipboardOutput:
		return nil, ErrTooLarge
	case len(data) == 0:
		return nil, ErrNoImage
	}
	return data, nil
}
