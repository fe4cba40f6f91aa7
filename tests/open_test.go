package tests

import (
	"os"
	"path/filepath"
	"testing"

	"askd/tests/tmuxtest"
)

// opensByItself sets pane.autoOpen in the settings file of an agent folder.
func opensByItself(t testing.TB, agentDir string) {
	t.Helper()
	writeSettings(t, agentDir, `{"schemaVersion":5,"pane":{"autoOpen":true}}`)
}

// programsPath is a PATH with askd and askctl in it.
func programsPath(t testing.TB) string {
	t.Helper()
	return "PATH=" + filepath.Dir(program(t, "askctl")) + ":" + os.Getenv("PATH")
}

// Where the person has set so, a question opens the pane beside Pi when no askd runs. The focus stays in Pi.
func TestPiOpensThePane(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	opensByItself(t, r.home.AgentDir)
	r.extra = []string{programsPath(t)}
	pi := r.startPi()
	if n := pi.Neighbours(); len(n) != 0 {
		t.Fatalf("%d panes beside Pi before anything was asked", len(n))
	}
	r.say("go")
	askd := person{pi.Beside()}
	askd.WaitFor("Which database?")
	if !pi.Active() || askd.Active() {
		t.Error("opening the pane has moved the focus")
	}
	askd.pick("2")
	r.wantResult("call_1", answer("Database: SQLite"))
	if n := pi.Neighbours(); len(n) != 1 {
		t.Errorf("%d panes were opened", len(n))
	}
}

// Without the setting nothing is opened: the person is told instead.
func TestPiOpensNothingByDefault(t *testing.T) {
	r := newRig(t, asking(askUser("call_1", database())))
	r.extra = []string{programsPath(t)}
	pi := r.startPi()
	r.say("go")
	pi.WaitFor("askd is not running. Start it by running `askd` in another pane.")
	if n := pi.Neighbours(); len(n) != 0 {
		t.Errorf("%d panes were opened", len(n))
	}
}

// askctl open starts askd beside it, once; askctl ask does so for a question where the person has set so.
func TestAskctlOpensThePane(t *testing.T) {
	p := newPlace(t)
	opensByItself(t, filepath.Join(p.dir, "agent"))
	s := openShell(t, tmuxtest.Start(t), p, 160, 40)
	s.command(`clear; ` + programsPath(t) + ` askctl ask --prompt 'Deploy?' --option yes --option no`)
	askd := person{s.Beside()}
	askd.WaitFor("Deploy?")
	if !s.Active() {
		t.Error("opening the pane has moved the focus")
	}
	askd.pick("2")
	s.WaitFor("\nno\n")
	s.command(`clear; ` + programsPath(t) + ` askctl open`)
	s.WaitFor("askd is running already.")
	if n := s.Neighbours(); len(n) != 1 {
		t.Errorf("%d panes were opened", len(n))
	}
}
