package piextension

import (
	"bytes"
	"encoding/json"
	"fmt"

	"askd/broker/tool"
)

//go:generate go run ./gen -o tools.json

// offered is the interface of the tools that the extension registers.
var offered = tool.Interface{}

// Tools makes the content of tools.json from the definitions that askd itself works with, so that the two cannot drift
// apart. The file is generated because Pi needs the tools before it can have connected to anything.
func Tools() ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(tool.Definitions(offered)); err != nil {
		return nil, fmt.Errorf("encode the tools: %w", err)
	}
	return out.Bytes(), nil
}
