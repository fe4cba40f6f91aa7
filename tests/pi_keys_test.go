package tests

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"askd/config"
	"askd/tests/pienv"
)

// piKeyScript prints the keys that Pi itself reads from the folders it is given.
const piKeyScript = `
const { KeybindingsManager } = await import(process.argv[1]);
console.log(JSON.stringify(process.argv.slice(2).map(dir => KeybindingsManager.create(dir).getResolvedBindings())));
`

// keyFiles are keybindings.json files, good and bad ones; an empty text is no file.
var keyFiles = []string{
	``, `{}`, `{`, `[]`, `null`, `7`,
	`{"app.clipboard.pasteImage": "alt+v"}`,
	`{"app.clipboard.pasteImage": []}`,
	`{"pasteImage": ["f6", "f6", "ctrl+alt+v"], "selectUp": "k", "submit": "ctrl+enter"}`,
	`{"pasteImage": "f6", "app.clipboard.pasteImage": 7}`,
	`{"tui.select.cancel": ["escape", "return", "shift+ctrl+p", "super+alt+x"]}`,
	`{"tui.select.up": ["+", "ctrl++", "shift+pageUp"], "tui.select.down": "pagedown"}`,
	`{"tui.select.up": "Ctrl+P", "tui.select.down": "ctrl+ctrl+p", "tui.input.newLine": ["x", "hyper"], "tui.input.tab": ""}`,
	`{"tui.select.up": null, "tui.select.confirm": [null], "tui.input.copy": {"a": 1}, "$schema": "x"}`,
	"\ufeff" + `{"tui.select.up": "p"}`,
}

// Pi's own reader of its key file is asked for every action that askd knows, and says the same.
func TestPiKeysAreReadAsPiReadsThem(t *testing.T) {
	pi := pienv.Current(t)
	module := filepath.Join(pi.Modules(), "@earendil-works", "pi-coding-agent", "dist", "core", "keybindings.js")
	args := []string{"--input-type=module", "-e", piKeyScript, module}
	dirs := make([]string, len(keyFiles))
	for i, text := range keyFiles {
		dirs[i] = t.TempDir()
		if text != "" {
			if err := os.WriteFile(config.PiKeysPath(dirs[i]), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd := exec.CommandContext(t.Context(), pi.Bin("node"), append(args, dirs...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var theirs []map[string]any
	if err := json.Unmarshal(out, &theirs); err != nil {
		t.Fatal(err)
	}
	for i, all := range theirs {
		ours, _ := config.OpenPiKeys(config.PiKeysPath(dirs[i]), func(string) string { return "" }).Load()
		for name, bound := range all {
			if strings.HasPrefix(name, "tui.altScreen.") || strings.HasPrefix(name, "app.") && name != string(config.PiPasteImage) {
				continue
			}
			if d := cmp.Diff(theirKeys(t, bound), ours.Keys(config.PiAction(name))); d != "" {
				t.Errorf("%s: %s: %s", keyFiles[i], name, d)
			}
		}
	}
}

// theirKeys are the keys of one action as Pi has them, in the words of keymaps.
func theirKeys(t *testing.T, bound any) []string {
	t.Helper()
	list, ok := bound.([]any)
	if !ok {
		list = []any{bound}
	}
	var out []string
	for _, item := range list {
		text, _ := item.(string)
		plus := strings.HasSuffix(text, "+")
		if plus {
			text = strings.TrimSuffix(text, "+") + "p"
		}
		key, err := config.NormaliseKey(text)
		if err != nil {
			t.Fatalf("%q: %v", item, err)
		}
		if plus {
			key = strings.TrimSuffix(key, "p") + "+"
		}
		out = append(out, key)
	}
	return out
}
