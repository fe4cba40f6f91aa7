package config

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzDecode: whatever is in the file, what comes of it can be used, written, and read back as the same.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"", "{}", `{"schemaVersion":5}`, `{"schemaVersion":1,"keymaps":` + flatKeymaps + `}`,
		`{"schemaVersion":4,"keymaps":` + string(keymapsWith(nil)) + `,"behaviour":{"backgroundOnly":true}}`,
		`{"schemaVersion":5,"notifications":{"channels":["osc9",{"type":"command","command":"\ud800<"}]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := decode(data)
		if err != nil {
			return
		}
		first, err := encode(d.settings, d.keymaps)
		if err != nil {
			t.Fatal(err)
		}
		again, err := decode(first)
		if err != nil || again.keymapErr != nil {
			t.Fatalf("%v, %v in %s", err, again.keymapErr, first)
		}
		second, err := encode(again.settings, again.keymaps)
		if err != nil || !bytes.Equal(first, second) || !d.keymaps.Equal(again.keymaps) {
			t.Fatalf("%v\n%s\n%s", err, first, second)
		}
	})
}

// FuzzNormaliseKey: normal forms are normal, have a label and are never reserved by accident of spelling.
func FuzzNormaliseKey(f *testing.F) {
	for _, seed := range []string{"esc", "Ctrl + C", "shift+N", "cmd+pgup", "+", "ctrl++", "İ", "K"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, key string) {
		n, err := NormaliseKey(key)
		if err != nil {
			return
		}
		if again, err := NormaliseKey(n); err != nil || again != n {
			t.Errorf("%q gives %q gives %q, %v", key, n, again, err)
		}
		if KeyLabel(n) == "" {
			t.Errorf("%q has no label", n)
		}
	})
}

// FuzzKeymaps: no key means two things, and each key that is bound is found again.
func FuzzKeymaps(f *testing.F) {
	f.Add("main", "toggle", "x")
	f.Add("global", "quit", "esc")
	f.Add("editor", "submit", "alt+q")
	f.Fuzz(func(t *testing.T, context, action, key string) {
		raw := keymapsWith(contexts{Context(context): {action: key}})
		k, err := ParseKeymaps(raw)
		if err != nil {
			if err.Error() == "" || !json.Valid(raw) {
				t.Error("a fault without a reason")
			}
			return
		}
		for _, c := range Contexts() {
			for _, name := range Actions(c) {
				for _, key := range k.Keys(c, name) {
					if got, ok := k.Action(c, key); !ok || got != name {
						t.Errorf("%s %s: got %q, want %q", c, key, got, name)
					}
				}
			}
		}
	})
}
