package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"askd/tests/tmuxtest"
)

// hostileTitle is a title that leaves files behind where anything runs it.
func hostileTitle(dir string) string {
	touch := "touch " + filepath.Join(dir, "ran")
	return fmt.Sprintf("#(%s) #[fg=red]x #{pid} ##(%s) $(%s) `%s` \\$(%s) %%F{red}y %%(?.a.b) \\u!!", touch, touch, touch, touch, touch)
}

// askHostile asks a form with that title.
func askHostile(t *testing.T, p place) {
	t.Helper()
	form, err := json.Marshal(map[string]any{"title": hostileTitle(p.dir), "questions": []any{map[string]any{
		"id": "a", "label": "Sto#(re", "prompt": "Which?", "options": []any{map[string]string{"value": "x", "label": "X"}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	connect(t, p, "shop").begin(1, string(form))
}

// TestStatusLineInTmux: what an agent calls its form is shown by tmux, and neither run nor obeyed.
func TestStatusLineInTmux(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	serve(t, p)
	askHostile(t, p)
	conf := filepath.Join(p.dir, "tmux.conf")
	line := fmt.Sprintf("set -g status-interval 1\nset -g status-left ''\nset -g status-right-length 200\nset -g status-right \"#(%s status --format tmux) END\"\n", program(t, "askctl"))
	if err := os.WriteFile(conf, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	server := tmuxtest.Start(t)
	socket := filepath.Join(filepath.Dir(p.socket), "t")
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", socket, "kill-server").Run() }) // the test may have failed before it ran
	pane := server.Run(tmuxtest.Program{Dir: p.dir, Env: p.env("TMUX="), Argv: []string{"tmux", "-S", socket, "-f", conf, "new-session", "tail -f /dev/null"}})
	screen := pane.WaitFor("● 1 shop: ＃(touch ")
	if !strings.Contains(screen, "… END") {
		t.Errorf("the line is not cut:\n%s", screen)
	}
	if exists(filepath.Join(p.dir, "ran")) {
		t.Error("tmux has run a title")
	}
}

// TestStatusLineInAPrompt: a shell that expands its prompt runs nothing of a title, whichever way the title came in.
func TestStatusLineInAPrompt(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	serve(t, p)
	askHostile(t, p)
	for _, script := range []string{
		`PS1='$(askctl status --format "{{.Title | prompt}}") > '; echo "${PS1@P}"`,
		`PS1="$(askctl status --format "{{.Title | prompt}}") > "; echo "${PS1@P}"`,
	} {
		cmd := exec.Command("bash", "--norc", "--noprofile", "-c", script)
		cmd.Env, cmd.Dir = p.env("PATH="+filepath.Dir(program(t, "askctl"))+":"+os.Getenv("PATH")), p.dir
		out, err := cmd.CombinedOutput()
		if want := "＄(touch "; err != nil || !strings.Contains(string(out), want) || !strings.Contains(string(out), "％F{red}y") {
			t.Errorf("%s: %v, %s, want %s in it", script, err, out, want)
		}
		if exists(filepath.Join(p.dir, "ran")) {
			t.Fatalf("%s has run a title", script)
		}
	}
}
