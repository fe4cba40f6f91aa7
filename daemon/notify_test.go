package daemon

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"askd/broker/ask"
	"askd/config"
)

func question(label, prompt string) *ask.Request {
	return &ask.Request{Questions: []ask.Question{{Label: label, Prompt: prompt}, {Label: "second"}}}
}

// running starts a notifier whose terminal is a channel. Bursts do not end within a test, unless it says so.
func running(t *testing.T, burst time.Duration, channels ...config.Channel) (*notifier, <-chan string) {
	t.Helper()
	out := make(chan string, 64)
	n := newNotifier(func() config.Notifications { return config.Notifications{Enabled: true, Channels: channels} },
		func(s string, _ bool) bool { out <- s; return true }, slog.New(slog.DiscardHandler))
	n.burst = burst
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); n.run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return n, out
}

func next(t *testing.T, out <-chan string) string {
	t.Helper()
	select {
	case s := <-out:
		return s
	case <-time.After(10 * time.Second):
		t.Fatal("nothing was written")
		return ""
	}
}

func TestTerminalChannels(t *testing.T) {
	n, out := running(t, time.Hour, config.Channel{Kind: config.OSC777}, config.Channel{Kind: config.Bell}, config.Channel{Kind: config.OSC9})
	n.announce(question("Store;\n a \x1b]0;x\a", "?"))
	want := []string{
		"\x1b]777;notify;pi-agent-ask;Question waiting: Store: a ␛]0:x␇\a", "\a", "\x1b]9;Question waiting: Store; a ␛]0;x␇\a",
	}
	if got := []string{next(t, out), next(t, out), next(t, out)}; !cmp.Equal(got, want) {
		t.Errorf("wrote %q, want %q", got, want)
	}
}

func TestMultiplexers(t *testing.T) {
	for name, want := range map[string]string{"TMUX": "\x1bPtmux;\x1b\x1b]9;x\a\x1b\\", "STY": "\x1bP\x1b]9;x\a\x1b\\", "": "\x1b]9;x\a"} {
		m := newMux(func(v string) string { return strings.Repeat("1", strings.Count(v, name)*min(1, len(name))) }, slog.New(slog.DiscardHandler))
		if got := m.outside("\x1b]9;x\a"); got != want {
			t.Errorf("with %q: %q, want %q", name, got, want)
		}
	}
}

func TestBurstIsOneNotice(t *testing.T) {
	n, out := running(t, time.Hour, config.Channel{Kind: config.Bell})
	for range 3 * notifyRoom {
		n.announce(question("A", "?"))
	}
	next(t, out)
	for len(n.waiting) > 0 { // swallowed, not told: the burst lasts longer than the test
		select {
		case s := <-out:
			t.Fatalf("a second notice %q", s)
		default:
		}
	}
}

// TestBurstDuringASlowCommand: what came with the first question is told with it, also when telling took longer than the burst.
func TestBurstDuringASlowCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "go")
	slow := "until [ -e '" + file + "' ]; do sleep 0.01; done"
	n, out := running(t, time.Minute, config.Channel{Kind: config.Bell}, config.Channel{Kind: config.Command, Command: slow})
	n.patience = time.Minute // nothing is told yet
	first := announced{"A", time.Now()}
	n.waiting <- first
	next(t, out)
	n.waiting <- announced{"with it", first.at.Add(n.burst)}
	n.waiting <- announced{"after it", first.at.Add(n.burst + 1)}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	next(t, out)
	if len(n.waiting) > 0 {
		t.Error("a question was left over")
	}
	select {
	case s := <-out:
		t.Errorf("a third notice %q", s)
	default:
	}
}

func TestLaterQuestionsAreToldAgain(t *testing.T) {
	n, out := running(t, time.Nanosecond, config.Channel{Kind: config.Bell})
	for range 3 {
		n.announce(question("A", "?"))
		next(t, out)
	}
}

// TestCommand runs real commands: one that fails and one that hangs do not keep the last from its turn.
func TestCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "told")
	cmd := func(line string) config.Channel { return config.Channel{Kind: config.Command, Command: line} }
	n, _ := running(t, time.Hour, cmd("exit 3"), cmd("sleep 600"), cmd("no-such-program"),
		cmd(`printf '%s|%s|%s' "$ASK_NOTIFY_EVENT" "$ASK_NOTIFY_TITLE" "$ASK_NOTIFY_MESSAGE" > '`+file+`.part' && mv '`+file+`.part' '`+file+`'`))
	n.patience = 300 * time.Millisecond
	n.announce(question("", "Which `store`\t$(rm -rf x)?"))
	var got []byte
	for deadline := time.Now().Add(20 * time.Second); len(got) == 0; {
		got, _ = os.ReadFile(file)
		if time.Now().After(deadline) {
			t.Fatal("the last command never ran")
		}
	}
	if want := "question.waiting|pi-agent-ask|Question waiting: Which `store` $(rm -rf x)?"; string(got) != want {
		t.Errorf("command got %q, want %q", got, want)
	}
}

// TestCommandEndsWhole: a command that hangs leaves nothing behind.
func TestCommandEndsWhole(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	n := &notifier{patience: 300 * time.Millisecond}
	if err := n.command(t.Context(), "sleep 600 & echo $! > '"+file+"'; wait", "x"); err == nil {
		t.Error("a command that hangs did well")
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); syscall.Kill(pid, 0) == nil && !zombie(pid); {
		if time.Now().After(deadline) {
			t.Fatalf("process %d still runs", pid)
		}
	}
}

// zombie reports whether a process has ended and only waits to be buried.
func zombie(pid int) bool {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, rest, ok := strings.Cut(string(raw), ") ")
	return err == nil && ok && strings.HasPrefix(rest, "Z")
}

func TestSwitchedOff(t *testing.T) {
	n := newNotifier(func() config.Notifications {
		return config.Notifications{Channels: []config.Channel{{Kind: config.Bell}}}
	}, func(string, bool) bool { t.Error("wrote to the terminal"); return true }, slog.New(slog.DiscardHandler))
	n.tell(t.Context(), "x")
}

// TestQuietOverIsAnnounced in the words of one or of several questions.
func TestQuietOverIsAnnounced(t *testing.T) {
	n := newNotifier(nil, nil, slog.New(slog.DiscardHandler))
	for waiting, want := range map[int]string{1: "Do not disturb is over: 1 question waits", 3: "Do not disturb is over: 3 questions wait"} {
		n.announceQuietOver(waiting)
		if got := n.next(t.Context()); message(got.text) != want {
			t.Errorf("%d questions are announced as %q", waiting, got.text)
		}
	}
}

func TestMessage(t *testing.T) {
	for _, tt := range []struct{ label, want string }{
		{"Q1", "Question waiting: Q1"},
		{" a \n b ", "Question waiting: a b"},
		{strings.Repeat("x", 102), "Question waiting: " + strings.Repeat("x", 102)},
		{strings.Repeat("x", 103), "Question waiting: " + strings.Repeat("x", 101) + "…"},
		{strings.Repeat("😀", 60), "Question waiting: " + strings.Repeat("😀", 50) + "…"},
	} {
		got := message("Question waiting: " + tt.label)
		if got != tt.want {
			t.Errorf("message(%q) = %q, want %q", tt.label, got, tt.want)
		}
		if n := len(utf16.Encode([]rune(got))); n > config.NotifyText {
			t.Errorf("%q has %d units", got, n)
		}
	}
}
