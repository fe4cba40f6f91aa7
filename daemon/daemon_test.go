package daemon_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/client"
	"askd/broker/wire"
	"askd/daemon"
)

const patience = 20 * time.Second

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// place gives options whose paths are all new. Not the test's own folder: a socket's path is short.
func place(t *testing.T) daemon.Options {
	t.Helper()
	dir, err := os.MkdirTemp("", "askd")
	must(t, err)
	t.Cleanup(func() { must(t, os.RemoveAll(dir)) })
	return daemon.Options{
		Socket: filepath.Join(dir, "run", "s"), Data: filepath.Join(dir, "state", "deep", "askd.db"), Log: filepath.Join(dir, "state", "askd.log"),
		SettingsFile: filepath.Join(dir, "agent", "settings.json"), PiKeysFile: filepath.Join(dir, "agent", "keybindings.json"), Headless: true, Version: "test",
	}
}

// running is a daemon of this process.
type running struct {
	t    *testing.T
	o    daemon.Options
	stop context.CancelFunc
	end  chan error // gets what Run gave
}

// start runs a daemon and waits until it serves. When the test ends it is stopped, if it still runs.
func start(t *testing.T, o daemon.Options) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{t: t, o: o, stop: cancel, end: make(chan error, 1)}
	go func() { r.end <- daemon.Run(ctx, o) }()
	t.Cleanup(func() {
		cancel()
		r.wait()
	})
	r.connect(nil).Close()
	return r
}

// halt stops the daemon and waits for its end.
func (r *running) halt() {
	r.t.Helper()
	r.stop()
	must(r.t, r.wait())
}

func (r *running) wait() error {
	r.t.Helper()
	select {
	case err := <-r.end:
		r.end <- err
		return err
	case <-time.After(patience):
		r.t.Fatal("the daemon does not end")
		return nil
	}
}

func (r *running) connect(notify func(string, json.RawMessage)) *client.Conn {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c := client.Client{Socket: r.o.Socket, Name: "probe", OnNotify: notify}
	conn, err := c.WaitConnect(ctx)
	if err != nil {
		select {
		case ended := <-r.end:
			r.t.Fatalf("the daemon ended: %v", ended)
		default:
			r.t.Fatal(err)
		}
	}
	return conn
}

// refused runs a daemon that must not start.
func refused(t *testing.T, o daemon.Options, parts ...string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := daemon.Run(ctx, o)
	if err == nil {
		t.Fatal("it ran")
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	return err
}

func call(t *testing.T, c *client.Conn, method string, params string, result any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := c.Call(ctx, method, json.RawMessage(params), result); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
}

func TestPermissions(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	o := place(t)
	r := start(t, o)
	for path, want := range map[string]os.FileMode{
		filepath.Dir(o.Socket): 0o700, o.Socket: 0o600, o.Socket + ".lock": 0o600, filepath.Dir(o.Data): 0o700,
		o.Data: 0o600, o.Data + ".lock": 0o600, o.Log: 0o600, filepath.Dir(o.Log): 0o700,
	} {
		info, err := os.Stat(path)
		must(t, err)
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %04o, want %04o", filepath.Base(path), got, want)
		}
	}
	if now := syscall.Umask(0); now != 0 {
		t.Errorf("the umask is %04o afterwards", now)
	}
	r.halt()
	if _, err := os.Lstat(o.Socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket after the end: %v", err)
	}
}

func TestStatus(t *testing.T) {
	o := place(t)
	r := start(t, o)
	c := r.connect(nil)
	defer c.Close()
	var s wire.Status
	call(t, c, "daemon.status", `{}`, &s)
	if s.PID != os.Getpid() || s.Socket != o.Socket || s.DataFile != o.Data || s.Version != "test" || time.Since(s.StartedAt) > time.Hour {
		t.Errorf("status %+v", s)
	}
}

// TestSecondInstance is refused on the socket and on the data file, each by name and with the first one's pid, and leaves
// nothing of its own behind.
func TestSecondInstance(t *testing.T) {
	first := place(t)
	r := start(t, first)
	pid := "pid " + strconv.Itoa(os.Getpid())
	sameSocket, sameData := place(t), place(t)
	sameSocket.Socket, sameData.Data = first.Socket, first.Data
	if err := refused(t, sameSocket, pid, "socket "+first.Socket, "--socket", "ASKD_SOCKET"); !errors.Is(err, daemon.ErrRunning) {
		t.Errorf("%v is no ErrRunning", err)
	}
	if err := refused(t, sameData, pid, "data file "+first.Data, "--data", "ASKD_DATA"); !errors.Is(err, daemon.ErrRunning) {
		t.Errorf("%v is no ErrRunning", err)
	}
	if _, err := os.Lstat(sameData.Socket); !errors.Is(err, os.ErrNotExist) {
		t.Error("the second one's socket is left behind")
	}
	r.connect(nil).Close()
	r.halt()
	for _, o := range []daemon.Options{sameData, sameSocket} {
		start(t, o).halt()
	}
}

