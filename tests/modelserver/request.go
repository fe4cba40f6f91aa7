package modelserver

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Request is one request to the model.
type Request struct {
	Messages []Message
	Tools    []string        // names of the tools that were declared
	Body     json.RawMessage // as it came
}

// Message is one message of a request. Content is its text, the text of several blocks joined by line feeds.
type Message struct {
	Role       string
	Content    string
	ToolCallID string
}

// Last is the newest message; the zero value when there is none.
func (r Request) Last() Message {
	if len(r.Messages) == 0 {
		return Message{}
	}
	return r.Messages[len(r.Messages)-1]
}

// ToolResult is the result of a tool call, nil when the request holds none.
func (r Request) ToolResult(callID string) *Message {
	for i := range r.Messages {
		if m := &r.Messages[i]; m.Role == "tool" && m.ToolCallID == callID {
			return m
		}
	}
	return nil
}

func parse(body []byte) (Request, error) {
	var raw struct {
		Messages []struct {
			Role       string          `json:"role"`
			Content    json.RawMessage `json:"content"`
			ToolCallID string          `json:"tool_call_id"`
		} `json:"messages"`
		Tools []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &raw); err != nil {
		return Request{}, fmt.Errorf("read request: %w", err)
	}
	r := Request{Body: body}
	for _, m := range raw.Messages {
		r.Messages = append(r.Messages, Message{Role: m.Role, Content: text(m.Content), ToolCallID: m.ToolCallID})
	}
	for _, tool := range raw.Tools {
		r.Tools = append(r.Tools, tool.Function.Name)
	}
	return r, nil
}

// text reads content that is a string or a list of blocks.
func text(raw json.RawMessage) string {
	var whole string
	if json.Unmarshal(raw, &whole) == nil {
		return whole
	}
	var blocks []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &blocks) != nil {
		return ""
	}
	var parts []string
	for _, b := range blocks {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		} else {
			parts = append(parts, "["+b.Type+"]")
		}
	}
	return strings.Join(parts, "\n")
}
