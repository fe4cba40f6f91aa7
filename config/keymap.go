package config

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Keymaps say which key does what in which context (contract, "Keyboard behaviour"). They never change once made, so any
// goroutine may read them; the zero value binds nothing. Use DefaultKeymaps or ParseKeymaps.
type Keymaps struct {
	keys    map[Context]map[string][]string // action to keys, normalised, in the person's order
	byKey   map[Context]map[string]string   // key to action
	written map[Context]map[string]bool     // added actions that the file itself names
}

// DefaultKeymaps are the keymaps of a person who has set none.
func DefaultKeymaps() *Keymaps {
	k := newKeymaps()
	for _, c := range actionTable {
		for _, a := range c.actions {
			k.keys[c.context][a.name] = slices.Clone(a.keys)
		}
	}
	k.index()
	return k
}

func newKeymaps() *Keymaps {
	k := &Keymaps{
		keys:    map[Context]map[string][]string{},
		byKey:   map[Context]map[string]string{},
		written: map[Context]map[string]bool{},
	}
	for _, c := range actionTable {
		k.keys[c.context] = map[string][]string{}
		k.byKey[c.context] = map[string]string{}
		k.written[c.context] = map[string]bool{}
	}
	return k
}

func (k *Keymaps) index() {
	for c, actions := range k.keys {
		for name, keys := range actions {
			for _, key := range keys {
				k.byKey[c][key] = name
			}
		}
	}
}

// Action is what a key does in one context; ok is false when it does nothing there. Look in Global separately.
//
// The key is what the terminal gave: a typed character as itself ("n", "N", "?", "é"), the space bar as "space", named
// keys and modifiers as in the settings file ("ctrl+c", "shift+tab", "alt+q", "pageUp"). One-character bindings are
// compared with the typed character alone; a typed capital is looked up as shift and its letter, so "N" and "shift+n"
// are the same key and never "n". With alt or super a capital without a binding of its own counts as the small letter.
func (k *Keymaps) Action(c Context, key string) (action string, ok bool) {
	table := k.byKey[c]
	for _, form := range keyForms(key) {
		if action, ok = table[form]; ok {
			return action, true
		}
	}
	return "", false
}

// keyForms are the ways in which a binding may have been written for a key, the most exact first.
func keyForms(key string) []string {
	forms := []string{key}
	cut := strings.LastIndexByte(key, '+') + 1
	if cut == len(key) {
		return forms // nothing, or the plus key, which no binding can name
	}
	r, size := utf8.DecodeRuneInString(key[cut:])
	if cut+size == len(key) && unicode.IsUpper(r) {
		forms = appendNormal(forms, key[:cut]+"shift+"+key[cut:])
	}
	if cut > 0 || size < len(key) {
		forms = appendNormal(forms, key)
	}
	return forms
}

func appendNormal(forms []string, key string) []string {
	if n, err := NormaliseKey(key); err == nil {
		return append(forms, n)
	}
	return forms
}

// Keys are the keys of an action in the person's order, for hints and the settings overlay. Empty when the action is
// unknown or has given way to another. The caller owns the slice.
func (k *Keymaps) Keys(c Context, action string) []string {
	return slices.Clone(k.keys[c][action])
}

// Label is KeyLabel of an action's keys.
func (k *Keymaps) Label(c Context, action string) string {
	return KeyLabel(k.keys[c][action]...)
}

// MarshalJSON names every context and action with its keys, in the fixed order; for clients, not for the file.
func (k *Keymaps) MarshalJSON() ([]byte, error) {
	var out members
	for _, row := range actionTable {
		var actions members
		for _, a := range row.actions {
			actions = append(actions, member{a.name, append([]string{}, k.keys[row.context][a.name]...)})
		}
		out = append(out, member{string(row.context), actions})
	}
	return out.MarshalJSON()
}

// Equal says whether both bind the same keys to the same actions.
func (k *Keymaps) Equal(other *Keymaps) bool {
	return maps.EqualFunc(k.keys, other.keys, func(a, b map[string][]string) bool {
		return maps.EqualFunc(a, b, slices.Equal[[]string])
	})
}

// Contexts are all contexts in their fixed order.
func Contexts() []Context {
	out := make([]Context, len(actionTable))
	for i, c := range actionTable {
		out[i] = c.context
	}
	return out
}

// Actions are the actions of a context in their fixed order; nil for an unknown context.
func Actions(c Context) []string {
	for _, row := range actionTable {
		if row.context == c {
			return actionNames(row.actions)
		}
	}
	return nil
}

func actionNames(actions []action) []string {
	out := make([]string, len(actions))
	for i, a := range actions {
		out[i] = a.name
	}
	return out
}
