package tests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

const (
	// patience caps every wait for something that has to happen. It is no measurement: a loaded machine may take long.
	patience = time.Minute
	// tick is how often a condition is looked at.
	tick = 20 * time.Millisecond
)

// TestMain gives the tests a temporary folder of their own, and fails when they pass and leave something in it.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "t") // short: a socket's path has little room
	if err == nil {
		err = errors.Join(os.Chmod(dir, 0o711), os.Setenv("TMPDIR", dir)) // another user's programs come through
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "a folder for the tests:", err)
		os.Exit(1)
	}
	code := m.Run()
	if built.Load() {
		if dir, _ := programs(); dir != "" {
			_ = os.RemoveAll(dir)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); code == 0 && (err != nil || len(left) > 0) {
		fmt.Fprintln(os.Stderr, "FAIL: the tests have left behind", left, err)
		code = 1
	}
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// built says whether a test has asked for the programs.
var built atomic.Bool

// programs is the folder of the built askd and askctl, shared by all tests of the package.
var programs = sync.OnceValues(func() (string, error) {
	built.Store(true)
	dir, err := os.MkdirTemp("", "askd-programs")
	if err != nil {
		return "", err
	}
	args := append([]string{"build", "-o", dir + "/"}, buildFlags...)
	cmd := exec.Command("go", append(args, "./cmd/askd", "./cmd/askctl")...)
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		return dir, fmt.Errorf("build the programs: %w\n%s", err, out)
	}
	return dir, nil
})

// program is the path of one built program.
func program(t testing.TB, name string) string {
	t.Helper()
	dir, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name)
}

// within polls until ok or fails the test.
func within(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for !ok() {
		select {
		case <-ticker.C:
		case <-deadline.C:
			t.Fatalf("waited %s for %s", patience, what)
		}
	}
}

// place is where one askd keeps its things: a folder with a short path, since a socket's path may not be long.
type place struct {
	dir, socket, data string
}

func newPlace(t testing.TB) place {
	t.Helper()
	dir, err := os.MkdirTemp("", "askd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	tellsAtOnce(t, filepath.Join(dir, "agent"))
	return place{dir, filepath.Join(dir, "run", "askd.sock"), filepath.Join(dir, "state", "askd.db")}
}

// tellsAtOnce makes a cancel in the pane one that cannot be taken back, in the settings of an agent folder: what comes after a
// cancel need not be waited for.
func tellsAtOnce(t testing.TB, agentDir string) {
	t.Helper()
	writeSettings(t, agentDir, `{"schemaVersion":5,"behaviour":{"undoCancel":0}}`)
}

// writeSettings writes the settings file of an agent folder.
func writeSettings(t testing.TB, agentDir, text string) {
	t.Helper()
	file := filepath.Join(agentDir, "extensions", "pi-agent-ask.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// env is a whole environment, but for the terminal's name, for a program that must not see the developer's own askd or Pi.
func (p place) env(extra ...string) []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + p.dir,
		"ASKD_SOCKET=" + p.socket,
		"ASKD_DATA=" + p.data,
		"PI_CODING_AGENT_DIR=" + filepath.Join(p.dir, "agent"),
		"LC_ALL=C.UTF-8",
	}, extra...)
}

// process is one running program.
type process struct {
	cmd    *exec.Cmd
	stderr *lockedBuffer
	ended  chan struct{}
	err    error // of Wait; read it after ended is closed
}

// lockedBuffer collects what a program writes while a test reads it.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// launch starts askd without a pane and does not wait for anything.
func launch(t testing.TB, p place, args ...string) *process {
	t.Helper()
	return launchWith(t, p, nil, args...)
}

// launchWith is launch with more in the environment.
func launchWith(t testing.TB, p place, env []string, args ...string) *process {
	t.Helper()
	cmd := exec.Command(program(t, "askd"), append([]string{"--headless"}, args...)...)
	cmd.Env = p.env(env...)
	return started(t, cmd)
}

// started runs a command until the test ends.
func started(t testing.TB, cmd *exec.Cmd) *process {
	t.Helper()
	proc := &process{cmd: cmd, stderr: &lockedBuffer{}, ended: make(chan struct{})}
	proc.cmd.Stdout = proc.stderr
	proc.cmd.Stderr = proc.stderr
	if err := proc.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		proc.err = proc.cmd.Wait()
		close(proc.ended)
	}()
	t.Cleanup(func() {
		proc.signal(syscall.SIGKILL)
		<-proc.ended
		if t.Failed() {
			t.Logf("askd %d said:\n%s", proc.pid(), proc.stderr)
		}
		if strings.Contains(proc.stderr.String(), "DATA RACE") {
			t.Errorf("askd %d raced:\n%s", proc.pid(), proc.stderr)
		}
	})
	return proc
}

// serve starts askd without a pane and waits until its socket answers.
func serve(t testing.TB, p place, args ...string) *process {
	t.Helper()
	proc := launch(t, p, args...)
	within(t, "askd's socket", func() bool {
		select {
		case <-proc.ended:
			t.Fatalf("askd ended: %v\n%s", proc.err, proc.stderr)
		default:
		}
		return answers(p.socket)
	})
	return proc
}

// answers reports whether something accepts connections on a socket.
func answers(socket string) bool {
	c, err := net.Dial("unix", socket)
	if err != nil {
		return false
	}
	c.Close()
	return true
}

func (p *process) pid() int                  { return p.cmd.Process.Pid }
func (p *process) signal(sig syscall.Signal) { _ = p.cmd.Process.Signal(sig) }

// stop sends a signal, waits for the end and gives the exit code; -1 when a signal ended it.
func (p *process) stop(t testing.TB, sig syscall.Signal) int {
	t.Helper()
	p.signal(sig)
	return p.wait(t)
}

// wait waits for the program to end by itself and gives its exit code.
func (p *process) wait(t testing.TB) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	select {
	case <-p.ended:
	case <-ctx.Done():
		t.Fatalf("askd %d did not end\n%s", p.pid(), p.stderr)
	}
	var exit *exec.ExitError
	if p.err != nil && !errors.As(p.err, &exit) {
		t.Fatal(p.err)
	}
	return p.cmd.ProcessState.ExitCode()
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
