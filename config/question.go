package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// QuestionSettings are the person's preferences for ask_user_question. The zero value is not usable; LoadQuestion gives
// them whole.
type QuestionSettings struct {
	DisplayMode        string // "inline" or "overlay"
	SingleSelectLayout string // "auto" or "list"; for both selection modes, despite its name
	OverlayToggleKey   string // a key in lower case, used in overlay mode; empty: none
	Timeout            time.Duration
}

// QuestionLoaded is what the ask_user_question settings file means together with the environment.
type QuestionLoaded struct {
	Settings QuestionSettings
	Saved    map[string]bool // the keys that the file itself sets
	Path     string
	Warning  string // set when the file could not be used; ready to be shown
	Fault    error  // why it could not be used
}

// QuestionKeys are the keys of the ask_user_question settings, in the order in which they are listed.
func QuestionKeys() []string {
	out := make([]string, len(questionKeys))
	for i, k := range questionKeys {
		out[i] = k.name
	}
	return out
}

// LoadQuestion reads the ask_user_question settings afresh: for each key the saved value, else the environment of the
// asking program (lookup says whether a variable is set at all), else the default. A file that cannot be read or has one
// bad value is not used at all, and Warning says so. It never creates the file.
func LoadQuestion(path string, lookup func(string) (string, bool)) QuestionLoaded {
	l := QuestionLoaded{Settings: questionFallback(lookup), Saved: map[string]bool{}, Path: path}
	doc, err := readQuestion(path)
	if err != nil {
		l.Fault = err
		l.Warning = fmt.Sprintf("Cannot load ask_user_question settings from %s: %v. Using environment/default settings.", path, err)
		return l
	}
	for _, k := range questionKeys {
		if raw := doc.get(k.name); raw != nil {
			_ = k.file(&l.Settings, raw) // readQuestion has checked it
			l.Saved[k.name] = true
		}
	}
	return l
}

// QuestionSaveError is a refused or failed change of the ask_user_question settings.
type QuestionSaveError struct {
	Path string
	Err  error
}

// Error is the published text.
func (e *QuestionSaveError) Error() string {
	return fmt.Sprintf("Cannot update ask_user_question settings (%s): Error: %v", e.Path, e.Err)
}

// Unwrap gives the reason.
func (e *QuestionSaveError) Unwrap() error { return e.Err }

// SetQuestion changes one key in the ask_user_question settings file and keeps all other text in it. The value is what a
// person typed ("Overlay", "9000", "off"); "default" in any case removes the key. A file that is wrong is not touched.
// It reads the file afresh and replaces it in one step; errors are *QuestionSaveError, or ErrUnknownKey.
func SetQuestion(path, key, text string) error {
	for _, k := range questionKeys {
		if k.name == key {
			if err := setQuestion(path, k, text); err != nil {
				return &QuestionSaveError{path, err}
			}
			return nil
		}
	}
	return fmt.Errorf("%w %q; the settings are displayMode, singleSelectLayout, overlayToggleKey and timeout", ErrUnknownKey, key)
}

func setQuestion(path string, k questionKey, text string) error {
	value, err := k.value(text)
	if err != nil {
		return err
	}
	doc, err := readQuestion(path)
	if err != nil {
		return err
	}
	data, err := encodeIndented(doc.with(k.name, value))
	if err != nil {
		return err
	}
	return replace(path, data)
}

// readQuestion gives the file's members; a missing file has none. One bad value refuses the whole file.
func readQuestion(path string) (members, error) {
	data, err := readRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return members{}, nil
	}
	if err != nil {
		return nil, err
	}
	if !json.Valid(data) {
		var v any
		return nil, json.Unmarshal(data, &v)
	}
	doc, ok := orderedObject(data)
	if !ok {
		return nil, errors.New("Settings must be a JSON object.")
	}
	var scratch QuestionSettings
	for _, k := range questionKeys {
		if raw := doc.get(k.name); raw != nil {
			if err := k.file(&scratch, raw); err != nil {
				return nil, err
			}
		}
	}
	return doc, nil
}