// TestManyAtOnce: exactly one wins.
func TestManyAtOnce(t *testing.T) {
	o := place(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const many = 12
	ends := make(chan error, many)
	for range many {
		go func() { ends <- daemon.Run(ctx, o) }()
	}
	for range many - 1 {
		select {
		case err := <-ends:
			if !errors.Is(err, daemon.ErrRunning) {
				t.Errorf("a loser ended with %v", err)
			}
		case <-time.After(patience):
			t.Fatal("several run")
		}
	}
	c := client.Client{Socket: o.Socket}
	conn, err := c.WaitConnect(ctx)
	must(t, err)
	conn.Close()
	cancel()
	must(t, <-ends)
}

func TestStaleSocket(t *testing.T) {
	o := place(t)
	must(t, os.MkdirAll(filepath.Dir(o.Socket), 0o700))
	l, err := net.Listen("unix", o.Socket)
	must(t, err)
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	must(t, l.Close())
	must(t, os.WriteFile(o.Socket+".lock", []byte("1\n"), 0o600))
	start(t, o).halt()
}

// TestForeignListener: a socket that somebody serves without a lock is not taken away.
func TestForeignListener(t *testing.T) {
	o := place(t)
	must(t, os.MkdirAll(filepath.Dir(o.Socket), 0o700))
	l, err := net.Listen("unix", o.Socket)
	must(t, err)
	defer l.Close()
	refused(t, o, o.Socket, "--socket")
	if _, err := os.Lstat(o.Socket); err != nil {
		t.Error("it was removed")
	}
}

// TestReplacedSocket: what has taken the socket's place meanwhile is not ours to remove.
func TestReplacedSocket(t *testing.T) {
	for name, replace := range map[string]func(path string) error{
		"a file":   func(path string) error { return os.WriteFile(path, []byte("mine"), 0o600) },
		"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			o := place(t)
			r := start(t, o)
			must(t, os.Remove(o.Socket))
			must(t, replace(o.Socket))
			r.halt()
			if _, err := os.Lstat(o.Socket); err != nil {
				t.Errorf("it is gone: %v", err)
			}
		})
	}
	t.Run("a live socket", func(t *testing.T) {
		o := place(t)
		r := start(t, o)
		must(t, os.Remove(o.Socket))
		l, err := net.Listen("unix", o.Socket)
		must(t, err)
		r.halt()
		if _, err := os.Lstat(o.Socket); err != nil {
			t.Errorf("it is gone: %v", err)
		}
		l.Close()
	})
}

func TestPlantedPaths(t *testing.T) {
	for name, plant := range map[string]func(o daemon.Options) error{
		"a folder that others may enter": func(o daemon.Options) error { return os.Mkdir(filepath.Dir(o.Socket), 0o755) },
		"a link for a folder": func(o daemon.Options) error {
			other := filepath.Dir(o.Socket) + "-other"
			return errors.Join(os.Mkdir(other, 0o700), os.Symlink(other, filepath.Dir(o.Socket)))
		},
		"a file for a folder": func(o daemon.Options) error { return os.WriteFile(filepath.Dir(o.Socket), nil, 0o600) },
		"a file for a socket": func(o daemon.Options) error {
			return errors.Join(os.Mkdir(filepath.Dir(o.Socket), 0o700), os.WriteFile(o.Socket, []byte("mine"), 0o600))
		},
		"a link for a socket": func(o daemon.Options) error {
			return errors.Join(os.Mkdir(filepath.Dir(o.Socket), 0o700), os.Symlink("/nowhere", o.Socket))
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := place(t)
			must(t, plant(o))
			refused(t, o, filepath.Dir(o.Socket), "--socket")
			if _, err := os.Stat(o.Data); err == nil {
				t.Error("the data file was made all the same")
			}
		})
	}
}

// TestSharedFolder: nobody is told to close a folder that all users share.
func TestSharedFolder(t *testing.T) {
	o := place(t)
	must(t, os.Mkdir(filepath.Dir(o.Socket), 0o700))
	must(t, os.Chmod(filepath.Dir(o.Socket), 0o777|os.ModeSticky))
	err := daemon.Run(t.Context(), o)
	if err == nil || strings.Contains(err.Error(), "chmod") || !strings.Contains(err.Error(), "folder of your own") {
		t.Errorf("refused with %v", err)
	}
}

// TestLogIsAPipe: nobody may read it for days, and askd would wait.
func TestLogIsAPipe(t *testing.T) {
	o := place(t)
	must(t, os.MkdirAll(filepath.Dir(o.Log), 0o700))
	must(t, syscall.Mkfifo(o.Log, 0o600))
	refused(t, o, o.Log, "--log")
}

