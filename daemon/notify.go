package daemon

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
	"unicode/utf16"

	"askd/broker/ask"
	"askd/config"
)

// notifyTitle and notifyEvent are the published names (contract, "Notifications").
const (
	notifyTitle = "pi-agent-ask"
	notifyEvent = "question.waiting"
)

// notifyRoom is how many questions may wait to be announced; more of them are the same burst anyway.
const notifyRoom = 64

// notifier tells the person outside the pane that a question waits: best effort, one notice for a burst, never in the way
// of the question itself.
type notifier struct {
	settings func() config.Notifications
	// terminal writes to the terminals of all panes, outside the multiplexers that they are in when that is wished; false
	// without any.
	terminal func(sequence string, outside bool) bool
	waiting  chan announced
	burst    time.Duration
	patience time.Duration // of a command
	log      *slog.Logger
}

// mostHost is how many characters of another machine's name a notice begins with: what is asked must still be in it.
const mostHost = 32

// announced is what to tell of.
type announced struct {
	text string
	at   time.Time
}

func newNotifier(settings func() config.Notifications, terminal func(string, bool) bool, log *slog.Logger) *notifier {
	return &notifier{
		settings: settings, terminal: terminal, waiting: make(chan announced, notifyRoom), burst: config.NotifyBurst, patience: config.NotifyCommand, log: log,
	}
}

// announce takes a request to tell of. It never blocks; what does not fit is part of a burst that is told anyway.
func (n *notifier) announce(r *ask.Request) {
	label := ""
	if len(r.Questions) > 0 {
		if label = r.Questions[0].Label; label == "" {
			label = r.Questions[0].Prompt
		}
	}
	if host := []rune(r.Asker.Host); len(host) > 0 { // another machine
		label = string(host[:min(len(host), mostHost)]) + " · " + label
	}
	n.put("Question waiting: " + label)
}

// announceQuietOver tells how many questions wait after the person was not to be disturbed. It never blocks.
func (n *notifier) announceQuietOver(waiting int) {
	questions := "1 question waits"
	if waiting != 1 {
		questions = fmt.Sprintf("%d questions wait", waiting)
	}
	n.put("Do not disturb is over: " + questions)
}

func (n *notifier) put(text string) {
	select {
	case n.waiting <- announced{text, time.Now()}:
	default:
	}
}

// run serves until ctx ends.
func (n *notifier) run(ctx context.Context) {
	for q := n.next(ctx); q != nil; q = n.afterBurst(ctx, q) {
		n.tell(ctx, message(q.text))
	}
}

// next waits for a question; nil when ctx ends.
func (n *notifier) next(ctx context.Context) *announced {
	select {
	case <-ctx.Done():
		return nil
	case q := <-n.waiting:
		return &q
	}
}

// afterBurst gives the next question that is no part of the burst which q began, however long it took to tell of q.
func (n *notifier) afterBurst(ctx context.Context, q *announced) *announced {
	end := q.at.Add(n.burst)
	for {
		if q = n.next(ctx); q == nil || q.at.After(end) {
			return q
		}
	}
}

// message words a notice.
func message(text string) string {
	return shorten(strings.Join(strings.Fields(ask.CleanLine(text)), " "))
}

// shorten cuts at config.NotifyText UTF-16 units, the ellipsis included, and never within a character.
func shorten(s string) string {
	if len(utf16.Encode([]rune(s))) <= config.NotifyText {
		return s
	}
	units, end := 0, 0
	for i, r := range s {
		if units += utf16.RuneLen(r); units > config.NotifyText-1 {
			break
		}
		end = i + len(string(r))
	}
	return s[:end] + "…"
}

// channels says how each kind of channel tells a message.
var channels = map[config.ChannelKind]func(*notifier, context.Context, config.Channel, string) error{
	config.Bell: func(n *notifier, _ context.Context, _ config.Channel, _ string) error { return n.write("\a", false) },
	config.OSC9: func(n *notifier, _ context.Context, _ config.Channel, m string) error {
		return n.write("\x1b]9;"+plain(m)+"\a", true)
	},
	config.OSC777: (*notifier).osc777,
	config.Command: func(n *notifier, ctx context.Context, c config.Channel, m string) error {
		return n.command(ctx, c.Command, m)
	},
}

// tell uses every channel in the configured order; failures are logged and change nothing.
func (n *notifier) tell(ctx context.Context, m string) {
	s := n.settings()
	if !s.Enabled {
		n.log.Debug("notification", "channel", "notifications", "status", "skipped")
		return
	}
	for _, c := range s.Channels {
		status := "attempted"
		err := channels[c.Kind](n, ctx, c, m)
		if err != nil {
			status = "failed"
		}
		n.log.Info("notification", "channel", string(c.Kind), "status", status, "err", err)
	}
}

func (n *notifier) osc777(_ context.Context, _ config.Channel, m string) error {
	part := strings.NewReplacer(";", ":")
	return n.write("\x1b]777;notify;"+part.Replace(notifyTitle)+";"+part.Replace(plain(m))+"\a", true)
}

// plain leaves out what would end a sequence early.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}

func (n *notifier) write(sequence string, outside bool) error {
	if !n.terminal(sequence, outside) {
		return fmt.Errorf("no pane is attached")
	}
	return nil
}

// command runs a notification command in a shell, for a bounded time. It runs in a process group of its own, so that all it
// has started ends with it.
func (n *notifier) command(ctx context.Context, line, m string) error {
	ctx, cancel := context.WithTimeout(ctx, n.patience)
	defer cancel()
	c := exec.CommandContext(ctx, "/bin/sh", "-c", line)
	c.Env = append(os.Environ(), "ASK_NOTIFY_EVENT="+notifyEvent, "ASK_NOTIFY_TITLE="+notifyTitle, "ASK_NOTIFY_MESSAGE="+m)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = time.Second // what has left the group may hold the pipe open
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(out[:min(len(out), 512)]))
	}
	return nil
}
