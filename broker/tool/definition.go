package tool

import (
	"encoding/json"

	"askd/broker/ask"
)

// Interface says which shape of the tools is wanted.
type Interface struct {
	Background      bool // background calls exist; without it the schema has no background field and there is no wait
	BackgroundOnly  bool // every call is queued: no background field, no wait
	HistoryTools    bool
	AskUserQuestion bool
}

// Definition is a tool as an agent sees it (PROTOCOL, ToolDefinition). It marshals to the same bytes every time.
type Definition struct {
	Name             string       `json:"name"`
	Label            string       `json:"label"`
	Description      string       `json:"description"`
	PromptSnippet    string       `json:"promptSnippet,omitempty"`
	PromptGuidelines []string     `json:"promptGuidelines,omitempty"`
	Parameters       *Schema      `json:"parameters"`
	OutputSchema     *Schema      `json:"outputSchema,omitempty"`
	Annotations      *Annotations `json:"annotations,omitempty"`
	Exposure         string       `json:"exposure,omitempty"`
	ExecutionMode    string       `json:"executionMode,omitempty"`
}

// Annotations are hints about what a tool does to the world; nil is unknown.
type Annotations struct {
	ReadOnlyHint    *bool `json:"readOnlyHint,omitempty"`
	DestructiveHint *bool `json:"destructiveHint,omitempty"`
	IdempotentHint  *bool `json:"idempotentHint,omitempty"`
	OpenWorldHint   *bool `json:"openWorldHint,omitempty"`
}

// Schema is the part of JSON Schema that the tools need. The zero value accepts anything.
type Schema struct {
	Type                 string            `json:"type,omitempty"`
	Const                any               `json:"const,omitempty"`
	Enum                 []string          `json:"enum,omitempty"`
	Description          string            `json:"description,omitempty"`
	Properties           *ask.Map[*Schema] `json:"properties,omitempty"`
	Required             []string          `json:"required,omitempty"`
	Items                *Schema           `json:"items,omitempty"`
	AdditionalProperties any               `json:"additionalProperties,omitempty"` // a *Schema, or false for none
	AnyOf                []*Schema         `json:"anyOf,omitempty"`
	MinLength            *int              `json:"minLength,omitempty"`
	MinItems             *int              `json:"minItems,omitempty"`
	MaxItems             *int              `json:"maxItems,omitempty"`
	Minimum              *int              `json:"minimum,omitempty"`
	Maximum              *int              `json:"maximum,omitempty"`
	Default              json.RawMessage   `json:"default,omitempty"`
}

// catalogue makes the definitions in the order in which agents list them; nil is a tool that the interface leaves out.
var catalogue = []func(Interface) *Definition{
	defineAskUser,
	defineWait,
	defineQuestion,
}

// Definitions gives the tools of an interface.
func Definitions(i Interface) []Definition {
	var out []Definition
	for _, define := range catalogue {
		if d := define(i); d != nil {
			out = append(out, *d)
		}
	}
	return out
}

// prop is one property of an object schema.
type prop struct {
	name     string
	optional bool
	schema   *Schema
}

// object makes an object schema; properties keep their order.
func object(props ...prop) *Schema {
	s := &Schema{Type: "object", Properties: &ask.Map[*Schema]{}}
	for _, p := range props {
		s.Properties.Set(p.name, p.schema)
		if !p.optional {
			s.Required = append(s.Required, p.name)
		}
	}
	return s
}

func text(description string) *Schema { return &Schema{Type: "string", Description: description} }

func boolean(description string) *Schema { return &Schema{Type: "boolean", Description: description} }

func integer(description string) *Schema { return &Schema{Type: "integer", Description: description} }

func list(description string, items *Schema) *Schema {
	return &Schema{Type: "array", Description: description, Items: items}
}

func choice(description string, values ...string) *Schema {
	return &Schema{Type: "string", Description: description, Enum: values}
}

func record(values *Schema) *Schema { return &Schema{Type: "object", AdditionalProperties: values} }
