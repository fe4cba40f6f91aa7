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
		{`{"schemaVersion":5,`, "line 1: unexpected end"},
		{"{\n\"schemaVersion\":5,\n}", "line 3: invalid character"},
		{`{"schemaVersion":5,"keymaps":{"global":{}}}`, "keymaps.main is missing"},
		{`{"schemaVersion":5,"keymaps":{"global":{"settings":1}}}`, "keymaps.global.settings has to be"},
		{`[]`, "it holds no JSON object"},
		{`{"schemaVersion":99}`, "schemaVersion has to be"},
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
