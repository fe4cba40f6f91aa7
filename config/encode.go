package config

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// member and members are a JSON object with its order.
type member struct {
	key   string
	value any
}

type members []member

// MarshalJSON keeps the order.
func (m members) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, item := range m {
		if i > 0 {
			b.WriteByte(',')
		}
		key := mustMarshal(item.key)
		value, err := marshal(item.value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encode gives the text of a settings file in the published order: two spaces of indent, a newline at the end. keymaps
// are *Keymaps or, where those of the file could not be read, its own text, which the person still wants to mend.
func encode(s Settings, keymaps any) ([]byte, error) {
	if k, ok := keymaps.(*Keymaps); ok {
		keymaps = keymapMembers(k)
	}
	notifications := append(members{{"channels", s.Notifications.Channels}}, sectionMembers("notifications", s)...)
	doc := members{
		{"schemaVersion", SchemaVersion},
		{"behaviour", sectionMembers("behaviour", s)},
		{"keymaps", keymaps},
		{"notifications", notifications},
	}
	for _, name := range []string{"answers", "pane", "tools"} {
		if m := sectionMembers(name, s); len(m) > 0 {
			doc = append(doc, member{name, m})
		}
	}
	return encodeIndented(doc)
}

func encodeIndented(v any) ([]byte, error) {
	flat, err := marshal(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, flat, "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

func sectionMembers(section string, s Settings) members {
	var out members
	for _, t := range toggles {
		if t.section == section && (!t.own || t.get(s) != t.get(Defaults())) {
			out = append(out, member{t.key, t.get(s)})
		}
	}
	defaults := Defaults()
	for _, c := range choices {
		if v := *c.field(&s); c.section == section && v != "" && v != *c.field(&defaults) {
			out = append(out, member{c.key, v})
		}
	}
	for _, n := range numbers {
		if n.section == section && n.get(s) != n.get(Defaults()) {
			out = append(out, member{n.key, n.get(s)})
		}
	}
	return out
}

// keymapMembers writes actions by name. An added action stands in the file only if the person has put it there.
func keymapMembers(k *Keymaps) members {
	var out members
	for _, row := range actionTable {
		var actions members
		for _, a := range row.actions {
			if !a.added || k.written[row.context][a.name] {
				actions = append(actions, member{a.name, k.keys[row.context][a.name]})
			}
		}
		slices.SortFunc(actions, func(x, y member) int { return strings.Compare(x.key, y.key) })
		out = append(out, member{string(row.context), actions})
	}
	return out
}
