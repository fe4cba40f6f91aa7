package tests

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"askd/broker/client"
)

// TestScripts runs the built askd and askctl as a person types them. Beside testscript's own commands there are
//
//	serve [flags]               start askd --headless in the background and wait until it answers
//	freeze, thaw                stop and continue that askd
//	crash                       end that askd with SIGKILL
//	ask SESSION N FILE          open a session and ask the form in FILE under request id number N
//	hide SESSION                put the session's background forms off
//	leave SESSION               end the session's connection
//	exits CODE PROGRAM [args]   run a program and check its exit code
//	start NAME PROGRAM [args]   run a program in the background; "<FILE" as the last argument is its input
//	shows NAME TEXT             wait until that program has printed the text
//	interrupt NAME              send it SIGINT
//	ends CODE NAME              wait for its end, check its exit code; stdout and stderr look at what it printed
//	waiting N                   wait until N forms wait in askd
//	settled                     wait until no outcome is undelivered any more
//	latest VARIABLE             put the id of the form that was asked last into a variable
//	stored SESSION DAYS N COUNT put settled forms into the data file, asked so long ago, from request id number N on
//	hold                        keep the data file open, as a program that is no askd
//	spoil FILE TEXT TEXT        overwrite a piece of a file
//	talk CODE FILE PROGRAM …    talk with a program on a terminal and check its exit code
func TestScripts(t *testing.T) {
	dir := filepath.Dir(program(t, "askctl"))
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		WorkdirRoot:         scriptRoot(t),
		RequireExplicitExec: true,
		Setup:               func(env *testscript.Env) error { return setUp(env, dir) },
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"serve":  scriptServe,
			"freeze": signalServed(syscall.SIGSTOP),
			"thaw":   signalServed(syscall.SIGCONT),
			"crash":  scriptCrash,
			"ask":    scriptAsk,
			"hide":   scriptHide,
			"leave":  scriptLeave,
			"exits":  scriptExits,
			"talk":   scriptTalk,

			"start":     scriptStart,
			"shows":     scriptShows,
			"interrupt": scriptInterrupt,
			"ends":      scriptEnds,
			"waiting":   scriptWaiting,
			"latest":    scriptLatest,
			"settled":   scriptSettled,
			"stored":    scriptStored,
			"hold":      scriptHold,
			"spoil":     scriptSpoil,
		},
	})
}

// scriptState is what one script has started.
type scriptState struct {
	askd     *exec.Cmd
	sessions map[string]*client.Conn
	accepted chan string
	started  map[string]*bgProgram
}

type stateKey struct{}

func stateOf(ts *testscript.TestScript) *scriptState {
	return ts.Value(stateKey{}).(*scriptState)
}

