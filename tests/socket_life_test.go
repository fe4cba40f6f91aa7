package tests

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func TestPermissions(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	p := newPlace(t)
	askd := serve(t, p)
	for path, want := range map[string]fs.FileMode{filepath.Dir(p.socket): 0o700, p.socket: 0o600, p.data: 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Error(err)
		} else if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
	}
	if code := askd.stop(t, syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d after SIGTERM\n%s", code, askd.stderr)
	}
	if exists(p.socket) {
		t.Error("the socket is still there after SIGTERM")
	}
}

// TestPlantedPaths: what somebody else may have put in askd's way is refused, named and left as it is.
func TestPlantedPaths(t *testing.T) {
	for name, plant := range map[string]func(p place) error{
		"a folder that others may write to": func(p place) error {
			return errorsOf(os.Mkdir(filepath.Dir(p.socket), 0o700), os.Chmod(filepath.Dir(p.socket), 0o777))
		},
		"a folder that others may enter": func(p place) error {
			return errorsOf(os.Mkdir(filepath.Dir(p.socket), 0o700), os.Chmod(filepath.Dir(p.socket), 0o750))
		},
		"a folder whose place others may take": func(p place) error {
			return errorsOf(os.Mkdir(filepath.Dir(p.socket), 0o700), os.Chmod(p.dir, 0o777))
		},
		"a folder of another user": func(p place) error {
			if os.Getuid() != 0 { // only root can give a folder away; root's own is another's for everyone else
				return os.Symlink("/", filepath.Dir(p.socket))
			}
			return errorsOf(os.Mkdir(filepath.Dir(p.socket), 0o700), os.Chown(filepath.Dir(p.socket), 65534, 65534))
		},
		"a symbolic link for a folder": func(p place) error {
			other := filepath.Join(p.dir, "other")
			return errorsOf(os.Mkdir(other, 0o700), os.Symlink(other, filepath.Dir(p.socket)))
		},
		"a file for a folder": func(p place) error {
			return os.WriteFile(filepath.Dir(p.socket), []byte("mine"), 0o600)
		},
		"a file for a socket": func(p place) error {
			return errorsOf(os.Mkdir(filepath.Dir(p.socket), 0o700), os.WriteFile(p.socket, []byte("mine"), 0o600))
		},
		"a folder for a socket": func(p place) error {
			return os.MkdirAll(p.socket, 0o700)
		},
		"a symbolic link for a socket": func(p place) error {
			return errorsOf(os.Mkdir(filepath.Dir(p.socket), 0o700), os.Symlink(filepath.Join(p.dir, "victim"), p.socket))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			if err := plant(p); err != nil {
				t.Fatal(err)
			}
			before := look(t, p)
			askd := launch(t, p)
			if code := askd.wait(t); code == 0 {
				t.Error("askd started and ended well")
			}
			if said := askd.stderr.String(); !strings.Contains(said, p.dir) {
				t.Errorf("the fault does not name the path: %s", said)
			}
			if after := look(t, p); after != before {
				t.Errorf("askd changed what it refused:\n%s\nwas\n%s", after, before)
			}
		})
	}
}

func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// look describes the socket's folder and the socket. Lock files beside the socket are askd's own.
func look(t *testing.T, p place) string {
	t.Helper()
	var seen []string
	for _, path := range []string{filepath.Dir(p.socket), p.socket, filepath.Join(p.dir, "victim")} {
		info, err := os.Lstat(path)
		if err != nil {
			seen = append(seen, path+" is not there")
			continue
		}
		text, _ := os.ReadFile(path) // only files have any
		seen = append(seen, fmt.Sprintf("%s %s %q", path, info.Mode(), text))
	}
	return strings.Join(seen, "\n")
}

// TestLongSocketPath: the fault names the limit before anything is made.
func TestLongSocketPath(t *testing.T) {
	p := newPlace(t)
	p.socket = filepath.Join(p.dir, strings.Repeat("é", 60), "askd.sock")
	askd := launch(t, p)
	if code := askd.wait(t); code == 0 {
		t.Error("askd started")
	}
	for _, part := range []string{p.socket, strconv.Itoa(len(p.socket)), "107", "--socket"} {
		if !strings.Contains(askd.stderr.String(), part) {
			t.Errorf("the fault does not say %q: %s", part, askd.stderr)
		}
	}
}

// TestSecondInstance: on the same socket or the same data file, the second askd exits and names the first.
func TestSecondInstance(t *testing.T) {
	p := newPlace(t)
	first := serve(t, p)
	for name, second := range map[string]place{
		"same socket":    {p.dir, p.socket, filepath.Join(p.dir, "other.db")},
		"same data file": {p.dir, filepath.Join(p.dir, "run2", "askd.sock"), p.data},
		"both the same":  p,
	} {
		t.Run(name, func(t *testing.T) {
			askd := launch(t, second)
			if code := askd.wait(t); code == 0 {
				t.Error("the second askd ended well")
			}
			if said := askd.stderr.String(); !strings.Contains(said, strconv.Itoa(first.pid())) {
				t.Errorf("pid %d is not named: %s", first.pid(), said)
			}
			dialRaw(t, p.socket).hello().must("daemon.status", `{}`, nil)
		})
	}
}

