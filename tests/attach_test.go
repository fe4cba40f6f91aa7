package tests

import (
	"encoding/base64"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"askd/tests/tmuxtest"
)

// attach shows askd's pane in a shell, and waits for its first screen.
func (s shell) attach() {
	s.t.Helper()
	s.command(`BEFORE=$(stty -g); clear; "$ASKCTL" attach; echo exit' 'code $?`)
	s.WaitFor("askd")
	s.WaitGone("ASKCTL")
}

// attached opens a shell whose terminal shows a pane of the askd at p.
func attached(t testing.TB, server *tmuxtest.Server, p place, columns, rows int, env ...string) shell {
	t.Helper()
	env = append(p.env("PS1=ready> ", "ASKD="+program(t, "askd"), "ASKCTL="+program(t, "askctl")), env...)
	s := shell{server.For(t).Run(tmuxtest.Program{Dir: p.dir, Env: env, Argv: []string{"bash", "--norc", "--noprofile", "-i"}}), t, p}
	s.Resize(columns, rows)
	s.WaitFor("ready>")
	s.attach()
	return s
}

// panes is how many panes are attached.
func panes(t testing.TB, p place) (n int) {
	t.Helper()
	var status struct {
		Pane struct {
			Attached bool
			Panes    int
		}
	}
	c := dialRaw(t, p.socket).hello()
	c.must("daemon.status", `{}`, &status)
	_ = c.conn.Close()
	if status.Pane.Attached != (status.Pane.Panes > 0) {
		t.Errorf("attached %t with %d panes", status.Pane.Attached, status.Pane.Panes)
	}
	return status.Pane.Panes
}

// TestAttach: two panes of a headless askd. What is entered in one shows in the other, one submit ends the form in both, and
// leaving one leaves the other.
func TestAttach(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	serve(t, p)
	server := tmuxtest.Start(t)
	one, two := attached(t, server, p, 100, 30), attached(t, server, p, 60, 20)
	within(t, "two panes", func() bool { return panes(t, p) == 2 })
	c := connect(t, p, "checkout-api")
	open := c.begin(1, strings.Replace(twoQuestions, "Which database?", "Which database 界?", 1))
	one.WaitFor("Which database 界?")
	two.WaitFor("Which database 界?")
	one.PressUntil("3", "Type answer")
	one.Type("graph 図")
	two.WaitFor("graph 図")
	two.WaitFor("Another pane is at this form")
	two.Type(", or rows")
	one.WaitFor("graph 図, or rows")
	one.WaitFor("Another pane is at this form")
	one.PressUntil("Enter", "How long are orders kept?")
	two.WaitFor("How long are orders kept?")
	two.PressUntil("Tab", "1. Submit")
	two.PressUntil("Enter", "saved")
	one.WaitFor("answered elsewhere")
	if o := c.ended(open); !strings.Contains(o.text(), "Store: graph 図, or rows") || o.Provenance.Via != "pane" {
		t.Errorf("answered %q by %+v", o.text(), o.Provenance)
	}
	open = c.begin(2, twoQuestions)
	two.WaitFor("Which database?")
	one.PressUntil("C-q", "Detached; askd goes on.")
	one.WaitFor("exit code 0")
	one.restored()
	within(t, "one pane", func() bool { return panes(t, p) == 1 })
	two.PressUntil("1", "How long are orders kept?")
	two.PressUntil("Tab", "1. Submit")
	two.PressUntil("Enter", "nothing is waiting")
	if o := c.ended(open); !strings.Contains(o.text(), "Store: Postgres") {
		t.Errorf("answered %q", o.text())
	}
}

// TestAttachEnds: whichever side dies, the terminal is usable again and says what to do, and the other side goes on.
func TestAttachEnds(t *testing.T) {
	t.Parallel()
	server := tmuxtest.Start(t)
	for name, row := range map[string]struct {
		end  func(s shell, askd *process)
		says []string
	}{
		"askd killed":    {func(_ shell, askd *process) { askd.signal(syscall.SIGKILL) }, []string{"the connection to askd was lost", "exit code 3"}},
		"askd stopped":   {func(_ shell, askd *process) { askd.signal(syscall.SIGTERM) }, []string{"askd was stopped", "exit code 3"}},
		"askctl stopped": {func(s shell, _ *process) { s.signalAttach(syscall.SIGTERM) }, []string{"interrupted", "exit code 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			askd := serve(t, p)
			s := attached(t, server, p, 80, 24)
			connect(t, p, "s1").begin(1, twoQuestions)
			s.WaitFor("Which database?")
			row.end(s, askd)
			for _, text := range row.says {
				s.WaitFor(text)
			}
			s.restored()
		})
	}
	t.Run("askctl killed", func(t *testing.T) {
		p := newPlace(t)
		serve(t, p)
		one, two := attached(t, server, p, 80, 24), attached(t, server, p, 80, 24)
		within(t, "two panes", func() bool { return panes(t, p) == 2 })
		one.signalAttach(syscall.SIGKILL)
		within(t, "one pane", func() bool { return panes(t, p) == 1 })
		connect(t, p, "s1").begin(1, twoQuestions)
		two.WaitFor("Which database?")
		two.PressUntil("1", "How long are orders kept?")
		one.WaitFor("Killed") // nobody could put this terminal back, and README says what does
		one.command("reset")
		one.WaitGone("Killed")
		one.modesLeft()
	})
}

