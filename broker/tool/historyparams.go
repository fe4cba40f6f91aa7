package tool

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"reflect"

	"askd/broker/ask"
)

// ListParams are the arguments of list_ask_history.
type ListParams struct {
	Query        string
	AnsweredOnly bool
	Offset       int
	Limit        int // 1 to 200
}

// ExportParams are the arguments of export_ask_history. Nil Keys are all of the branch.
type ExportParams struct {
	Path string           `json:"path"`
	Keys []ask.HistoryKey `json:"keys"`
}

// ParseList reads the arguments of list_ask_history. Errors are *ParamError.
func ParseList(raw json.RawMessage) (ListParams, error) {
	var a struct {
		Query        string `json:"query"`
		AnsweredOnly bool   `json:"answeredOnly"`
		Offset       whole  `json:"offset"`
		Limit        *whole `json:"limit"`
	}
	if err := readParams(raw, &a); err != nil {
		return ListParams{}, err
	}
	p := ListParams{Query: a.Query, AnsweredOnly: a.AnsweredOnly, Offset: int(a.Offset), Limit: defaultListLimit}
	if a.Limit != nil {
		p.Limit = int(*a.Limit)
	}
	if p.Offset < 0 {
		return p, &ParamError{Path: "offset", Message: "expected 0 or more"}
	}
	if p.Limit < 1 || p.Limit > maxListLimit {
		return p, &ParamError{Path: "limit", Message: "expected 1 to 200"}
	}
	return p, nil
}

// ParseRead reads the arguments of read_ask_history. A key that is missing is blank, and no question has it. Errors are
// *ParamError.
func ParseRead(raw json.RawMessage) (ask.HistoryKey, error) {
	var k ask.HistoryKey
	err := readParams(raw, &k)
	return k, err
}

// ParseExport reads the arguments of export_ask_history. What the contract has a sentence for is left to SelectHistory and
// ExportPath. Errors are *ParamError.
func ParseExport(raw json.RawMessage) (ExportParams, error) {
	var p ExportParams
	err := readParams(raw, &p)
	return p, err
}

// ExportPath is the file that an export writes, absolute, a relative path taken from the asking session's folder. Error:
// ErrNoPath. The contract looks at the path after the selection.
func ExportPath(path, cwd string) (string, error) {
	if ask.Blank(path) {
		return "", ErrNoPath
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	return filepath.Join(cwd, path), nil
}

// ParseWait reads the arguments of wait_for_answers, which has none: an object, whatever is in it. Errors are *ParamError.
func ParseWait(raw json.RawMessage) error { return readParams(raw, &struct{}{}) }

func readParams(raw json.RawMessage, v any) error {
	if len(raw) == 0 {
		return nil
	}
	err := ask.UnmarshalExactly(raw, v)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return &ParamError{Path: cmp.Or(wrong.Field, "arguments"), Message: "expected " + kindNames[wrong.Type.Kind()] + ", found " + wrong.Value}
	}
	if err != nil {
		return &ParamError{Path: "arguments", Message: "not valid JSON; send one JSON object"}
	}
	return nil
}

// whole is a number without a fraction, however it is written: JSON knows no other difference, 2.0 is 2.
type whole int

// UnmarshalJSON is called for null as well, which leaves the number as it is.
func (w *whole) UnmarshalJSON(raw []byte) error {
	var n float64
	err := json.Unmarshal(raw, &n)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		return &json.UnmarshalTypeError{Value: wrong.Value, Type: reflect.TypeFor[int]()}
	case err != nil || n != math.Trunc(n) || math.Abs(n) > mostWhole:
		return &json.UnmarshalTypeError{Value: "number " + string(raw), Type: reflect.TypeFor[int]()}
	}
	*w = whole(n)
	return nil
}

// mostWhole is the largest number that every reader of JSON takes for itself.
const mostWhole = 1<<53 - 1

// kindNames are the types of parameters as an agent knows them.
var kindNames = map[reflect.Kind]string{
	reflect.String: "a string",
	reflect.Bool:   "true or false",
	reflect.Int:    "a whole number",
	reflect.Slice:  "a list",
	reflect.Struct: "an object",
}
