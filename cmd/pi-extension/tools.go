package piextension

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"askd/broker/ask"
	"askd/broker/tool"
)

//go:generate go run gen.go -o tools.json
//go:generate go run gen.go -background-only -o tools-background-only.json
//go:generate go run gen.go -history -o tools-history.json
//go:generate go run gen.go -question -o tools-question.json

// Tools makes the content of tools.json, or with backgroundOnly that of tools-background-only.json, from the definitions
// that askd itself works with, so that the two cannot drift apart. The files are generated because Pi needs the tools
// before it can have connected to anything.
func Tools(backgroundOnly bool) ([]byte, error) {
	return encode(tool.Definitions(tool.Interface{Background: true, BackgroundOnly: backgroundOnly}))
}

// HistoryTools makes the content of tools-history.json: the tools that come with the setting behaviour.historyTools.
func HistoryTools() ([]byte, error) {
	all := tool.Definitions(tool.Interface{HistoryTools: true})
	return encode(slices.DeleteFunc(all, func(d tool.Definition) bool { return !historyTools[d.Name] }))
}

// QuestionTools makes the content of tools-question.json: the tool that comes with the setting tools.askUserQuestion.
func QuestionTools() ([]byte, error) {
	all := tool.Definitions(tool.Interface{AskUserQuestion: true})
	return encode(slices.DeleteFunc(all, func(d tool.Definition) bool { return d.Name != ask.ToolQuestion }))
}

// historyTools are the names of the tools over the history.
var historyTools = map[string]bool{tool.ToolListHistory: true, tool.ToolReadHistory: true, tool.ToolExportHistory: true}

func encode(tools []tool.Definition) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(tools); err != nil {
		return nil, fmt.Errorf("encode the tools: %w", err)
	}
	return out.Bytes(), nil
}
