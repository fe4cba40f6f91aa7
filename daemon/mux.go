package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"askd/broker"
)

// muxPatience is how long one command of a multiplexer may take: they answer in milliseconds, and a person waits for it.
const muxPatience = 2 * time.Second

var (
	errNotReached = errors.New("it is in no multiplexer that this pane is in")
	errNoClient   = errors.New("no terminal shows that session of the multiplexer")
)

// mux moves the focus of the terminal multiplexer in which askd's pane runs. It does so only when it is told to, and never
// types, opens or closes anything.
type mux struct {
	own     broker.Terminal // the pane; the zero value is in none
	wrap    string          // "tmux" or "screen": what lets sequences through to the terminal outside only in a wrapping
	environ []string        // of the commands; nil is the process's own
	log     *slog.Logger
}

// muxKind is what differs between multiplexers.
type muxKind struct {
	name     string
	variable string // names the pane that a program runs in
	id       *regexp.Regexp
	focus    func(m *mux, ctx context.Context, to, from string) error
}

var number = regexp.MustCompile(`^[0-9]{1,9}$`)

// muxKinds are the multiplexers by their names on the wire (PROTOCOL, SessionInfo.terminal), the innermost first.
var muxKinds = []muxKind{
	{"tmux", "TMUX_PANE", regexp.MustCompile(`^%[0-9]{1,9}$`), (*mux).tmux},
	{"zellij", "ZELLIJ_PANE_ID", number, simple("zellij", "action", "focus-pane-id", "terminal_")},
	{"wezterm", "WEZTERM_PANE", number, simple("wezterm", "cli", "activate-pane", "--pane-id=")},
	{"kitty", "KITTY_WINDOW_ID", number, simple("kitten", "@", "focus-window", "--match=id:")},
}

// newMux finds out in which pane askd runs.
func newMux(getenv func(string) string, log *slog.Logger) *mux {
	m := &mux{log: log}
	switch {
	case getenv("TMUX") != "":
		m.wrap = "tmux"
	case getenv("STY") != "":
		m.wrap = "screen"
	}
	for _, k := range muxKinds {
		if id := getenv(k.variable); id != "" {
			m.own = broker.Terminal{Kind: k.name, ID: id}
			return m
		}
	}
	return m
}

// outside wraps a sequence so that the multiplexer hands it to the terminal outside. A nil one wraps nothing.
func (m *mux) outside(sequence string) string {
	switch {
	case m != nil && m.wrap == "tmux":
		return "\x1bPtmux;" + strings.ReplaceAll(sequence, "\x1b", "\x1b\x1b") + "\x1b\\"
	case m != nil && m.wrap == "screen":
		return "\x1bP" + sequence + "\x1b\\"
	}
	return sequence
}

func kindOf(t broker.Terminal) *muxKind {
	for i := range muxKinds {
		if muxKinds[i].name == t.Kind && muxKinds[i].id.MatchString(t.ID) {
			return &muxKinds[i]
		}
	}
	return nil
}

// Reaches implements ui.Multiplexer. Pane ids of another multiplexer, or of one that askd is not in, mean nothing here.
func (m *mux) Reaches(t broker.Terminal) bool {
	return t.Kind == m.own.Kind && kindOf(t) != nil
}

// Visit implements ui.Multiplexer.
func (m *mux) Visit(ctx context.Context, to broker.Terminal) error {
	return m.move(ctx, to, m.own)
}

// comeHere moves the focus to askd's own pane for a person who is at another; false when it cannot.
func (m *mux) comeHere(from broker.Terminal) bool {
	if !m.Reaches(from) {
		from = broker.Terminal{}
	}
	err := m.move(context.Background(), m.own, from)
	if err != nil {
		m.log.Info("focus", "err", err)
	}
	return err == nil
}

func (m *mux) move(ctx context.Context, to, from broker.Terminal) error {
	if !m.Reaches(to) {
		return errNotReached
	}
	ctx, cancel := context.WithTimeout(ctx, 3*muxPatience)
	defer cancel()
	return kindOf(to).focus(m, ctx, to.ID, from.ID)
}

// simple makes a focus of a multiplexer's command that takes a pane's id behind its last word.
func simple(command ...string) func(*mux, context.Context, string, string) error {
	return func(m *mux, ctx context.Context, to, _ string) error {
		last := len(command) - 1
		args := append(append([]string{}, command[1:last]...), command[last]+to)
		_, err := m.run(ctx, command[0], args...)
		return err
	}
}

// run runs one command without a shell and gives what it says.
func (m *mux) run(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, muxPatience)
	defer cancel()
	c := exec.CommandContext(ctx, name, args...)
	c.Env = m.environ
	if c.Env == nil {
		c.Env = os.Environ()
	}
	c.WaitDelay = time.Second
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, args[0], err, bytes.TrimSpace(said.Bytes()[:min(said.Len(), 512)]))
	}
	return string(out), nil
}
