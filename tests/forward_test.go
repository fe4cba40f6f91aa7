package tests

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestForward: a question that is asked on another machine is answered here, over links that die in between.
func TestForward(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	serve(t, p)
	h := newFarHost(t)
	if err := os.Symlink(program(t, "askctl"), filepath.Join(h.bin, "askctl")); err != nil {
		t.Fatal(err)
	}
	link := h.forward(p)
	says(t, link, "farbox: linked: askd answers there on "+h.socket)
	says(t, link, "ssh farbox askctl pi install")
	plan := filepath.Join(h.dir, "plan")
	form := filepath.Join(h.dir, "form.json")
	if err := errorsOf(os.WriteFile(plan, []byte("the plan there"), 0o600), os.WriteFile(form, []byte(contextQuestion(plan)), 0o600)); err != nil {
		t.Fatal(err)
	}
	asker := started(t, h.there("ask", "--session-name", "shop", form))
	probe := dialRaw(t, p.socket).hello()
	within(t, "the question", func() bool { return len(probe.queue(`{}`)) == 1 })
	if out := askctlOf(t, p, "queue"); !strings.Contains(out, "shop@farbox") {
		t.Errorf("the queue does not name the machine:\n%s", out)
	}
	id := probe.queue(`{}`)[0].RequestID
	if out := askctlOf(t, p, "show", id); !strings.Contains(out, "the plan there") {
		t.Errorf("the file of the other machine is not shown:\n%s", out)
	}
	out, _ := h.there("doctor").CombinedOutput()
	if want := "runs on " + thisHost(t) + " as process"; !strings.Contains(string(out), want) || !strings.Contains(string(out), "this machine reaches it through "+h.socket) {
		t.Errorf("doctor over the link does not say %q:\n%s", want, out)
	}
	if out, err := h.there("backup", filepath.Join(h.dir, "copy.db")).CombinedOutput(); err == nil || !strings.Contains(string(out), "run `askctl backup` on that machine") {
		t.Errorf("a backup over the link: %v, %s", err, out)
	}

	ssh := descendants(link.pid())
	if len(ssh) == 0 {
		t.Fatal("no ssh runs")
	}
	for _, pid := range ssh {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	says(t, link, "the link is lost")
	says(t, link, "farbox: linked again.")
	h.stop()
	says(t, link, "Connection refused")
	h.start()
	within(t, "the second link", func() bool { return strings.Count(link.stderr.String(), "linked again") == 2 })
	askctlOf(t, p, "answer", id, "--question", "db", "--value", "pg")
	if code := asker.wait(t); code != 0 || !strings.Contains(asker.stderr.String(), `"pg"`) {
		t.Errorf("the asker ended with %d: %s", code, asker.stderr)
	}
	if code := link.stop(t, syscall.SIGINT); code != 0 || !strings.Contains(link.stderr.String(), "the socket there is gone") {
		t.Errorf("Ctrl+C: %d", code)
	}
	if exists(h.socket) || exists(h.socket+".forward") {
		t.Error("the link left its socket there")
	}
}

// TestForwardMakesRoom: a socket that nobody listens on gives way; anything else on the host stays as it is.
func TestForwardMakesRoom(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	serve(t, p)
	h := newFarHost(t)
	folder := filepath.Dir(h.socket)
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	refused := func(words string) {
		t.Helper()
		link := h.forward(p, "--check")
		if code := link.wait(t); code != 1 || !strings.Contains(link.stderr.String(), words) {
			t.Errorf("ended with %d and not with %q:\n%s", code, words, link.stderr)
		}
	}
	refused("ssh farbox chmod 700 " + folder)
	if err := errorsOf(os.Chmod(folder, 0o700), os.WriteFile(h.socket, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	refused("is there and is no socket")
	if err := os.Remove(h.socket); err != nil {
		t.Fatal(err)
	}
	theirs := place{h.dir, h.socket, filepath.Join(h.dir, "state", "askd.db")}
	own := serve(t, theirs)
	refused("an askd of its own listens on " + h.socket)
	if !answers(h.socket) {
		t.Fatal("the host's own askd lost its socket")
	}
	own.stop(t, syscall.SIGKILL)
	l, err := net.Listen("unix", h.socket+"2")
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	if !exists(h.socket) || !exists(h.socket+"2") {
		t.Fatal("nothing stale is there")
	}
	for _, args := range [][]string{{}, {"--remote-socket", h.socket + "2"}} {
		link := h.forward(p, append([]string{"--check"}, args...)...)
		if code := link.wait(t); code != 0 || !strings.Contains(link.stderr.String(), "askd answers there on "+h.socket) {
			t.Errorf("%v over a stale socket: %d\n%s", args, code, link.stderr)
		}
	}
	first := h.forward(p)
	says(t, first, "linked: askd answers")
	refused("another `askctl forward` to farbox has " + h.socket)
	if first.stop(t, syscall.SIGTERM); exists(h.socket) {
		t.Error("the link left its socket there")
	}
}

// TestForwardSaysWhatIsWrong: each failure has an exit code and a word on what to do, and none runs what stands in a host's name.
func TestForwardSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	h := newFarHost(t)
	touched := filepath.Join(p.dir, "touched")
	for _, tt := range []struct {
		args  []string
		code  int
		words string
	}{
		{[]string{}, 2, "name one host"},
		{[]string{"farbox", "two"}, 2, "name one host"},
		{[]string{"--", "-oProxyCommand=touch " + touched}, 2, "name one host"},
		{[]string{"-o", "Port=1", "-oProxyCommand=touch " + touched}, 2, "name one host"},
		{[]string{"", "--", "-F", h.config}, 2, "is no host"},
		{[]string{"far box"}, 2, "is no host"},
		{[]string{"farbox", "--remote-socket", "askd.sock"}, 2, "an absolute path"},
		{[]string{"farbox", "--remote-socket", "/tmp/a'; touch " + touched + "'"}, 2, "an absolute path"},
		{[]string{"farbox", "--remote-socket", "/" + strings.Repeat("x", 104)}, 2, "105 bytes"},
		{[]string{"--check", "farbox", "--", "-F", h.config}, 3, "askd is not running"},
		{[]string{"farbox", "--", "-F", h.config, "-p", "1"}, 1, "Connection refused: see whether `ssh farbox true` works"},
		{[]string{"farbox", "-o", "IdentityFile=/nonexistent", "-o", "IdentitiesOnly=yes", "--", "-F", "none", "-o", "HostName=127.0.0.1", "-o", "BatchMode=yes", "-o", "UserKnownHostsFile=/nonexistent", "-p", "1"}, 1, "no link to farbox"},
	} {
		cmd := askctl(t, p, append([]string{"forward"}, tt.args...)...)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != tt.code || !strings.Contains(string(out), tt.words) {
			t.Errorf("%q: %d, %s", tt.args, code, out)
		}
	}
	cmd := askctl(t, p, "forward", "farbox")
	cmd.Env = append(cmd.Env, "PATH="+h.bin)
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "there is no ssh in the PATH") {
		t.Errorf("without ssh: %s", out)
	}
	if exists(touched) {
		t.Error("something in an argument was run")
	}
}

// TestForwardBeforeAskd: the link may stand first; askd answers over it as soon as it runs, and again after a restart.
func TestForwardBeforeAskd(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	h := newFarHost(t)
	link := h.forward(p, "-o", "LogLevel=ERROR")
	says(t, link, "askd is not running here yet")
	says(t, link, "linked, but askd does not answer through "+h.socket)
	status := func() error { return h.there("status").Run() }
	if status() == nil {
		t.Error("nobody answers and something is said")
	}
	for range 2 {
		askd := serve(t, p)
		if out, err := h.there("status").CombinedOutput(); err != nil || !strings.Contains(string(out), p.data) {
			t.Errorf("status over the link: %v\n%s", err, out)
		}
		askd.stop(t, syscall.SIGTERM)
	}
}

// TestForwardOverAHungServer: a connection of which nothing comes any more, as when the network has gone, is given up; what is
// left of it on the host neither stands in the way of the next one nor, when it wakes up, takes its socket away.
func TestForwardOverAHungServer(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	serve(t, p)
	h := newFarHost(t)
	if err := os.Symlink(program(t, "askctl"), filepath.Join(h.bin, "askctl")); err != nil {
		t.Fatal(err)
	}
	link := h.forward(p, "-o", "ServerAliveInterval=1", "-o", "ServerAliveCountMax=1")
	says(t, link, "linked: askd answers")
	hung := descendants(h.sshd.pid())
	halt := func(sig syscall.Signal) {
		for _, pid := range hung {
			_ = syscall.Kill(pid, sig)
		}
	}
	halt(syscall.SIGSTOP)
	says(t, link, "the link is lost")
	says(t, link, "linked again")
	halt(syscall.SIGCONT)
	within(t, "the end of the old connection", func() bool {
		for _, pid := range hung {
			if exists(filepath.Join("/proc", strconv.Itoa(pid))) {
				return false
			}
		}
		return true
	})
	if out, err := h.there("status").CombinedOutput(); err != nil {
		t.Errorf("status over the new link: %v\n%s", err, out)
	}
	hung = descendants(h.sshd.pid())
	halt(syscall.SIGSTOP)
	link.stop(t, syscall.SIGKILL)
	if next := h.forward(p, "--check"); next.wait(t) != 0 {
		t.Errorf("after a link that had gone without a trace: %s", next.stderr)
	}
	halt(syscall.SIGKILL)
}

// TestForwardPi: Pi with the extension asks on the other machine, its context file with it, and gets the answer.
func TestForwardPi(t *testing.T) {
	plan := filepath.Join(t.TempDir(), "plan.md")
	question := database()
	question["questions"].([]any)[0].(map[string]any)["context"] = plan
	r := newRig(t, asking(askUser("call_1", question)))
	if err := os.WriteFile(plan, []byte("the plan of the other machine"), 0o600); err != nil {
		t.Fatal(err)
	}
	serve(t, r.place)
	h := newFarHost(t)
	link := h.forward(r.place)
	says(t, link, "linked: askd answers")
	r.extra = append(r.extra, "ASKD_SOCKET="+h.socket)
	r.startPi()
	r.say("go")
	probe := dialRaw(t, r.place.socket).hello()
	within(t, "the question", func() bool { return len(probe.queue(`{}`)) == 1 })
	q := probe.queue(`{}`)[0]
	if q.Host != "farbox" {
		t.Errorf("the question comes from %q", q.Host)
	}
	if out := askctlOf(t, r.place, "show", q.RequestID); !strings.Contains(out, "the plan of the other machine") {
		t.Errorf("the form shows\n%s", out)
	}
	askctlOf(t, r.place, "answer", q.RequestID, "--question", "db", "--value", "pg")
	r.once("Database: Postgres")
}
