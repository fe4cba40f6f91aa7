package daemon

import (
	"context"
	"encoding/base64"

	"github.com/google/uuid"

	"askd/broker/ask"
	"askd/daemon/clipboard"
)

// readClipboard gives the clipboard's image as an answer carries it.
func readClipboard(ctx context.Context) (ask.Image, error) {
	img, err := clipboard.System().Read(ctx)
	if err != nil {
		return ask.Image{}, err
	}
	return ask.Image{ID: uuid.NewString(), MimeType: img.MimeType, Data: base64.StdEncoding.EncodeToString(img.Data)}, nil
}
