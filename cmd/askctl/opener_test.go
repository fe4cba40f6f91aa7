package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOpenerCommands are the exact commands, as programs of those names see them.
func TestOpenerCommands(t *testing.T) {
	dir := t.TempDir()
	said := filepath.Join(dir, "said")
	for _, name := range []string{"tmux", "zellij", "wezterm", "kitten"} {
		script := "#!/bin/sh\nprintf '%s' " + name + " >> '" + said + "'\nprintf ' [%s]' \"$@\" >> '" + said + "'\necho >> '" + said + "'\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for _, tt := range []struct{ variable, id, name, want string }{
		{"TMUX_PANE", "%7", "tmux", "tmux [split-window] [-h] [-d] [-t] [%7] [sh] [-c] [a b]\n"},
		{
			"ZELLIJ_PANE_ID", "7", "zellij",
			"zellij [run] [--name] [askd] [--direction] [right] [--close-on-exit] [--] [sh] [-c] [a b]\nzellij [action] [focus-pane-id] [terminal_7]\n",
		},
		{
			"WEZTERM_PANE", "7", "WezTerm",
			"wezterm [cli] [split-pane] [--right] [--pane-id=7] [--] [sh] [-c] [a b]\nwezterm [cli] [activate-pane] [--pane-id=7]\n",
		},
		{"KITTY_WINDOW_ID", "7", "kitty", "kitten [@] [launch] [--location=vsplit] [--keep-focus] [--next-to=id:7] [sh] [-c] [a b]\n"},
	} {
		if err := os.RemoveAll(said); err != nil {
			t.Fatal(err)
		}
		m, id := openerHere(func(name string) string { return map[string]string{tt.variable: tt.id}[name] })
		if m == nil || m.name != tt.name || id != tt.id {
			t.Fatalf("%s=%s: %+v, %q", tt.variable, tt.id, m, id)
		}
		if err := m.start(t.Context(), id, []string{"sh", "-c", "a b"}); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(said)
		if diff := cmp.Diff(tt.want, string(raw)); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", tt.name, err, diff)
		}
	}
}

// TestNoOpener: what is no pane of a known multiplexer opens nothing.
func TestNoOpener(t *testing.T) {
	for _, env := range []map[string]string{{}, {"TMUX_PANE": "7"}, {"TMUX_PANE": "%7;kill-server"}, {"KITTY_WINDOW_ID": "--all"}, {"STY": "1"}} {
		if m, id := openerHere(func(name string) string { return env[name] }); m != nil {
			t.Errorf("%v: %s %q", env, m.name, id)
		}
	}
}
