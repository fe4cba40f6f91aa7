package tests

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// activated has systemd listen in front of an askd that is started with the first connection.
func activated(t testing.TB, p place, listen []string, env ...string) *process {
	t.Helper()
	var args []string
	for _, l := range listen {
		args = append(args, "-l", l)
	}
	for _, v := range p.env(env...) {
		args = append(args, "-E", v)
	}
	return started(t, exec.Command("systemd-socket-activate", append(args, program(t, "askd"), "--headless")...))
}

// TestSocketActivation: askd takes the socket that systemd passes to it, serves it like its own, says when it is ready and
// when it stops, and leaves the path to systemd.
func TestSocketActivation(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if err := os.MkdirAll(filepath.Dir(p.socket), 0o700); err != nil {
		t.Fatal(err)
	}
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(p.dir, "notify"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	if err := manager.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	told := func() string {
		b := make([]byte, 256)
		n, err := manager.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(b[:n])
	}
	askd := activated(t, p, []string{p.socket}, "NOTIFY_SOCKET="+filepath.Join(p.dir, "notify"))
	within(t, "systemd's socket", func() bool { return exists(p.socket) })
	within(t, "a listener", func() bool { return answers(p.socket) })
	out, err := askctl(t, p, "status").CombinedOutput()
	if err != nil || !strings.Contains(string(out), fmt.Sprint(askd.pid())) {
		t.Errorf("status beside process %d: %v\n%s", askd.pid(), err, out)
	}
	if got := told(); got != "READY=1" {
		t.Errorf("told systemd %q", got)
	}
	if info, err := os.Stat(p.socket); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v, %v", info, err)
	}
	c := connect(t, p, "s1")
	open := c.begin(1, dbQuestion)
	if r := dialRaw(t, p.socket).hello().respond(1, `{"kind":"answer","answers":{"db":{"values":["pg"]}}}`); !r.OK {
		t.Errorf("answered over it: %+v", r)
	}
	c.ended(open)
	second := launch(t, p)
	if code := second.wait(t); code == 0 || !strings.Contains(second.stderr.String(), "askctl attach") {
		t.Errorf("a second askd: %d, %s", code, second.stderr)
	}
	if code := askd.stop(t, syscall.SIGTERM); code != 0 {
		t.Errorf("askd ended with %d: %s", code, askd.stderr)
	}
	if got := told(); got != "STOPPING=1" {
		t.Errorf("told systemd %q at the end", got)
	}
	if !exists(p.socket) {
		t.Error("askd removed the path that is systemd's")
	}
}

// TestSocketActivationRefusals: a socket that is not askd's is named, with the line of the unit to set right.
func TestSocketActivationRefusals(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		listen func(p place) []string
		says   string
	}{
		"another path": {func(p place) []string { return []string{filepath.Join(p.dir, "other")} }, "askd is to listen on"},
		"two sockets":  {func(p place) []string { return []string{p.socket, filepath.Join(p.dir, "other")} }, "passes 2 sockets, askd takes one"},
		"a port":       {func(place) []string { return []string{freePort(t)} }, "of another kind (tcp"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			if err := os.MkdirAll(filepath.Dir(p.socket), 0o700); err != nil {
				t.Fatal(err)
			}
			listen := row.listen(p)
			askd := activated(t, p, listen)
			within(t, "the end of askd", func() bool {
				network := "unix"
				if strings.Contains(listen[0], ":") {
					network = "tcp"
				}
				if c, err := net.Dial(network, listen[0]); err == nil {
					c.Close()
				}
				select {
				case <-askd.ended:
					return true
				default:
					return false
				}
			})
			if out := askd.stderr.String(); !strings.Contains(out, row.says) || !strings.Contains(out, "ListenStream=") {
				t.Errorf("said %s", out)
			}
		})
	}
}

// freePort is an address on which nobody listens.
func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestServiceVerbs: install writes what status and uninstall know again, and nothing that a person wrote is lost.
func TestServiceVerbs(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	folder := filepath.Join(p.dir, ".config", "systemd", "user")
	service := filepath.Join(folder, "askd.service")
	run := func(code int, args ...string) string {
		t.Helper()
		cmd := askctl(t, p, append([]string{"service"}, args...)...)
		out, _ := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != code {
			t.Errorf("service %v ended with %d, want %d:\n%s", args, cmd.ProcessState.ExitCode(), code, out)
		}
		return string(out)
	}
	says := func(out string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(out, part) {
				t.Errorf("%q is not in\n%s", part, out)
			}
		}
	}
	says(run(0, "status"), "askd.service  not installed", "not running")
	says(run(0, "install", "--print"), "ExecStart="+program(t, "askd")+" --headless --data "+p.data+" --socket "+p.socket, "ListenStream="+p.socket)
	if exists(folder) {
		t.Error("--print wrote to the disk")
	}
	says(run(0, "install"), "systemctl --user daemon-reload", "systemctl --user enable --now askd.socket")
	says(run(0, "status"), "askd.socket   installed", "askd.service  installed")
	raw, err := os.ReadFile(service)
	if err != nil {
		t.Fatal(err)
	}
	mine := slices.Concat(raw, []byte("Nice=5\n"))
	if err := os.WriteFile(service, mine, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"install", "uninstall"} {
		says(run(1, verb), "was changed by hand", "--force")
	}
	if now, err := os.ReadFile(service); err != nil || string(now) != string(mine) {
		t.Errorf("what a person wrote is now %q, %v", now, err)
	}
	says(run(1, "install", "--force", "--now"), "`systemctl --user daemon-reload` failed")
	wants := filepath.Join(folder, "sockets.target.wants")
	if err := errorsOf(os.Mkdir(wants, 0o700), os.Symlink("../askd.socket", filepath.Join(wants, "askd.socket"))); err != nil {
		t.Fatal(err)
	}
	says(run(1, "uninstall"), "the service is switched on", "systemctl --user disable --now askd.socket askd.service")
	if err := os.RemoveAll(wants); err != nil {
		t.Fatal(err)
	}
	says(run(0, "uninstall"), "removed "+service)
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	serve(t, p)
	says(run(0, "install"), "askd runs already (pid ")
	says(run(0, "status"), "running, pid ")
}
