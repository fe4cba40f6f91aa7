package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

var modifierAliases = map[string]string{
	"ctrl": "ctrl", "control": "ctrl", "ctl": "ctrl",
	"shift": "shift",
	"alt":   "alt", "option": "alt",
	"super": "super", "cmd": "super", "command": "super", "meta": "super", "win": "super", "windows": "super",
}

var modifierOrder = []string{"ctrl", "shift", "alt", "super"}

var keyAliases = map[string]string{
	"escape": "esc", "return": "enter", "spacebar": "space", "del": "delete", "ins": "insert",
	"pgup": "pageUp", "pageup": "pageUp", "pgdown": "pageDown", "pagedown": "pageDown",
	"arrowup": "up", "arrowdown": "down", "arrowleft": "left", "arrowright": "right",
}

var namedKeys = map[string]bool{
	"esc": true, "enter": true, "tab": true, "space": true, "backspace": true, "delete": true, "insert": true,
	"clear": true, "home": true, "end": true, "pageUp": true, "pageDown": true,
	"up": true, "down": true, "left": true, "right": true,
	"f1": true, "f2": true, "f3": true, "f4": true, "f5": true, "f6": true,
	"f7": true, "f8": true, "f9": true, "f10": true, "f11": true, "f12": true,
}

// symbolKeys has no "+": it separates the parts of a key and cannot be written.
const symbolKeys = "`-=[]\\;',./!@#$%^&*()_|~{}:<>?"

// NormaliseKey gives the one way to write a key: aliases resolved, lower case (but pageUp and pageDown), modifiers in the
// order ctrl, shift, alt, super. The error is the reason alone, as it stands in keymap errors.
func NormaliseKey(key string) (string, error) {
	text := strings.ToLower(strings.TrimSpace(key))
	if text == "" {
		return "", errors.New("empty binding")
	}
	parts := strings.Split(text, "+")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	if slices.Contains(parts, "") {
		return "", errors.New("missing key")
	}
	last := len(parts) - 1
	modifiers, err := normaliseModifiers(parts[:last])
	if err != nil {
		return "", err
	}
	base, err := normaliseBase(parts[last])
	if err != nil {
		return "", err
	}
	return strings.Join(append(modifiers, base), "+"), nil
}

func normaliseModifiers(parts []string) ([]string, error) {
	have := map[string]bool{}
	for _, p := range parts {
		m, ok := modifierAliases[p]
		if !ok {
			return nil, fmt.Errorf("unsupported modifier %s", p)
		}
		have[m] = true
	}
	var ordered []string
	for _, m := range modifierOrder {
		if have[m] {
			ordered = append(ordered, m)
		}
	}
	return ordered, nil
}

func normaliseBase(part string) (string, error) {
	if alias, ok := keyAliases[part]; ok {
		part = alias
	}
	if namedKeys[part] || isCharKey(part) {
		return part, nil
	}
	return "", fmt.Errorf("unsupported key %s", part)
}

func isCharKey(part string) bool {
	if len(part) != 1 {
		return false
	}
	c := part[0]
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || strings.IndexByte(symbolKeys, c) >= 0
}

var arrowLabels = map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→"}

// KeyLabel is how keys are shown to a person: "Esc / Ctrl+C / ?". Arrows are drawn, other parts begin with a capital;
// pageUp and pageDown stay as they are written. No keys give an empty string.
func KeyLabel(keys ...string) string {
	labels := make([]string, len(keys))
	for i, k := range keys {
		labels[i] = keyLabel(k)
	}
	return strings.Join(labels, " / ")
}

func keyLabel(key string) string {
	parts := strings.Split(key, "+")
	for i, p := range parts {
		parts[i] = partLabel(p)
	}
	return strings.Join(parts, "+")
}

func partLabel(part string) string {
	if arrow, ok := arrowLabels[part]; ok {
		return arrow
	}
	if part == "" || part != strings.ToLower(part) {
		return part
	}
	return strings.ToUpper(part[:1]) + part[1:]
}