// TestStoppedPaneGoesOn: a pane whose process was stopped, while a shell had its terminal, has all of it again once it is in
// front: the whole screen, keys one by one, and pastes that are told from keys.
func TestStoppedPaneGoesOn(t *testing.T) {
	t.Parallel()
	server := tmuxtest.Start(t)
	for name, own := range map[string]bool{"askd's own": true, "attached": false} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			s := openShell(t, server, p, 80, 24)
			if own {
				s.command("BEFORE=$(stty -g)")
				s.askd()
			} else {
				serve(t, p)
				s = attached(t, server, p, 80, 24)
			}
			c := connect(t, p, "s1")
			open := c.begin(1, twoQuestions)
			s.PressUntil("3", "Type answer")
			s.signalAttach(syscall.SIGSTOP)
			s.WaitFor("Stopped")
			s.command("for i in 1 2 3 4 5 6 7 8 9; do echo what the shell wrote; done")
			s.WaitFor("what the shell wrote")
			s.command("fg")
			screen := s.WaitGone("what the shell wrote")
			for _, part := range []string{"askd  1/1", "Which database?", "Type answer"} {
				if !strings.Contains(screen, part) {
					t.Errorf("%q is not on the screen:\n%s", part, screen)
				}
			}
			s.Paste("one\nand two")
			s.WaitFor("and two")
			s.Type(", three")
			s.WaitFor("and two, three")
			s.PressUntil("Enter", "How long are orders kept?")
			s.PressUntil("Tab", "1. Submit")
			s.PressUntil("Enter", "nothing is waiting")
			if o := c.ended(open); !strings.Contains(o.text(), "one\nand two, three") {
				t.Errorf("answered %q", o.text())
			}
			s.signalAttach(syscall.SIGSTOP)
			s.WaitFor("Stopped")
			// kill wakes it in the background, where touching the terminal stops it again, now or after the first fg.
			s.command("clear; kill %1; while jobs | grep -q .; do fg; done; clear")
			s.WaitGone("Stopped")
			s.restored()
		})
	}
}

// signalAttach signals the program that the shell runs.
func (s shell) signalAttach(sig syscall.Signal) {
	s.t.Helper()
	out, err := exec.Command("pgrep", "-P", fmt.Sprint(s.PID())).Output()
	var pid int
	if _, serr := fmt.Sscan(string(out), &pid); err != nil || serr != nil {
		s.t.Fatalf("askctl in the shell %d: %v, %q", s.PID(), err, out)
	}
	_ = syscall.Kill(pid, sig)
}

// TestAttachSizes: an attached pane follows its own terminal from the smallest size to the largest, without colour where that
// terminal wants none.
func TestAttachSizes(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	serve(t, p)
	s := attached(t, tmuxtest.Start(t), p, 40, 12, "NO_COLOR=1")
	connect(t, p, "s1").begin(1, twoQuestions)
	s.WaitFor("Which database?")
	for _, size := range append(paneSizes, [2]int{40, 12}) {
		s.Resize(size[0], size[1])
		key := "Enter"
		if size[0] >= 100 {
			key = "Ctrl+Q detach"
		}
		s.Wait(fmt.Sprintf("%q in the foot at %d×%d", key, size[0], size[1]), func(screen string) bool {
			rows := strings.Split(strings.TrimRight(screen, "\n"), "\n")
			return len(rows) == size[1] && strings.Contains(rows[size[1]-1], key)
		})
	}
}

