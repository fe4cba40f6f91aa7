package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// ParseKeymaps reads the keymaps section of a settings file. The first fault found ends it; the error's text is for the
// person and names context and action. Contexts are looked at in their fixed order, in each first every action, then
// duplicates; keys shared with global come last. Unknown contexts and actions are ignored.
func ParseKeymaps(raw json.RawMessage) (*Keymaps, error) {
	contexts, ok := object(raw)
	if !ok {
		return nil, errors.New("Keymaps must be an object.")
	}
	k := newKeymaps()
	for _, row := range actionTable {
		if err := k.parseContext(row, contexts[string(row.context)]); err != nil {
			return nil, err
		}
	}
	if err := k.checkGlobal(); err != nil {
		return nil, err
	}
	k.giveWay()
	k.index()
	return k, nil
}

func (k *Keymaps) parseContext(row contextActions, raw json.RawMessage) error {
	bindings, ok := object(raw)
	if !ok {
		return fmt.Errorf("Missing keymap context %s.", row.context)
	}
	for _, a := range row.actions {
		if err := k.parseAction(row.context, a, bindings); err != nil {
			return err
		}
	}
	return k.checkDuplicates(row)
}

func (k *Keymaps) parseAction(c Context, a action, bindings map[string]json.RawMessage) error {
	raw, ok := bindings[a.name]
	if !ok && a.added {
		return nil
	}
	if !ok {
		return fmt.Errorf("Missing keymap for %s.%s.", c, a.name)
	}
	keys, err := parseBinding(raw)
	if err != nil {
		return fmt.Errorf("Invalid keymap for %s.%s: %w", c, a.name, err)
	}
	if i := slices.IndexFunc(keys, reserved); i >= 0 {
		return fmt.Errorf("Reserved keymap for %s.%s: %s.", c, a.name, KeyLabel(keys[i]))
	}
	k.keys[c][a.name] = keys
	k.written[c][a.name] = a.added
	return nil
}

// reserved are the digits that choose rows.
func reserved(key string) bool { return len(key) == 1 && '1' <= key[0] && key[0] <= '9' }

func parseBinding(raw json.RawMessage) ([]string, error) {
	texts, err := bindingTexts(raw)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, t := range texts {
		key, err := NormaliseKey(t)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

func bindingTexts(raw json.RawMessage) ([]string, error) {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return nil, errors.New("binding must be a string or array of strings")
	}
	switch v := value.(type) {
	case string:
		return []string{v}, nil
	case []any:
		return listTexts(v)
	}
	return nil, errors.New("binding must be a string or array of strings")
}

func listTexts(list []any) ([]string, error) {
	if len(list) == 0 {
		return nil, errors.New("empty binding list")
	}
	texts := make([]string, len(list))
	for i, item := range list {
		text, ok := item.(string)
		if !ok {
			return nil, errors.New("binding list must contain only strings")
		}
		texts[i] = text
	}
	return texts, nil
}

func (k *Keymaps) checkDuplicates(row contextActions) error {
	seen := map[string]string{}
	for _, a := range row.actions {
		for _, key := range k.keys[row.context][a.name] {
			if other, ok := seen[key]; ok {
				return fmt.Errorf("Duplicate keymap %s for %s.%s and %s.%s.",
					KeyLabel(key), row.context, other, row.context, a.name)
			}
			seen[key] = a.name
		}
	}
	return nil
}

// overGlobal are the contexts in which global keys act as well. The settings overlay takes all keys for itself.
var overGlobal = []Context{Main, Editor, NoteEditor}

func (k *Keymaps) checkGlobal() error {
	for _, c := range overGlobal {
		for _, name := range Actions(c) {
			for _, key := range k.keys[c][name] {
				if global, ok := k.actionOf(Global, key); ok {
					return fmt.Errorf("Duplicate global keymap %s for global.%s and %s.%s.",
						KeyLabel(key), global, c, name)
				}
			}
		}
	}
	return nil
}

func (k *Keymaps) actionOf(c Context, key string) (string, bool) {
	for name, keys := range k.keys[c] {
		if slices.Contains(keys, key) {
			return name, true
		}
	}
	return "", false
}

// giveWay binds the added actions that the file does not name to those of their default keys that it leaves free: a
// file written before them goes on meaning what it meant.
func (k *Keymaps) giveWay() {
	for _, row := range actionTable {
		for _, a := range row.actions {
			if _, have := k.keys[row.context][a.name]; !have {
				k.keys[row.context][a.name] = k.free(row.context, a.keys)
			}
		}
	}
}

func (k *Keymaps) free(c Context, keys []string) []string {
	var out []string
	for _, key := range keys {
		if !k.taken(c, key) {
			out = append(out, key)
		}
	}
	return out
}

func (k *Keymaps) taken(c Context, key string) bool {
	rivals := []Context{c, Global}
	if c == Global {
		rivals = append(rivals, overGlobal...)
	}
	return slices.ContainsFunc(rivals, func(r Context) bool {
		_, used := k.actionOf(r, key)
		return used
	})
}

// object gives the members of a JSON object; ok is false for everything else, null and nothing included.
func object(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	var m map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &m) != nil || m == nil {
		return nil, false
	}
	return m, true
}