// TestStaleSocket: what a killed askd leaves behind does not keep the next one from starting.
func TestStaleSocket(t *testing.T) {
	p := newPlace(t)
	serve(t, p).stop(t, syscall.SIGKILL)
	if !exists(p.socket) {
		t.Fatal("a killed askd removed its socket")
	}
	second := serve(t, p)
	var hello struct{ Server struct{ PID int } }
	dialRaw(t, p.socket).must("initialize", `{"protocol":1,"client":{"name":"probe","version":"0"}}`, &hello)
	if hello.Server.PID != second.pid() {
		t.Errorf("process %d answers, want %d", hello.Server.PID, second.pid())
	}
}

// TestManyStartAtOnce: of twenty, exactly one serves; the others name it or say that it is starting.
func TestManyStartAtOnce(t *testing.T) {
	const many = 20
	p := newPlace(t)
	procs := make([]*process, many)
	for i := range procs {
		procs[i] = launch(t, p)
	}
	var running []*process
	within(t, "all but one to end", func() bool {
		running = running[:0]
		for _, proc := range procs {
			select {
			case <-proc.ended:
			default:
				running = append(running, proc)
			}
		}
		return len(running) <= 1
	})
	if len(running) != 1 {
		t.Fatal("nobody serves")
	}
	winner := running[0]
	within(t, "the socket of the one", func() bool { return answers(p.socket) })
	var hello struct{ Server struct{ PID int } }
	dialRaw(t, p.socket).must("initialize", `{"protocol":1,"client":{"name":"probe","version":"0"}}`, &hello)
	if hello.Server.PID != winner.pid() {
		t.Errorf("process %d answers, want %d", hello.Server.PID, winner.pid())
	}
	for _, proc := range procs {
		if proc != winner && (proc.wait(t) == 0 || proc.stderr.String() == "") {
			t.Errorf("askd %d gave up with code %d and said %q", proc.pid(), proc.cmd.ProcessState.ExitCode(), proc.stderr)
		}
	}
}

// TestForeignSocketStays: an askd that stops does not remove a socket that has taken its path meanwhile.
func TestForeignSocketStays(t *testing.T) {
	p := newPlace(t)
	askd := serve(t, p)
	if err := errorsOf(os.Remove(p.socket), os.WriteFile(p.socket, []byte("mine"), 0o600)); err != nil {
		t.Fatal(err)
	}
	askd.stop(t, syscall.SIGTERM)
	if text, err := os.ReadFile(p.socket); err != nil || string(text) != "mine" {
		t.Errorf("what took the socket's path is gone: %q, %v", text, err)
	}
}

// TestStopUnderLoad: SIGTERM while clients ask ends well, and everything that was accepted is there afterwards.
func TestStopUnderLoad(t *testing.T) {
	const clients = 8
	p := newPlace(t)
	askd := serve(t, p)
	accepted := make([]map[string]bool, clients)
	var all sync.WaitGroup
	for i := range clients {
		c := connect(t, p, "s"+strconv.Itoa(i))
		accepted[i] = map[string]bool{}
		all.Go(func() { askUntilGone(c, 1000*(i+1), accepted[i]) })
	}
	seen := connect(t, p, "observer")
	within(t, "some forms", func() bool { return len(seen.queue(`{}`)) > clients })
	if code := askd.stop(t, syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d\n%s", code, askd.stderr)
	}
	all.Wait()

	serve(t, p)
	stored := map[string]bool{}
	for _, r := range dialRaw(t, p.socket).hello().queue(`{"all":true}`) {
		stored[r.RequestID] = true
	}
	for _, ids := range accepted {
		for id := range ids {
			if !stored[id] {
				t.Errorf("%s was accepted and is gone", id)
			}
		}
	}
}

// askUntilGone asks one form after the other and notes those that askd accepted, until the connection ends.
func askUntilGone(c *raw, first int, accepted map[string]bool) {
	for n := first; n < first+500; n++ {
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tool.call","params":%s}`, n, askParams(n, background(dbQuestion)))
		if c.write(line+"\n") != nil {
			break
		}
		for m := range c.lines {
			if m.Method == "ask.accepted" {
				accepted[requestID(n)] = true
				break
			}
			if m.Error != nil {
				break
			}
		}
	}
	c.conn.Close()
	for m := range c.lines {
		_ = m // an acceptance that is still on its way has no reader left
	}
}
