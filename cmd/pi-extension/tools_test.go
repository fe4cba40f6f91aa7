package piextension

import (
	"bytes"
	"io/fs"
	"testing"
)

func TestToolsAreFresh(t *testing.T) {
	for name, tools := range map[string]func() ([]byte, error){
		"tools.json":                 func() ([]byte, error) { return Tools(false) },
		"tools-background-only.json": func() ([]byte, error) { return Tools(true) },
		"tools-history.json":         HistoryTools,
		"tools-question.json":        QuestionTools,
	} {
		want, err := tools()
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
