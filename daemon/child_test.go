package daemon_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"askd/broker/client"
	"askd/daemon"
)

// childRole makes the test's own binary play another process.
const childRole = "ASKD_TEST_CHILD"

var roles = map[string]func() int{
	"panic":       panicking,
	"panic twice": panickingTwice,
	"panic main":  panickingMain,
	"dial":        dialling,
}

func TestMain(m *testing.M) {
	if role := roles[os.Getenv(childRole)]; role != nil {
		os.Exit(role())
	}
	goleak.VerifyTestMain(m)
}

func newGuard() *daemon.Guard {
	g := daemon.NewGuard(slog.New(slog.NewTextHandler(io.Discard, nil)), os.Getenv("ASKD_TEST_FOLDER"))
	g.OnCrash(func() { fmt.Println("terminal restored") })
	return g
}

// panicking crashes in a guarded goroutine; the deferred function of another must not be what ends the process.
func panicking() int {
	newGuard().Go("a test", func() { panic("the \x1b[31mreason") })
	select {}
}

// panickingTwice crashes in many goroutines at once.
func panickingTwice() int {
	g := newGuard()
	for range 20 {
		g.Go("one of many", func() { panic("several") })
	}
	select {}
}

func panickingMain() int {
	defer newGuard().Recover("main")
	panic(errors.New("in main"))
}

// dialling says what a client of this process's user is told.
func dialling() int {
	c := client.Client{Socket: os.Getenv("ASKD_SOCKET")}
	conn, err := c.Connect(context.Background())
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("connected")
	conn.Close()
	return 0
}

// child runs a role as another process.
func child(t *testing.T, exe, role string, set func(*exec.Cmd), env ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(append(os.Environ(), childRole+"="+role), env...)
	cmd.Dir = "/"
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if set != nil {
		set(cmd)
	}
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestCrash(t *testing.T) {
	exe, err := os.Executable()
	must(t, err)
	for role, reason := range map[string]string{"panic": "reason", "panic twice": "several", "panic main": "in main"} {
		t.Run(role, func(t *testing.T) {
			folder := t.TempDir()
			stdout, stderr, code := child(t, exe, role, nil, "ASKD_TEST_FOLDER="+folder)
			if code != 70 {
				t.Errorf("exit code %d", code)
			}
			if stdout != "terminal restored\n" {
				t.Errorf("restored: %q", stdout)
			}
			for _, part := range []string{"internal error", reason, "Nothing that was stored is lost", "Start askd again", folder} {
				if !strings.Contains(stderr, part) {
					t.Errorf("%q does not say %q", stderr, part)
				}
			}
			if strings.Contains(stderr, "\x1b") {
				t.Errorf("the reason reaches the terminal raw: %q", stderr)
			}
			reports, err := filepath.Glob(filepath.Join(folder, "askd-crash-*.txt"))
			must(t, err)
			if len(reports) != 1 {
				t.Fatalf("reports %v", reports)
			}
			raw, err := os.ReadFile(reports[0])
			must(t, err)
			if !strings.Contains(string(raw), reason) || !strings.Contains(string(raw), "child_test.go") {
				t.Errorf("the report says\n%s", raw)
			}
			if info, err := os.Stat(reports[0]); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the report's mode: %v, %v", info.Mode(), err)
			}
		})
	}
}

// TestCrashWithoutFolder still says what to do.
func TestCrashWithoutFolder(t *testing.T) {
	exe, err := os.Executable()
	must(t, err)
	_, stderr, code := child(t, exe, "panic", nil, "ASKD_TEST_FOLDER="+filepath.Join(t.TempDir(), "nowhere"))
	if code != 70 || !strings.Contains(stderr, "the report is in the log") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

// TestOtherUser: the kernel says who calls, and only who is allowed is served, even on a socket that is open to all. Only
// root can become somebody else; the rule itself is tested without.
func TestOtherUser(t *testing.T) {
	if os.Getuid() != 0 {
		return
	}
	const nobody = 65534
	exe := publicCopy(t)
	for name, tt := range map[string]struct {
		allow []int
		code  int
		want  string
	}{
		"refused": {nil, 1, "user id 65534 is not allowed; --allow-uid 65534 would allow it"},
		"allowed": {[]int{1, nobody}, 0, "connected"},
	} {
		t.Run(name, func(t *testing.T) {
			o := place(t)
			o.AllowUIDs = tt.allow
			start(t, o)
			must(t, os.Chmod(filepath.Dir(filepath.Dir(o.Socket)), 0o711))
			must(t, os.Chmod(filepath.Dir(o.Socket), 0o711))
			must(t, os.Chmod(o.Socket, 0o666))
			stdout, _, code := child(t, exe, "dial", func(c *exec.Cmd) {
				c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
			}, "ASKD_SOCKET="+o.Socket)
			if code != tt.code || !strings.Contains(stdout, tt.want) {
				t.Errorf("exit code %d, told %q", code, stdout)
			}
		})
	}
}

// publicCopy is this binary where another user can run it.
func publicCopy(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "public")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o755))
	self, err := os.Executable()
	must(t, err)
	raw, err := os.ReadFile(self)
	must(t, err)
	exe := filepath.Join(dir, "child")
	must(t, os.WriteFile(exe, raw, 0o755))
	return exe
}
