package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"askd/config"
)

func TestInspect(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := config.Inspect(path); err != nil {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("looking at a missing file made it")
	}
	for _, tt := range []struct{ text, names string }{
		{`{"schemaVersion":5}`, ""},
		{`{"schemaVersion":5,`, "invalid"},
		{`{"schemaVersion":5,"notifications":{"channels":["bel"]}}`, "bel"},
		{`{"schemaVersion":5,"pane":{"focusOnAsk":"yes"}}`, "focusOnAsk"},
	} {
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := config.Inspect(path)
		if tt.names == "" && err != nil || tt.names != "" && (err == nil || !strings.Contains(err.Error(), tt.names)) {
			t.Errorf("%s: %v", tt.text, err)
		}
	}
}
