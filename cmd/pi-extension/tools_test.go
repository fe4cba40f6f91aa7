package piextension

import (
	"bytes"
	"io/fs"
	"testing"
)

func TestToolsAreFresh(t *testing.T) {
	want, err := Tools()
	if err != nil {
		t.Fatal(err)
	}
	got, err := fs.ReadFile(Files(), "tools.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("tools.json does not say what the tools are now; run `go generate ./cmd/pi-extension`")
	}
}
