package tests

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"askd/tests/modelserver"
)

// TestPiAsksThroughMCP: Pi without the extension, as a plain MCP client, brings a question to the pane and its answer to the
// model. Pi sends a token for progress, so the call is held.
func TestPiAsksThroughMCP(t *testing.T) {
	r := newRig(t, asking(modelserver.Call{ID: "call_1", Name: "mcp__askd__ask_user", Args: database()}))
	if err := os.RemoveAll(filepath.Join(r.home.Extensions(), "askd")); err != nil {
		t.Fatal(err)
	}
	servers, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"askd": map[string]any{
		"command": program(t, "askctl"), "args": []string{"mcp"}, "exposure": "direct", "env": map[string]string{"ASKD_SOCKET": r.place.socket},
	}}})
	if err == nil {
		err = os.WriteFile(filepath.Join(r.home.AgentDir, "mcp.json"), servers, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	askd := person{r.startAskd()}
	r.startPi()
	r.say("go")
	askd.WaitFor("Which database?")
	askd.WaitFor("project") // the folder that Pi runs in names the asker
	askd.pick("2")
	if got := r.model.WaitToolResult(t, "call_1"); !strings.Contains(got, "Database: SQLite") {
		t.Errorf("the model was sent %q", got)
	}
}
