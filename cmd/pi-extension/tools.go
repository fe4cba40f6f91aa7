package piextension

import (
	"bytes"
	"encoding/json"
	"fmt"

	"askd/broker/tool"
)

//go:generate go run ./gen -o tools.json
//go:generate go run ./gen -background-only -o tools-background-only.json

// Tools makes the content of tools.json, or with backgroundOnly that of tools-background-only.json, from the definitions
// that askd itself works with, so that the two cannot drift apart. The files are generated because Pi needs the tools
// before it can have connected to anything.
func Tools(backgroundOnly bool) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(tool.Definitions(tool.Interface{Background: true, BackgroundOnly: backgroundOnly})); err != nil {
		return nil, fmt.Errorf("encode the tools: %w", err)
	}
	return out.Bytes(), nil
}
