package config

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// questionMaxTimeout is what a 32-bit timer holds, in milliseconds.
const questionMaxTimeout = math.MaxInt32

// keySpecSymbols are the marks that a toggle key may hold besides letters and digits.
const keySpecSymbols = "+_-!@#$%^&*()|~`'\":;,./<>?[]{}=\\"

// The published value errors.
var (
	errDisplayMode = errors.New("displayMode must be inline or overlay.")
	errLayout      = errors.New("singleSelectLayout must be auto or list.")
	errTimeout     = errors.New("timeout must be an integer from 0 to 2147483647 milliseconds (0 disables it).")
	errToggleKey   = errors.New("overlayToggleKey must be a shortcut such as alt+o, or off to disable it.")
)

// questionKey is one setting: how the file holds it, what a person may type, and what the environment says.
type questionKey struct {
	name string
	file func(*QuestionSettings, json.RawMessage) error
	text func(string) (any, error) // trimmed, lower case
	env  string
	take func(*QuestionSettings, string) // what env says; ignores what it does not understand
}

var questionKeys = []questionKey{
	{"displayMode", fileDisplayMode, oneOf(errDisplayMode, "inline", "overlay"), "PI_ASK_USER_DISPLAY_MODE", envDisplayMode},
	{"singleSelectLayout", fileLayout, oneOf(errLayout, "auto", "list"), "PI_ASK_USER_SINGLE_SELECT_LAYOUT", envLayout},
	{"overlayToggleKey", fileToggleKey, textToggleKey, "PI_ASK_USER_OVERLAY_TOGGLE_KEY", envToggleKey},
	{"timeout", fileTimeout, textTimeout, "", nil},
}

// value is what the file holds for a typed text; nil removes the key.
func (k questionKey) value(text string) (json.RawMessage, error) {
	typed := strings.ToLower(strings.TrimSpace(text))
	if typed == "default" {
		return nil, nil
	}
	v, err := k.text(typed)
	if err != nil {
		return nil, err
	}
	return mustMarshal(v), nil
}

func questionFallback(lookup func(string) (string, bool)) QuestionSettings {
	s := QuestionSettings{DisplayMode: "inline", SingleSelectLayout: "auto", OverlayToggleKey: "alt+o"}
	for _, k := range questionKeys {
		if k.take == nil {
			continue
		}
		if v, ok := lookup(k.env); ok {
			k.take(&s, strings.ToLower(strings.TrimSpace(v)))
		}
	}
	return s
}

func oneOf(wrong error, allowed ...string) func(string) (any, error) {
	return func(typed string) (any, error) {
		for _, a := range allowed {
			if typed == a {
				return typed, nil
			}
		}
		return nil, wrong
	}
}

func fileDisplayMode(s *QuestionSettings, raw json.RawMessage) error {
	text, ok := jsonText(raw)
	if !ok || (text != "inline" && text != "overlay") {
		return errDisplayMode
	}
	s.DisplayMode = text
	return nil
}

func envDisplayMode(s *QuestionSettings, v string) {
	if v == "inline" || v == "overlay" {
		s.DisplayMode = v
	}
}

func fileLayout(s *QuestionSettings, raw json.RawMessage) error {
	text, ok := jsonText(raw)
	if !ok || (text != "auto" && text != "list") {
		return errLayout
	}
	s.SingleSelectLayout = text
	return nil
}

func envLayout(s *QuestionSettings, v string) {
	if v == "list" {
		s.SingleSelectLayout = v
	}
}

func fileToggleKey(s *QuestionSettings, raw json.RawMessage) error {
	text, ok := jsonText(raw)
	if !ok {
		return errToggleKey
	}
	key, ok := toggleKey(strings.ToLower(strings.TrimSpace(text)))
	if !ok {
		return errToggleKey
	}
	s.OverlayToggleKey = key
	return nil
}

func envToggleKey(s *QuestionSettings, v string) {
	if key, ok := toggleKey(v); ok {
		s.OverlayToggleKey = key
	}
}

// textToggleKey takes no empty text, unlike the file: a person who types nothing has not switched the key off.
func textToggleKey(typed string) (any, error) {
	if _, ok := toggleKey(typed); !ok || typed == "" {
		return nil, errToggleKey
	}
	return typed, nil
}

// toggleKey is the key that a spec in lower case names; empty when it turns the key off.
func toggleKey(spec string) (key string, ok bool) {
	switch spec {
	case "", "off", "none", "disabled":
		return "", true
	}
	if strings.HasPrefix(spec, "+") || strings.HasSuffix(spec, "+") || strings.Contains(spec, "++") {
		return "", false
	}
	return spec, strings.IndexFunc(spec, notKeySpec) < 0
}

func notKeySpec(r rune) bool {
	isPlain := 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
	return !isPlain && !strings.ContainsRune(keySpecSymbols, r)
}

func fileTimeout(s *QuestionSettings, raw json.RawMessage) error {
	var v *float64
	if json.Unmarshal(raw, &v) != nil || v == nil || !isTimeout(*v) {
		return errTimeout
	}
	s.Timeout = time.Duration(*v) * time.Millisecond
	return nil
}

func textTimeout(typed string) (any, error) {
	v, ok := looseNumber(typed)
	if !ok || !isTimeout(v) {
		return nil, errTimeout
	}
	return int64(v), nil
}

func isTimeout(v float64) bool {
	return v == math.Trunc(v) && v >= 0 && v <= questionMaxTimeout
}

// looseNumber reads what the published command takes for a number: "9000", "1e3", "+5", "0x10".
func looseNumber(s string) (float64, bool) {
	if strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0o") || strings.HasPrefix(s, "0b") {
		v, err := strconv.ParseUint(s, 0, 64)
		return float64(v), err == nil && !strings.Contains(s, "_")
	}
	if s == "" || strings.Trim(s, "0123456789.e+-") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

// jsonText is the string that raw holds.
func jsonText(raw json.RawMessage) (string, bool) {
	var v *string
	if json.Unmarshal(raw, &v) != nil || v == nil {
		return "", false
	}
	return *v, true
}