// TestDamagedData: the file is named and left as it is, and the socket is free again.
func TestDamagedData(t *testing.T) {
	o := place(t)
	must(t, os.MkdirAll(filepath.Dir(o.Data), 0o700))
	text := []byte(strings.Repeat("these are no pages\n", 1000))
	must(t, os.WriteFile(o.Data, text, 0o600))
	refused(t, o, o.Data)
	if now, err := os.ReadFile(o.Data); err != nil || string(now) != string(text) {
		t.Errorf("the file changed: %v", err)
	}
	if _, err := os.Lstat(o.Socket); err == nil {
		t.Error("the socket is left behind")
	}
	must(t, os.Remove(o.Data))
	start(t, o).halt()
}

const callForm = `{"tool":"ask_user","toolCallId":"t1","requestId":"8f14e45f-ceea-467f-a8d3-000000000001",
"arguments":{"questions":[{"id":"db","prompt":"Which?","options":[{"value":"pg","label":"Postgres"}]}]}}`

// TestRestart: what was accepted is there after any number of restarts, and whoever waits is told of each end.
func TestRestart(t *testing.T) {
	o := place(t)
	for life := range 3 {
		r := start(t, o)
		accepted := make(chan struct{}, 16)
		closing := make(chan struct{}, 16)
		c := r.connect(func(method string, _ json.RawMessage) {
			switch method {
			case "ask.accepted":
				accepted <- struct{}{}
			case "daemon.closing":
				closing <- struct{}{}
			}
		})
		call(t, c, "session.open", `{"id":"s","ui":"cli","branch":null,"openCalls":[{"requestId":"8f14e45f-ceea-467f-a8d3-000000000001"}]}`, nil)
		ended := make(chan error, 1)
		go func() { ended <- c.Call(context.Background(), "tool.call", json.RawMessage(callForm), nil) }()
		if life == 0 {
			<-accepted
		}
		var listed struct{ Requests []broker.RequestSummary }
		for len(listed.Requests) != 1 || !listed.Requests[0].AskerOnline {
			call(t, c, "queue.list", `{}`, &listed)
		}
		r.halt()
		<-closing
		var we *wire.Error
		if err := <-ended; !errors.As(err, &we) || we.Kind() != broker.ShuttingDown {
			t.Errorf("life %d: the call ended with %v", life, err)
		}
		<-c.Done()
	}
}

// TestSettingsReachClients: what is set over the socket is in the file, and everyone connected hears of it.
func TestSettingsReachClients(t *testing.T) {
	o := place(t)
	r := start(t, o)
	changed := make(chan json.RawMessage, 16)
	c := r.connect(func(method string, params json.RawMessage) {
		if method == "settings.changed" {
			changed <- params
		}
	})
	defer c.Close()
	var got wire.SettingsResult
	call(t, c, "settings.set", `{"key":"behaviour.serveNonTui","value":true}`, &got)
	if got.Saved == nil || !*got.Saved || !got.Settings.Behaviour.ServeNonTui {
		t.Errorf("set gave %+v", got)
	}
	select {
	case raw := <-changed:
		if !strings.Contains(string(raw), `"serveNonTui":true`) {
			t.Errorf("told %s", raw)
		}
	case <-time.After(patience):
		t.Error("nobody was told")
	}
	if raw, err := os.ReadFile(o.SettingsFile); err != nil || !strings.Contains(string(raw), "serveNonTui") {
		t.Errorf("the file: %s, %v", raw, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, bad := range []string{`{"key":"no.such","value":1}`, `{"key":"behaviour.serveNonTui","value":"yes"}`, `{"key":"behaviour.serveNonTui"}`} {
		var we *wire.Error
		if err := c.Call(ctx, "settings.set", json.RawMessage(bad), nil); !errors.As(err, &we) || we.Kind() != broker.InvalidParams {
			t.Errorf("%s gave %v", bad, err)
		}
	}
}

// TestQuickEnd: a context that has ended before the start is a start and a clean stop.
func TestQuickEnd(t *testing.T) {
	o := place(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 {
		must(t, daemon.Run(ctx, o))
	}
	if raw, err := os.ReadFile(o.Socket + ".lock"); err != nil || len(raw) > 0 {
		t.Errorf("the lock file after the end says %q, %v", raw, err)
	}
}

func TestLogSaysWhatHappened(t *testing.T) {
	o := place(t)
	start(t, o).halt()
	raw, err := os.ReadFile(o.Log)
	must(t, err)
	for _, part := range []string{"msg=started", "msg=stopped", fmt.Sprint("pid=", os.Getpid())} {
		if !strings.Contains(string(raw), part) {
			t.Errorf("the log lacks %q:\n%s", part, raw)
		}
	}
	o.Log = o.Data // a folder in its way
	must(t, os.Remove(o.Data))
	must(t, os.Mkdir(o.Data, 0o700))
	refused(t, o, "--log", "ASKD_LOG")
}
