package pienv

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Home is a throw-away home folder with an agent folder and a project in it.
type Home struct {
	Dir      string // HOME
	AgentDir string // PI_CODING_AGENT_DIR
	Project  string // where the agent runs
}

// NewHome makes a home whose only model is the one at a URL, with everything off that would need the network.
func NewHome(t testing.TB, modelURL string) Home {
	t.Helper()
	dir := t.TempDir()
	h := Home{Dir: dir, AgentDir: filepath.Join(dir, "agent"), Project: filepath.Join(dir, "project")}
	for _, d := range []string{h.Extensions(), h.Project} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	writeJSON(t, filepath.Join(h.AgentDir, "models.json"), models(modelURL))
	writeJSON(t, filepath.Join(h.AgentDir, "settings.json"), settings())
	return h
}

// Extensions is the folder whose extensions the agent loads.
func (h Home) Extensions() string { return filepath.Join(h.AgentDir, "extensions") }

// Env is the whole environment of an agent.
func (h Home) Env(more ...string) []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + h.Dir, "LANG=C.UTF-8", "PI_CODING_AGENT_DIR=" + h.AgentDir,
		"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0", "PI_TUI_ESC_TIMEOUT=10",
	}, more...)
}

func writeJSON(t testing.TB, path string, value any) {
	t.Helper()
	data, err := json.MarshalIndent(value, "", "  ")
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func models(url string) any {
	free := map[string]int{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
	return map[string]any{"providers": map[string]any{"scripted": map[string]any{
		"name": "Scripted", "baseUrl": url, "api": "openai-completions", "apiKey": "none",
		"compat": map[string]any{"requiresToolResultName": true},
		"models": []any{map[string]any{
			"id": "scripted", "name": "Scripted", "reasoning": false, "input": []string{"text", "image"},
			"contextWindow": 200000, "maxTokens": 8192, "cost": free,
		}},
	}}}
}

func settings() any {
	return map[string]any{
		"defaultProvider": "scripted", "defaultModel": "scripted", "theme": "dark", "quietStartup": true,
		"defaultProjectTrust": "always", "lastChangelogVersion": "99.0.0", "enableInstallTelemetry": false,
		"retry": map[string]any{"enabled": false}, "cacheWarming": "off",
		"compaction": map[string]any{"keepRecentTokens": 10}, // a short conversation can be compacted too
	}
}
