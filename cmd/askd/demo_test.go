package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"askd/broker/ask"
	"askd/broker/tool"
)

// TestDemoQuestions: what the demo's agents ask is what askd takes, and every tool that asks is among it.
func TestDemoQuestions(t *testing.T) {
	var agents []*demoAgent
	if err := json.Unmarshal(demoCalls, &agents); err != nil {
		t.Fatal(err)
	}
	shown, background := map[string]bool{}, false
	for _, a := range agents {
		asks, ok := tool.Lookup(a.Tool)
		if !ok {
			t.Errorf("%s asks with %q", a.Session.Name, a.Tool)
			continue
		}
		p, err := asks.Parse(a.Arguments, tool.Env{})
		if err != nil || p.Issues != nil || len(p.Questions) == 0 {
			t.Errorf("%s: %v, %+v", a.Session.Name, err, p)
		}
		shown[a.Tool] = true
		background = background || p.Background
	}
	if !background {
		t.Error("no form of the demo is a background one")
	}
	if !shown[ask.ToolAskUser] || !shown[ask.ToolQuestion] {
		t.Errorf("the demo shows %v", shown)
	}
}

// TestAfterTheDemo: no program is named as a next step that the shell does not find.
func TestAfterTheDemo(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	for _, installed := range []string{"", "askd", "askctl"} {
		if installed != "" {
			if err := os.WriteFile(filepath.Join(bin, installed), []byte("#!/bin/sh\n"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		got := nextStep(exec.LookPath)
		if tells := strings.Contains(got, "install askd and askctl"); tells != (installed != "askctl") {
			t.Errorf("after %q was installed: %s", installed, got)
		}
	}
}
