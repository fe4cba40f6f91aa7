package tests

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	piextension "askd/cmd/pi-extension"
	"askd/tests/modelserver"
	"askd/tests/pienv"
	"askd/tests/tmuxtest"
)

// rig is a person's screen: a real Pi with the extension and, when started, askd, each in its own terminal.
type rig struct {
	t      *testing.T
	place  place
	home   pienv.Home
	pi     pienv.Packages // the agent
	node   string         // what runs it
	model  *modelserver.Server
	tmux   *tmuxtest.Server
	trace  string // the extension's steps
	extra  []string
	desk   []string // more of the environment that askd runs in
	piPane *tmuxtest.Pane
}

// newRig prepares everything and starts nothing but the model. From here on the test runs beside others: most of its time
// it waits for programs to start.
func newRig(t *testing.T, rules ...modelserver.Rule) *rig {
	t.Helper()
	t.Parallel()
	current := pienv.Current(t)
	r := &rig{t: t, place: newPlace(t), pi: current, node: current.Bin("node"), model: modelserver.Start(t, rules...)}
	r.home = pienv.NewHome(t, r.model.URL())
	tellsAtOnce(t, r.home.AgentDir)
	_ = os.RemoveAll(filepath.Join(r.place.dir, "agent"))
	if err := os.Symlink(r.home.AgentDir, filepath.Join(r.place.dir, "agent")); err != nil { // both read the same settings
		t.Fatal(err)
	}
	r.tmux = tmuxtest.Start(t)
	r.trace = filepath.Join(r.home.Dir, "steps.jsonl")
	copyExtension(t, filepath.Join(r.home.Extensions(), "askd"))
	t.Cleanup(r.report)
	return r
}

func copyExtension(t testing.TB, dir string) {
	t.Helper()
	if err := os.CopyFS(dir, piextension.Files()); err != nil {
		t.Fatal(err)
	}
}

// report says what happened when a test has failed.
func (r *rig) report() {
	if !r.t.Failed() {
		return
	}
	steps, _ := os.ReadFile(r.trace)
	r.t.Logf("steps of the extension:\n%s", steps)
	if log, err := os.ReadFile(filepath.Join(r.place.dir, "askd.log")); err == nil {
		r.t.Logf("askd's log:\n%s", log)
	}
}

func (r *rig) env() []string {
	return r.home.Env(append([]string{"ASKD_SOCKET=" + r.place.socket, "ASKD_PI_TRACE=" + r.trace}, r.extra...)...)
}

// startPi runs the agent in a terminal and waits for its prompt.
func (r *rig) startPi(args ...string) *tmuxtest.Pane {
	r.t.Helper()
	r.runInPane(args...)
	r.piPane.WaitFor("scripted")
	return r.piPane
}

func (r *rig) runInPane(args ...string) {
	r.t.Helper()
	argv := append([]string{r.node, r.pi.Bin("pi")}, args...)
	r.piPane = r.tmux.Run(tmuxtest.Program{Dir: r.home.Project, Env: r.env(), Argv: argv})
}

// startAskd runs askd in a terminal and waits until its socket answers.
func (r *rig) startAskd() *tmuxtest.Pane {
	r.t.Helper()
	argv := []string{
		program(r.t, "askd"), "--socket", r.place.socket, "--data", r.place.data,
		"--log", filepath.Join(r.place.dir, "askd.log"),
	}
	pane := r.tmux.Run(tmuxtest.Program{Dir: r.home.Project, Env: r.place.env(r.desk...), Argv: argv})
	within(r.t, "askd's socket", func() bool {
		if pane.Dead() {
			r.t.Fatalf("askd ended:\n%s", pane.Screen())
		}
		return answers(r.place.socket)
	})
	return pane
}

// say gives the agent a message.
func (r *rig) say(text string) {
	r.t.Helper()
	r.piPane.Paste(text)
	r.piPane.WaitFor(text)
	r.piPane.Keys("Enter")
}

// waitStep waits until the extension has taken a step for the n-th time.
func (r *rig) waitStep(name string, n int) {
	r.t.Helper()
	within(r.t, "the extension's step "+name, func() bool { return r.count(name) >= n })
}

func (r *rig) count(step string) int {
	data, err := os.ReadFile(r.trace)
	if err != nil {
		return 0
	}
	return strings.Count(string(data), `"step":"`+step+`"`)
}

// sessionEntries reads the agent's only session file.
func (r *rig) sessionEntries() []map[string]any {
	r.t.Helper()
	var entries []map[string]any
	err := filepath.WalkDir(filepath.Join(r.home.AgentDir, "sessions"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		data, err := os.ReadFile(path)
		for line := range strings.Lines(string(data)) {
			var entry map[string]any
			if json.Unmarshal([]byte(line), &entry) == nil {
				entries = append(entries, entry)
			}
		}
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return entries
}

func kill(t testing.TB, pane *tmuxtest.Pane) {
	t.Helper()
	if err := syscall.Kill(pane.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	pane.WaitDead()
}

// database is a form with one question and two options.
func database() map[string]any {
	return map[string]any{"title": "Storage", "questions": []any{map[string]any{
		"id": "db", "label": "Database", "prompt": "Which database?",
		"options": []any{
			map[string]any{"value": "pg", "label": "Postgres"},
			map[string]any{"value": "lite", "label": "SQLite"},
		},
	}}}
}

// asking is a model that asks with the given calls when the person says "go".
func asking(calls ...modelserver.Call) modelserver.Rule {
	return modelserver.Rule{Match: modelserver.User("go"), Reply: modelserver.Reply{Calls: calls}}
}

func askUser(id string, args any) modelserver.Call {
	return modelserver.Call{ID: id, Name: "ask_user", Args: args}
}
