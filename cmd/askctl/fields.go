package main

import (
	"encoding/json"
	"fmt"

	"askd/broker/ask"
	"askd/config"
)

// The fields that ask_user reads, by where they stand.
var (
	formFields     = []string{"title", "background", "questions"}
	questionFields = []string{"id", "label", "prompt", "context", "type", "options", "input", "placeholder", "preview", "previewFile"}
	optionFields   = []string{"value", "label", "description", "recommended", "preview", "previewFile"}
)

// misspelt names the fields of the questions that askd would pass over and that look like ones it reads. Fields that resemble
// none are the script's own affair.
func misspelt(tool string, arguments ask.Map[json.RawMessage]) []string {
	if tool != ask.ToolAskUser {
		return nil
	}
	out := misnamed("", arguments, formFields)
	questions, _ := arguments.Get("questions")
	for i, q := range objects(questions) {
		path := fmt.Sprintf("questions[%d].", i)
		out = append(out, misnamed(path, q, questionFields)...)
		options, _ := q.Get("options")
		for j, o := range objects(options) {
			out = append(out, misnamed(fmt.Sprintf("%soptions[%d].", path, j), o, optionFields)...)
		}
	}
	return out
}

// objects are the objects of a list; what is none of them is left for askd to refuse.
func objects(raw json.RawMessage) []ask.Map[json.RawMessage] {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	out := make([]ask.Map[json.RawMessage], len(list))
	for i := range list {
		_ = json.Unmarshal(list[i], &out[i])
	}
	return out
}

func misnamed(path string, m ask.Map[json.RawMessage], known []string) []string {
	var out []string
	for key := range m.All() {
		if near := config.Nearest(key, known); near != "" && near != key {
			out = append(out, fmt.Sprintf("%s%s is no field of a question and is passed over; is it meant to be %q?", path, key, near))
		}
	}
	return out
}
