package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"askd/broker"
	"askd/broker/ask"
)

// Protocol is the version of the protocol that this package speaks.
const Protocol = 1

// Codes of JSON-RPC and of the protocol's own error kinds.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeUnknownMethod  = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
)

// kindCodes gives each error kind its number, so that a client can tell them apart without reading data.
var kindCodes = map[broker.Kind]int{
	broker.InvalidParams:      codeInvalidParams,
	broker.NotFound:           -32001,
	broker.Unavailable:        -32002,
	broker.Conflict:           -32003,
	broker.TooLarge:           codeInvalidRequest,
	broker.UnsupportedVersion: -32005,
	broker.ShuttingDown:       -32006,
	broker.Storage:            -32007,
}

// kindsOfFaults gives faults of JSON-RPC itself a kind: every error has one.
var kindsOfFaults = map[int]broker.Kind{
	codeParse: broker.InvalidParams, codeInvalidRequest: broker.InvalidParams, codeUnknownMethod: broker.NotFound, codeInternal: broker.Unavailable,
}

// Error is the error object of a reply. Data may be nil for faults of JSON-RPC itself until they are sent.
type Error struct {
	Code    int        `json:"code"`
	Message string     `json:"message"`
	Data    *ErrorData `json:"data,omitempty"`
}

// ErrorData says what kind of error it is, what to do, and which field it is about.
type ErrorData struct {
	Kind broker.Kind `json:"kind"`
	Hint string      `json:"hint,omitempty"`
	Path string      `json:"path,omitempty"`
}

// Error is the message and, when there is one, the hint.
func (e *Error) Error() string {
	if e.Data != nil && e.Data.Hint != "" {
		return e.Message + ": " + e.Data.Hint
	}
	return e.Message
}

// shown is the error as people may read it: it can repeat what a client sent, and most clients print it as it comes.
func (e *Error) shown() *Error {
	out := *e
	out.Message = sentence(e.Message)
	data := ErrorData{Kind: kindsOfFaults[e.Code]}
	if e.Data != nil {
		data = *e.Data
	}
	data.Hint, data.Path = sentence(data.Hint), sentence(data.Path)
	out.Data = &data
	return &out
}

// sentence cleans a text for a terminal and shortens it.
func sentence(s string) string {
	if len(s) > maxSentence {
		s = s[:maxSentence] + "…"
	}
	return ask.Clean(s)
}

// Kind is the error's kind, empty for an error without data.
func (e *Error) Kind() broker.Kind {
	if e.Data == nil {
		return ""
	}
	return e.Data.Kind
}

// errorOf words any error as an error object.
func errorOf(err error) *Error {
	var we *Error
	if errors.As(err, &we) {
		return we
	}
	var be *broker.Error
	if errors.As(err, &be) {
		return &Error{Code: kindCodes[be.Kind], Message: be.Message, Data: &ErrorData{Kind: be.Kind, Hint: be.Hint, Path: be.Path}}
	}
	return &Error{Code: codeInternal, Message: err.Error()}
}

// Incoming is any message as it arrives: a request, a notification or a reply. ID is raw so that it goes back as it came.
type Incoming struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *Error          `json:"error"`
}

type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result"`
}

type failure struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   *Error          `json:"error"`
}

type notification struct {
	Version string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

// decodeParams reads a method's parameters; absent ones are an empty object. A wrong type names its field.
func decodeParams(raw json.RawMessage, into any) error {
	if len(raw) == 0 {
		return nil
	}
	err := ask.UnmarshalExactly(raw, into)
	if err == nil {
		return nil
	}
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) {
		return &broker.Error{
			Kind: broker.InvalidParams, Path: te.Field,
			Message: fmt.Sprintf("%s: expected %s, found %s", fieldName(te.Field), jsonType(te.Type), te.Value), Hint: "see the protocol page for the method's parameters",
		}
	}
	return &broker.Error{Kind: broker.InvalidParams, Message: "params: " + err.Error(), Hint: "send one JSON object"}
}

// jsonTypes words kinds of Go as kinds of JSON.
var jsonTypes = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "true or false", reflect.Slice: "array", reflect.Struct: "object", reflect.Map: "object",
	reflect.Int: "a whole number",
}

func jsonType(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if name, ok := jsonTypes[t.Kind()]; ok {
		return name
	}
	return "number"
}

func fieldName(f string) string {
	if f == "" {
		return "params"
	}
	return f
}
