package tests

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

// passedOn are the variables of a script that a program on a terminal gets.
var passedOn = []string{"PATH", "HOME", "ASKD_SOCKET", "ASKD_DATA", "LC_ALL", "TERM", "NO_COLOR", "PI_CODING_AGENT", "AI_AGENT"}

// scriptTalk runs a program on a terminal of its own and talks with it as FILE says: a line that begins with "<" waits for
// the rest of it on the screen, one with ">" types the rest and Enter, one with "^" types the key Ctrl and that letter, one with "!" runs a program, serve or
// crash. $NAME stands for a variable. What came on the screen is in the file "screen" afterwards.
func scriptTalk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: talk CODE FILE PROGRAM [args]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	path, err := exec.LookPath(strings.Split(ts.Getenv("PATH"), string(os.PathListSeparator))[0] + "/" + args[2])
	ts.Check(err)
	cmd := exec.Command(path, args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range passedOn {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 100})
	ts.Check(err)
	screen := &lockedBuffer{}
	read := make(chan struct{})
	go func() {
		defer close(read)
		copyTo(screen, tty)
	}()
	talked := talk(tty, screen, os.Expand(ts.ReadFile(args[1]), ts.Getenv), func(words []string) { runMeanwhile(ts, words) })
	code := ended(cmd, talked != nil)
	<-read
	tty.Close()
	ts.Check(os.WriteFile(ts.MkAbs("screen"), []byte(screen.String()), 0o600))
	if talked != nil || code != want {
		ts.Fatalf("%s exited with %d, want %d; %v; the screen:\n%s", args[2], code, want, talked, screen)
	}
}

// runMeanwhile runs what a talk does besides typing.
func runMeanwhile(ts *testscript.TestScript, words []string) {
	own := map[string]func(*testscript.TestScript, bool, []string){"serve": scriptServe, "crash": scriptCrash}
	if f, ok := own[words[0]]; ok {
		f(ts, false, words[1:])
		return
	}
	ts.Check(ts.Exec(words[0], words[1:]...))
}

// copyTo reads a terminal until its program has ended, which is an error on Linux.
func copyTo(b *lockedBuffer, tty *os.File) {
	part := make([]byte, 4096)
	for {
		n, err := tty.Read(part)
		b.Write(part[:n])
		if err != nil {
			return
		}
	}
}

func talk(tty *os.File, screen *lockedBuffer, script string, run func(words []string)) error {
	seen := 0
	for line := range strings.Lines(script) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			continue
		}
		rest := strings.TrimPrefix(line[1:], " ")
		var err error
		switch line[0] {
		case '<':
			seen, err = appears(screen, rest, seen)
		case '>':
			_, err = tty.WriteString(rest + "\n")
		case '^':
			_, err = tty.Write([]byte{rest[0] & 0x1f})
		case '!':
			run(strings.Fields(rest))
		default:
			err = errors.New("a line begins with <, >, ^ or !: " + line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// appears waits until text is on the screen, at or after what was seen already, and gives the place behind it.
func appears(screen *lockedBuffer, text string, seen int) (int, error) {
	deadline, ticker := time.After(patience), time.NewTicker(tick)
	defer ticker.Stop()
	for {
		if i := strings.Index(screen.String()[seen:], text); i >= 0 {
			return seen + i + len(text), nil
		}
		select {
		case <-ticker.C:
		case <-deadline:
			return seen, errors.New("not on the screen: " + text)
		}
	}
}

// ended waits for a program, with a cap, and gives its exit code.
func ended(cmd *exec.Cmd, kill bool) int {
	if kill {
		_ = cmd.Process.Kill()
	}
	watchdog := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer watchdog.Stop()
	_ = cmd.Wait() // its exit code says it all
	return cmd.ProcessState.ExitCode()
}