// setUp gives a script an environment of its own. The socket stands in a folder of its own: its path has to be short.
func setUp(env *testscript.Env, programs string) error {
	short, err := os.MkdirTemp("", "askd")
	if err != nil {
		return err
	}
	env.Defer(func() { os.RemoveAll(short) })
	home := filepath.Join(env.WorkDir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	env.Setenv("PATH", programs+string(os.PathListSeparator)+env.Getenv("PATH"))
	env.Setenv("HOME", home)
	env.Setenv("SHORT", short)
	env.Setenv("ASKD_SOCKET", filepath.Join(short, "run", "askd.sock"))
	env.Setenv("ASKD_DATA", filepath.Join(env.WorkDir, "askd.db"))
	env.Setenv("LC_ALL", "C.UTF-8")
	state := &scriptState{sessions: map[string]*client.Conn{}, accepted: make(chan string, 64), started: map[string]*bgProgram{}}
	env.Values[stateKey{}] = state
	env.Defer(func() {
		for _, c := range state.sessions {
			c.Close()
		}
	})
	return nil
}

func scriptServe(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("serve cannot be negated")
	}
	askd, err := exec.LookPath(filepath.Join(filepath.SplitList(ts.Getenv("PATH"))[0], "askd"))
	ts.Check(err)
	cmd := exec.Command(askd, append([]string{"--headless"}, args...)...)
	for _, name := range []string{"PATH", "HOME", "ASKD_SOCKET", "ASKD_DATA", "LC_ALL"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	said := &lockedBuffer{}
	cmd.Stdout, cmd.Stderr = said, said
	ts.Check(cmd.Start())
	ts.Defer(func() {
		_ = cmd.Process.Kill() // it may have ended by itself
		_ = cmd.Wait()
	})
	stateOf(ts).askd = cmd
	ts.Setenv("ASKD_PID", strconv.Itoa(cmd.Process.Pid))
	ts.Check(reached(ts.Getenv("ASKD_SOCKET"), said))
}

// reached waits until a socket accepts connections.
func reached(socket string, said fmt.Stringer) error {
	deadline, ticker := time.After(patience), time.NewTicker(tick)
	defer ticker.Stop()
	for {
		if c, err := net.Dial("unix", socket); err == nil {
			return c.Close()
		}
		select {
		case <-ticker.C:
		case <-deadline:
			return fmt.Errorf("askd does not answer on %s: %s", socket, said)
		}
	}
}

func signalServed(sig syscall.Signal) func(ts *testscript.TestScript, neg bool, args []string) {
	return func(ts *testscript.TestScript, _ bool, _ []string) {
		pid := stateOf(ts).askd.Process.Pid
		ts.Check(syscall.Kill(pid, sig))
		if sig == syscall.SIGSTOP { // a process with many threads does not stand still at once
			_, err := syscall.Wait4(pid, nil, syscall.WUNTRACED, nil)
			ts.Check(err)
		}
	}
}

// scriptCrash ends askd and waits until nothing of it is left.
func scriptCrash(ts *testscript.TestScript, _ bool, _ []string) {
	askd := stateOf(ts).askd
	ts.Check(askd.Process.Kill())
	_ = askd.Wait() // says that it was killed
}

// session gives the script's connection of a session, opening it the first time.
func (s *scriptState) session(ctx context.Context, socket, name string) (*client.Conn, error) {
	if c, ok := s.sessions[name]; ok {
		return c, nil
	}
	dialer := client.Client{Socket: socket, Name: "script", Version: "0", OnNotify: func(method string, params json.RawMessage) {
		if method == "ask.accepted" {
			s.accepted <- string(params)
		}
	}}
	c, err := dialer.Connect(ctx)
	if err != nil {
		return nil, err
	}
	s.sessions[name] = c
	info := map[string]any{
		"id": name, "name": name, "cwd": "/src/" + name, "agent": map[string]string{"name": "pi", "version": "1.6.0"},
		"ui": "cli", "reason": "startup", "branch": nil,
	}
	return c, c.Call(ctx, "session.open", info, nil)
}

func scriptAsk(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: ask SESSION N FILE")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	ts.Defer(cancel)
	s := stateOf(ts)
	c, err := s.session(ctx, ts.Getenv("ASKD_SOCKET"), args[0])
	ts.Check(err)
	failed := make(chan error, 1)
	go func() {
		failed <- c.Call(ctx, "tool.call", json.RawMessage(askParams(n, ts.ReadFile(args[2]))), nil)
	}()
	for {
		select {
		case params := <-s.accepted:
			if strings.Contains(params, requestID(n)) {
				return
			}
		case err := <-failed:
			if err != nil {
				ts.Fatalf("ask: %v", err)
			}
			failed = nil // a receipt; its acceptance is on the way
		case <-ctx.Done():
			ts.Fatalf("ask: not accepted within %s", patience)
		}
	}
}

func scriptHide(ts *testscript.TestScript, _ bool, args []string) {
	c, ok := stateOf(ts).sessions[args[0]]
	if !ok {
		ts.Fatalf("session %s has not asked anything", args[0])
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ts.Check(c.Call(ctx, "queue.defer", map[string]string{"session": args[0]}, nil))
}

// scriptLeave ends a connection and waits until askd counts the session as gone.
func scriptLeave(ts *testscript.TestScript, _ bool, args []string) {
	s := stateOf(ts)
	ts.Check(s.sessions[args[0]].Close())
	delete(s.sessions, args[0])
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	observer := client.Client{Socket: ts.Getenv("ASKD_SOCKET"), Name: "script"}
	c, err := observer.Connect(ctx)
	ts.Check(err)
	defer c.Close()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for range ticker.C {
		var result struct{ Requests []summary }
		ts.Check(c.Call(ctx, "queue.list", map[string]any{"session": args[0], "all": true}, &result))
		if len(result.Requests) == 0 || !result.Requests[0].AskerOnline {
			return
		}
	}
}

func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [args]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("%s exited with %d, want %d", args[1], code, want)
	}
}

// scriptRoot is the folder below which the scripts run. One that testscript makes stays behind when only some of them are run.
func scriptRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s") // short: a socket's path has little room
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
