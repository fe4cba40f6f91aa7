package config

import "encoding/json"

// document is a settings file as members, before anything is known of their shape.
type document map[string]json.RawMessage

// migrations bring a document from the version of the key to the next one. They work in memory; the file stays as it is
// until something is saved.
var migrations = map[int]func(document){
	1: func(document) {},
	2: addNotifications,
	3: splitKeymaps,
	4: addTypeChange,
}

// migrate brings a document of an older version to SchemaVersion; false when there is no way from that version.
func migrate(doc document, version int) bool {
	for ; version < SchemaVersion; version++ {
		step, ok := migrations[version]
		if !ok {
			return false
		}
		step(doc)
	}
	return true
}

func addNotifications(doc document) {
	doc["notifications"] = json.RawMessage(`{"channels":["bell"],"enabled":true}`)
}

// flatKeys are the actions of the one keymap that versions before 4 had, and what they became.
var flatKeys = []struct {
	name string
	to   []binding
}{
	{"dismiss", []binding{{Global, "dismiss"}}},
	{"confirm", []binding{{Main, "confirm"}, {Editor, "submit"}, {NoteEditor, "save"}}},
	{"cancel", []binding{{Main, "cancel"}, {Editor, "close"}, {NoteEditor, "close"}}},
	{"toggle", []binding{{Main, "toggle"}}},
	{"optionNote", []binding{{Main, "optionNote"}}},
	{"questionNote", []binding{{Main, "questionNote"}}},
}

type binding struct {
	context Context
	action  string
}

func splitKeymaps(doc document) {
	flat, ok := object(doc["keymaps"])
	if !ok || flat["main"] != nil || flat["global"] != nil {
		return
	}
	keys := publishedKeys()
	for _, f := range flatKeys {
		var key string
		if json.Unmarshal(flat[f.name], &key) != nil || string(flat[f.name]) == "null" {
			continue
		}
		for _, b := range f.to {
			keys[b.context][b.action] = []string{key}
		}
	}
	doc["keymaps"] = mustMarshal(keys)
}

// publishedKeys are the default keys without the added actions.
func publishedKeys() map[Context]map[string][]string {
	out := map[Context]map[string][]string{}
	for _, row := range actionTable {
		out[row.context] = map[string][]string{}
		for _, a := range row.actions {
			if !a.added {
				out[row.context][a.name] = a.keys
			}
		}
	}
	return out
}

func addTypeChange(doc document) {
	if b, ok := section(doc["behaviour"]); ok {
		b["presentSingleAsMulti"] = json.RawMessage("false")
		doc["behaviour"] = mustMarshal(b)
	}
	keymaps, _ := object(doc["keymaps"])
	main, ok := object(keymaps["main"])
	if !ok || main["changeQuestionType"] != nil {
		return
	}
	main["changeQuestionType"] = json.RawMessage(`["t"]`)
	keymaps["main"] = mustMarshal(main)
	doc["keymaps"] = mustMarshal(keymaps)
}

// section is object, but a missing one is empty.
func section(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	if raw == nil {
		return map[string]json.RawMessage{}, true
	}
	return object(raw)
}

// mustMarshal encodes maps of strings and of JSON that has just been decoded; neither can fail.
func mustMarshal(v any) json.RawMessage {
	b, err := marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
