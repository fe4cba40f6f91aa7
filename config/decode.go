package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

var (
	errInvalid   = errors.New("invalid or unsupported settings file")
	errMigration = errors.New("no migration from this version")
)

// decoded is a settings file that was understood.
type decoded struct {
	settings   Settings
	keymaps    *Keymaps
	keymapErr  error           // keymaps are then the defaults
	rawKeymaps json.RawMessage // the file's own, migrated; nil when it has none
}

func decode(data []byte) (decoded, error) {
	doc, err := decodeDocument(data)
	if err != nil {
		return decoded{}, err
	}
	d := decoded{settings: Defaults(), keymaps: DefaultKeymaps()}
	if err := d.readSettings(doc); err != nil {
		return decoded{}, err
	}
	if err := d.readKeymaps(doc["keymaps"]); err != nil {
		return decoded{}, err
	}
	return d, nil
}

func decodeDocument(data []byte) (document, error) {
	doc, ok := object(data)
	if !ok {
		return nil, fmt.Errorf("%w: %s", errInvalid, noObject(data))
	}
	var version float64
	raw := doc["schemaVersion"]
	if string(raw) == "null" || json.Unmarshal(raw, &version) != nil || version != math.Trunc(version) || version > SchemaVersion {
		return nil, fmt.Errorf("%w: schemaVersion has to be a whole number, at most %d", errInvalid, SchemaVersion)
	}
	if version < 1 || !migrate(doc, int(version)) {
		return nil, errMigration
	}
	return doc, nil
}

// noObject says why data is no JSON object, and in which line where that can be said.
func noObject(data []byte) string {
	var (
		m      map[string]json.RawMessage
		syntax *json.SyntaxError
	)
	if err := json.Unmarshal(data, &m); errors.As(err, &syntax) {
		before := data[:max(0, min(int(syntax.Offset), len(data)))]
		return fmt.Sprintf("line %d: %v", 1+bytes.Count(before, []byte("\n")), err)
	}
	return "it holds no JSON object"
}

func (d *decoded) readSettings(doc document) error {
	for _, t := range toggles {
		members, ok := section(doc[t.section])
		if !ok {
			return fmt.Errorf("%w: %s is not an object", errInvalid, t.section)
		}
		if raw, ok := members[t.key]; ok {
			if err := decodeBool(raw, t.field(&d.settings)); err != nil {
				return fmt.Errorf("%w: %s: %w", errInvalid, t.name(), err)
			}
		}
	}
	for _, c := range choices {
		members, _ := section(doc[c.section]) // the toggles have found it to be an object
		if raw, ok := members[c.key]; ok {
			if err := c.decode(raw, &d.settings); err != nil {
				return fmt.Errorf("%w: %s: %w", errInvalid, c.name(), err)
			}
		}
	}
	if err := d.readNumbers(doc); err != nil {
		return err
	}
	members, _ := section(doc["notifications"])
	if raw, ok := members["channels"]; ok {
		channels, err := decodeChannels(raw)
		if err != nil {
			return fmt.Errorf("%w: %s: %w", errInvalid, channelsKey, err)
		}
		d.settings.Notifications.Channels = channels
	}
	return nil
}

func (d *decoded) readNumbers(doc document) error {
	for _, n := range numbers {
		members, _ := section(doc[n.section])
		if raw, ok := members[n.key]; ok {
			if err := n.decode(raw, &d.settings); err != nil {
				return fmt.Errorf("%w: %s: %w", errInvalid, n.name(), err)
			}
		}
	}
	return nil
}

func (n number) decode(raw json.RawMessage, into *Settings) error {
	var v *int
	if json.Unmarshal(raw, &v) != nil || v == nil || *v < 0 || *v > n.most {
		return fmt.Errorf("expected a whole number from 0 to %d", n.most)
	}
	*n.field(into) = *v
	return nil
}

// decodeBool refuses null, which json.Unmarshal takes for "leave it as it is".
func decodeBool(raw json.RawMessage, into *bool) error {
	var v *bool
	if json.Unmarshal(raw, &v) != nil || v == nil {
		return errors.New("expected true or false")
	}
	*into = *v
	return nil
}

func decodeChannels(raw json.RawMessage) ([]Channel, error) {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil || items == nil {
		return nil, errors.New("expected a list of channels")
	}
	channels := make([]Channel, len(items))
	for i, item := range items {
		if err := channels[i].UnmarshalJSON(item); err != nil {
			return nil, err
		}
	}
	return usableChannels(channels), nil
}

func (d *decoded) readKeymaps(raw json.RawMessage) error {
	if raw == nil {
		return nil
	}
	if fault := keymapsFault(raw); fault != "" {
		return fmt.Errorf("%w: %s", errInvalid, fault)
	}
	d.rawKeymaps = raw
	k, err := ParseKeymaps(raw)
	if err != nil {
		d.keymapErr = err
		return nil
	}
	d.keymaps = k
	return nil
}

// keymapsFault is what makes a whole file invalid: a missing context or a binding of another kind, empty when there is
// neither. What the person wrote inside a binding costs the keymaps alone.
func keymapsFault(raw json.RawMessage) string {
	contexts, ok := object(raw)
	if !ok {
		return "keymaps is not an object"
	}
	for _, row := range actionTable {
		bindings, ok := object(contexts[string(row.context)])
		if !ok {
			return fmt.Sprintf("keymaps.%s is missing or not an object", row.context)
		}
		if a := bindingsFault(row.actions, bindings); a != "" {
			return fmt.Sprintf("keymaps.%s.%s has to be a key or a list of keys", row.context, a)
		}
	}
	return ""
}

// bindingsFault is the first action whose binding is of another kind.
func bindingsFault(actions []action, bindings map[string]json.RawMessage) string {
	for _, a := range actions {
		raw, ok := bindings[a.name]
		if ok && !bindingShape(raw) {
			return a.name
		}
	}
	return ""
}

func bindingShape(raw json.RawMessage) bool {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return false
	}
	list, isList := value.([]any)
	_, isText := value.(string)
	for _, item := range list {
		if _, ok := item.(string); !ok {
			return false
		}
	}
	return isList || isText
}
