package ask

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// PrepareLabels gives every option without a label one made of its value (contract, "Input rules"): hyphens and
// underscores become spaces and the first character is capitalised. Everything else, malformed parts included, stays byte
// for byte. It must run before arguments meet the schema; ReadPayload runs it itself.
func PrepareLabels(arguments json.RawMessage) json.RawMessage {
	if !validJSON(arguments) {
		return arguments
	}
	root, ok := splitObject(arguments)
	if !ok {
		return arguments
	}
	if list, changed := mapItems(root.get("questions"), prepareQuestion); changed {
		root.set("questions", list)
	}
	return root.bytes()
}

func prepareQuestion(raw []byte) ([]byte, bool) {
	q, ok := splitObject(raw)
	if !ok {
		return raw, false
	}
	if list, changed := mapItems(q.get("options"), prepareOption); changed {
		q.set("options", list)
	}
	return q.bytes(), q.dirty
}

func prepareOption(raw []byte) ([]byte, bool) {
	o, ok := splitObject(raw)
	if ok {
		deriveLabel(&o)
	}
	if !o.dirty {
		return raw, false
	}
	return o.bytes(), true
}

// mapItems applies f to the items of an array and says whether any of them changed. What is no array stays.
func mapItems(raw []byte, f func([]byte) ([]byte, bool)) ([]byte, bool) {
	var items [][]byte
	changed := false
	eachItem(raw, func(_ int, item []byte) bool {
		item, c := f(item)
		items, changed = append(items, item), changed || c
		return true
	})
	if !changed {
		return raw, false
	}
	return joinArray(items), true
}

// deriveLabel sets a missing or blank label from the value. A label of another JSON type is left to be refused.
func deriveLabel(o *object) {
	label := o.get("label")
	if label != nil && (!isString(label) || !Blank(decodeString(label))) {
		return
	}
	value := o.get("value")
	if !isString(value) {
		return
	}
	if derived := labelOf(decodeString(value)); derived != "" {
		o.set("label", quote(derived))
	}
}

var separators = strings.NewReplacer("_", " ", "-", " ")

func labelOf(value string) string {
	words := strings.Join(strings.FieldsFunc(separators.Replace(value), isSpace), " ")
	return upperFirst(words)
}

// upperFirst upper-cases the first UTF-16 unit as JavaScript does: half of a surrogate pair has no upper case, and a
// character may become several.
func upperFirst(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 || r > 0xFFFF {
		return s
	}
	if special, ok := specialUpper[r]; ok {
		return special + s[size:]
	}
	return string(unicode.ToUpper(r)) + s[size:]
}

// specialUpper holds the full case mappings (SpecialCasing) of the letters that words really begin with; Go maps
// one character to one.
var specialUpper = map[rune]string{
	'ß': "SS", 'ŉ': "ʼN", 'ǰ': "J̌", 'ΐ': "Ϊ́", 'ΰ': "Ϋ́", 'և': "ԵՒ", 'ẖ': "H̱", 'ẗ': "T̈", 'ẘ': "W̊", 'ẙ': "Y̊", 'ẚ': "Aʾ",
	'ﬀ': "FF", 'ﬁ': "FI", 'ﬂ': "FL", 'ﬃ': "FFI", 'ﬄ': "FFL", 'ﬅ': "ST", 'ﬆ': "ST",
	'ﬓ': "ՄՆ", 'ﬔ': "ՄԵ", 'ﬕ': "ՄԻ", 'ﬖ': "ՎՆ", 'ﬗ': "ՄԽ",
}

// validArguments gives the arguments to work on: none at all count as an empty object.
func validArguments(arguments json.RawMessage) (json.RawMessage, bool) {
	if len(bytes.TrimSpace(arguments)) == 0 || isNull(bytes.TrimSpace(arguments)) {
		return json.RawMessage(`{}`), true
	}
	return arguments, validJSON(arguments)
}
