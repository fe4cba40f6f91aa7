package daemon

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"askd/broker/ask"
)

// crashCode is askd's exit code after an internal error.
const crashCode = 70

// Guard catches panics in every goroutine of the daemon: it gives the terminal back, writes a report and ends the
// process. The data file needs nothing: what was promised is on disk. The zero value is not usable; see NewGuard.
type Guard struct {
	log    *slog.Logger
	report string // folder for crash reports
	stderr io.Writer
	exit   func(code int)
	now    func() time.Time

	once    sync.Once
	mu      sync.Mutex
	restore func()
}

// NewGuard makes a guard that writes its reports into folder.
func NewGuard(log *slog.Logger, folder string) *Guard {
	return &Guard{log: log, report: folder, stderr: os.Stderr, exit: os.Exit, now: time.Now}
}

// OnCrash sets what gives the terminal back. It replaces what was set before; nil means nothing to give back.
func (g *Guard) OnCrash(restore func()) {
	g.mu.Lock()
	g.restore = restore
	g.mu.Unlock()
}

// Go runs f on a goroutine of its own under the guard's protection.
func (g *Guard) Go(name string, f func()) {
	go func() {
		defer g.Recover(name)
		f()
	}()
}

// Recover is deferred at the top of a goroutine that the guard did not start itself, such as main's.
func (g *Guard) Recover(name string) {
	if v := recover(); v != nil {
		g.crash(name, v, debug.Stack())
	}
}

// crash ends the process once; further panics wait for that.
func (g *Guard) crash(name string, value any, stack []byte) {
	g.once.Do(func() {
		g.mu.Lock()
		restore := g.restore
		g.mu.Unlock()
		if restore != nil {
			restore()
		}
		g.log.Error("panic", "goroutine", name, "value", fmt.Sprint(value), "stack", string(stack))
		// What panics may hold an agent's text, and stderr is the terminal.
		fmt.Fprintf(g.stderr, "askd: internal error in %s: %s\nNothing that was stored is lost. Start askd again; the report is in %s\n",
			name, ask.CleanLine(fmt.Sprint(value)), g.write(name, value, stack))
		g.exit(crashCode)
	})
	select {}
}

// write keeps the report as a file and names it, or the log when it cannot.
func (g *Guard) write(name string, value any, stack []byte) string {
	f, err := os.CreateTemp(g.report, "askd-crash-"+g.now().UTC().Format("20060102T150405")+"-*.txt")
	if err != nil {
		return "the log"
	}
	defer func() { _ = f.Close() }()
	fmt.Fprintf(f, "panic in %s: %v\n\n%s", name, value, stack)
	return f.Name()
}