// TestAttachBesideThePane: askd's own pane and an attached one are alike; the quit key of askd's own ends both.
func TestAttachBesideThePane(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	server := tmuxtest.Start(t)
	own := openShell(t, server, p, 80, 24)
	own.command(`BEFORE=$(stty -g)`)
	own.askd()
	s := attached(t, server, p, 80, 24)
	c := connect(t, p, "s1")
	open := c.begin(1, twoQuestions)
	own.WaitFor("Which database?")
	s.WaitFor("Which database?")
	own.PressUntil("2", "How long are orders kept?")
	s.WaitFor("How long are orders kept?")
	s.PressUntil("Tab", "1. Submit")
	s.PressUntil("Enter", "nothing is waiting")
	own.WaitFor("nothing is waiting")
	if o := c.ended(open); !strings.Contains(o.text(), "Store: SQLite") {
		t.Errorf("answered %q", o.text())
	}
	second := openShell(t, server, p, 80, 24)
	second.command(`clear; "$ASKD"`)
	second.WaitFor("askctl attach")
	own.Keys("C-q")
	own.restored()
	s.WaitFor("askd was stopped")
	s.restored()
}

// TestAttachRefusals: what cannot show a pane is told why, and an agent does not get one.
func TestAttachRefusals(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	serve(t, p)
	if out, err := askctl(t, p, "attach").CombinedOutput(); err == nil || !strings.Contains(string(out), "attach needs a terminal") {
		t.Errorf("without a terminal: %v %s", err, out)
	}
	for name, row := range map[string]struct{ env, says string }{
		"an agent":           {"PI_CODING_AGENT=true", "an agent must not answer its own questions"},
		"an unknown TERM":    {"TERM=no-such-terminal", "set TERM to your terminal's kind"},
		"a TERM with a flag": {"TERM=-V", "set TERM to your terminal's kind"},
	} {
		cmd := exec.Command(program(t, "askctl"), "attach")
		cmd.Env = append(p.env("TERM=xterm-256color"), row.env)
		tty := onTerminal(t, 80, 24, cmd)
		<-tty.ended
		if out := tty.written.String(); !strings.Contains(strings.Join(strings.Fields(out), " "), row.says) || cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("%s: exit code %d, %q", name, cmd.ProcessState.ExitCode(), out)
		}
	}
}

// TestAttachHostileClients: clients of the socket that attach and then read nothing, take nothing, send garbage or too much
// hold up nobody, and there is an end to how many may.
func TestAttachHostileClients(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	askd := serve(t, p)
	const most = 8
	for i := range most {
		c := dialRaw(t, p.socket).hello()
		c.start("pane.attach", `{"columns":1000000,"rows":1000000,"term":"xterm-256color"}`)
		c.notice("pane.output")
		garbage := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\xff\x1b[<\x00", 1000*i)))
		c.start("pane.input", `{"data":"`+garbage+`"}`)
		c.start("pane.resize", `{"columns":-1,"rows":0}`)
		for _, wrong := range []string{`{"data":17}`, `{"data":"not base64"}`, `{"data":"` + strings.Repeat("AAAA", 1<<15) + `"}`} {
			if m := c.call("pane.input", wrong); m.Error == nil {
				t.Errorf("pane.input %.40s was taken", wrong)
			}
		}
	}
	within(t, "eight panes", func() bool { return panes(t, p) == most })
	c := dialRaw(t, p.socket).hello()
	if m := c.call("pane.attach", `{"columns":80,"rows":24,"term":"xterm"}`); m.Error == nil || m.Error.Data.Kind != "unavailable" || !strings.Contains(m.Error.Message, "8 panes are attached already") {
		t.Errorf("a ninth: %+v", m)
	}
	afar := dialRaw(t, p.socket)
	afar.line(`{"jsonrpc":"2.0","method":"connection.origin","params":{"host":"devbox"}}`)
	if m := afar.hello().call("pane.attach", `{"columns":80,"rows":24,"term":"xterm"}`); m.Error == nil || m.Error.Data.Kind != "unavailable" || !strings.Contains(m.Error.Data.Hint, "log in there") {
		t.Errorf("from another machine: %+v", m)
	}
	if m := c.call("pane.attach", `{"term":"xterm"}`); m.Error == nil || m.Error.Data.Kind != "invalid_params" {
		t.Errorf("without a size: %+v", m)
	}
	if m := c.call("pane.input", `{"data":""}`); m.Error == nil || m.Error.Data.Kind != "not_found" {
		t.Errorf("input without a pane: %+v", m)
	}
	agent := connect(t, p, "s1")
	open := agent.begin(1, dbQuestion)
	if r := dialRaw(t, p.socket).hello().respond(1, `{"kind":"answer","answers":{"db":{"values":["pg"]}}}`); !r.OK {
		t.Errorf("answered beside them: %+v", r)
	}
	agent.ended(open)
	if code := askd.stop(t, syscall.SIGTERM); code != 0 {
		t.Errorf("askd ended with %d", code)
	}
}
