package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/tool"
)

// mcpInterface is the shape of the tools that an MCP client is served.
func mcpInterface(o mcpOptions) tool.Interface {
	return tool.Interface{Background: true, AskUserQuestion: o.question}
}

// mcpInstructions tell the model when to ask: the guidelines of the tools, which MCP has no other place for.
func mcpInstructions(o mcpOptions) string {
	lines := []string{"Ask the person who runs you through askd, their inbox for questions. An unanswered or cancelled question is no decision."}
	for _, d := range tool.Definitions(mcpInterface(o)) {
		for _, g := range d.PromptGuidelines {
			lines = append(lines, "- "+g)
		}
	}
	return strings.Join(lines, "\n")
}

// addTools offers the ask tools.
func (b *bridge) addTools(server *mcp.Server) {
	for _, d := range tool.Definitions(mcpInterface(b.o)) {
		t := &mcp.Tool{Name: d.Name, Title: d.Label, Description: d.Description, InputSchema: d.Parameters}
		if d.OutputSchema != nil {
			t.OutputSchema = d.OutputSchema
		}
		if d.Annotations != nil {
			t.Annotations = annotations(d.Annotations)
		}
		server.AddTool(t, b.handler(d.Name))
	}
}

func annotations(a *tool.Annotations) *mcp.ToolAnnotations {
	out := &mcp.ToolAnnotations{DestructiveHint: a.DestructiveHint, OpenWorldHint: a.OpenWorldHint}
	out.ReadOnlyHint = a.ReadOnlyHint != nil && *a.ReadOnlyHint
	out.IdempotentHint = a.IdempotentHint != nil && *a.IdempotentHint
	return out
}

// handler runs one tool for the client. What goes wrong is the result's text, for the model to read.
func (b *bridge) handler(name string) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if wanted := b.wantsRoots(req); wanted != nil {
			return &mcp.CallToolResult{InputRequests: wanted}, nil
		}
		own, _ := req.Params.Meta[metaRequest].(string)
		call, _ := req.Params.Meta[metaCall].(string)
		c := mcpCall{
			b: b, client: req.Session, progress: req.Params.GetProgressToken(),
			call: broker.CallParams{Tool: name, Arguments: req.Params.Arguments, RequestID: b.requestID(own, call)},
		}
		if len(c.call.Arguments) == 0 {
			c.call.Arguments = json.RawMessage("{}")
		}
		r, err := c.run(ctx)
		if err != nil {
			return failedCall(err), nil
		}
		b.carry(call, r.refs())
		return r.result(), nil
	}
}

func failedCall(err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}
}

// refs are the outcomes that a reply brings.
func (r *reply) refs() []broker.OutcomeRef {
	var out []broker.OutcomeRef
	if r.OutcomeID != "" {
		out = append(out, broker.OutcomeRef{RequestID: r.RequestID, OutcomeID: r.OutcomeID})
	}
	for _, d := range r.Deliveries {
		out = append(out, broker.OutcomeRef{RequestID: d.RequestID, OutcomeID: d.OutcomeID})
	}
	return out
}

// result is a reply as an MCP client takes it.
func (r *reply) result() *mcp.CallToolResult {
	out := &mcp.CallToolResult{IsError: r.IsError, Content: []mcp.Content{}}
	for _, block := range r.Content {
		out.Content = append(out.Content, mcpContent(block))
	}
	if len(r.Structured) > 0 {
		out.StructuredContent = r.Structured
	}
	return out
}

func mcpContent(b ask.Block) mcp.Content {
	if b.Type != "image" {
		return &mcp.TextContent{Text: b.Text}
	}
	data, err := base64.StdEncoding.DecodeString(b.Data)
	if err != nil {
		return &mcp.TextContent{Text: "(an image that cannot be read)"}
	}
	return &mcp.ImageContent{Data: data, MIMEType: b.MimeType}
}
