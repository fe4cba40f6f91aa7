package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"time"
)

// openPatience is how long one command of a multiplexer may take: they answer in milliseconds.
const openPatience = 5 * time.Second

// opener knows how a terminal multiplexer opens a pane beside another one without taking the person there.
type opener struct {
	name     string
	variable string // names the pane that a program runs in
	id       *regexp.Regexp
	open     []string // the command; the pane's id goes where the mark is, the program behind it
	back     []string // gives the focus back where opening takes it; nil elsewhere
}

// idMark is where a pane's id goes in a command.
const idMark = "{id}"

var digits = regexp.MustCompile(`^[0-9]{1,9}$`)

// openers are those that askctl knows, the innermost first.
var openers = []opener{
	{
		"tmux", "TMUX_PANE", regexp.MustCompile(`^%[0-9]{1,9}$`),
		[]string{"tmux", "split-window", "-h", "-d", "-t", idMark},
		nil,
	},
	{
		"zellij", "ZELLIJ_PANE_ID", digits,
		[]string{"zellij", "run", "--name", "askd", "--direction", "right", "--close-on-exit", "--"},
		[]string{"zellij", "action", "focus-pane-id", "terminal_" + idMark},
	},
	{
		"WezTerm", "WEZTERM_PANE", digits,
		[]string{"wezterm", "cli", "split-pane", "--right", "--pane-id=" + idMark, "--"},
		[]string{"wezterm", "cli", "activate-pane", "--pane-id=" + idMark},
	},
	{
		"kitty", "KITTY_WINDOW_ID", digits,
		[]string{"kitten", "@", "launch", "--location=vsplit", "--keep-focus", "--next-to=id:" + idMark},
		nil,
	},
}

// openerHere is the opener of the multiplexer that askctl runs in, with the pane's id; nil for none.
func openerHere(getenv func(string) string) (*opener, string) {
	for i := range openers {
		if id := getenv(openers[i].variable); id != "" {
			if !openers[i].id.MatchString(id) {
				return nil, ""
			}
			return &openers[i], id
		}
	}
	return nil, ""
}

// start runs a program in a new pane beside the pane of that id. The person's focus is where it was when it returns.
func (m *opener) start(ctx context.Context, id string, program []string) error {
	if err := runCommand(ctx, append(filled(m.open, id), program...)); err != nil {
		return err
	}
	if m.back == nil {
		return nil
	}
	return runCommand(ctx, filled(m.back, id))
}

// filled gives a command with the pane's id in it.
func filled(command []string, id string) []string {
	out := make([]string, len(command))
	for i, word := range command {
		out[i] = string(bytes.ReplaceAll([]byte(word), []byte(idMark), []byte(id)))
	}
	return out
}

// runCommand runs one command without a shell; its fault says what the command said.
func runCommand(ctx context.Context, argv []string) error {
	ctx, cancel := context.WithTimeout(ctx, openPatience)
	defer cancel()
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.WaitDelay = time.Second
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", argv[0], argv[1], err, bytes.TrimSpace(out[:min(len(out), 512)]))
	}
	return nil
}
