package main

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Keys of a call's _meta. metaRequest is a request id (a UUID) that a client may give a call, so that sending it again is
// harmless over a restart of the client too. metaCall is the call's own JSON-RPC id, put there on its way in.
const (
	metaRequest = "askd/requestId"
	metaCall    = "askd/call"
)

// mcpTransport is the transport to a client that tells handlers the id of their call, and the bridge when a result has been
// written.
type mcpTransport struct {
	mcp.Transport
	bridge *bridge
}

// Connect opens the connection to the client.
func (t *mcpTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &mcpConnection{c, t.bridge}, nil
}

type mcpConnection struct {
	mcp.Connection
	bridge *bridge
}

// Read gives the client's next message.
func (c *mcpConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if r, ok := m.(*jsonrpc.Request); ok && err == nil && r.Method == "tools/call" && r.ID.IsValid() {
		r.Params = withCallID(r.Params, r.ID)
	}
	return m, err
}

// Write sends a message; a result that has left is delivered.
func (c *mcpConnection) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if r, ok := m.(*jsonrpc.Response); ok && err == nil {
		c.bridge.written(callKey(r.ID))
	}
	return err
}

// callKey writes a JSON-RPC id so that 1 and "1" differ.
func callKey(id jsonrpc.ID) string {
	raw, err := json.Marshal(id.Raw())
	if err != nil {
		return ""
	}
	return string(raw)
}

// withCallID puts the call's id into the parameters; what is no object is left for the server to refuse.
func withCallID(params json.RawMessage, id jsonrpc.ID) json.RawMessage {
	var p, meta map[string]json.RawMessage
	if json.Unmarshal(params, &p) != nil || p == nil {
		return params
	}
	if raw, ok := p["_meta"]; ok && json.Unmarshal(raw, &meta) != nil {
		return params
	}
	if meta == nil {
		meta = map[string]json.RawMessage{}
	}
	key, err := json.Marshal(callKey(id))
	if err != nil {
		return params
	}
	meta[metaCall] = key
	if p["_meta"], err = json.Marshal(meta); err != nil {
		return params
	}
	out, err := json.Marshal(p)
	if err != nil {
		return params
	}
	return out
}
