package piextension

import (
	"bytes"
	"io/fs"
	"testing"
)

func TestToolsAreFresh(t *testing.T) {
	for name, backgroundOnly := range map[string]bool{"tools.json": false, "tools-background-only.json": true} {
		want, err := Tools(backgroundOnly)
		if err != nil {
			t.Fatal(err)
		}
		got, err := fs.ReadFile(Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s does not say what the tools are now; run `go generate ./cmd/pi-extension`", name)
		}
	}
}
