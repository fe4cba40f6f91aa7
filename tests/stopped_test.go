package tests

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// terminalModes is what a terminal would make of the bytes that it was sent: each mode that is on or off, and how high its
// stacks have become.
type terminalModes struct {
	modes           map[string]string
	keyboard, title int
}

// modeSequence is everything that changes a mode, a stack or the title: private modes, modifyOtherKeys, kitty's keyboard, the
// keypad, the stack of titles, the title itself.
var modeSequence = regexp.MustCompile(`\x1b(?:\[\?([\d;]+)([hl])|\[>(4);(\d)m|\[([<>])\d*u|([=>])|\[(2[23]);[\d;]*t|\]2;([^\x07\x1b]*)(?:\x07|\x1b\\))`)

// modesAfter is the state of a terminal that knew nothing and was sent a text.
func modesAfter(text string) terminalModes {
	s := terminalModes{modes: map[string]string{}}
	for _, m := range modeSequence.FindAllStringSubmatch(text, -1) {
		switch {
		case m[1] != "":
			for mode := range strings.SplitSeq(m[1], ";") {
				s.modes["?"+mode] = m[2]
			}
		case m[3] != "":
			s.modes[">4"] = m[4]
		case m[5] == ">":
			s.keyboard++
		case m[5] == "<":
			s.keyboard = max(0, s.keyboard-1)
		case m[6] != "":
			s.modes["keypad"] = m[6]
		case m[7] == "22":
			s.title++
		case m[7] == "23":
			s.title--
		case m[8] != "":
			s.modes["title"] = m[8]
		}
	}
	return s
}

// stopped stops a program, lets it go on, and gives what it has written since: a frame with a text in it, and a title.
func (p *tty) stopped(shows string) string {
	p.t.Helper()
	pid := p.cmd.Process.Pid
	_ = syscall.Kill(pid, syscall.SIGSTOP)
	within(p.t, "the program to stop", func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, rest, ok := strings.Cut(string(stat), ") ")
		return err == nil && ok && strings.HasPrefix(rest, "T")
	})
	before := len(p.written.String())
	_ = syscall.Kill(pid, syscall.SIGCONT)
	within(p.t, "the whole screen and its title again", func() bool {
		again := p.written.String()[before:]
		return strings.Contains(again, shows) && modesAfter(again).modes["title"] != "" // the title goes out last
	})
	return p.written.String()[before:]
}

// TestStoppedPaneEntersEveryMode: a terminal that a shell has put back while the pane was stopped is in every mode again that the
// pane had it in, keyboard and title too, and its stacks are as high as they were. What the pane has entered is left at the end,
// also when askd was killed.
func TestStoppedPaneEntersEveryMode(t *testing.T) {
	t.Parallel()
	for _, term := range []string{"xterm-256color", "alacritty"} {
		for name, attached := range map[string]bool{"askd's own": false, "attached": true} {
			t.Run(name+" "+term, func(t *testing.T) {
				p := newPlace(t)
				cmd := exec.Command(program(t, "askd"))
				var askd *process
				if attached {
					askd = serve(t, p)
					cmd = exec.Command(program(t, "askctl"), "attach")
				}
				cmd.Env = p.env("TERM=" + term)
				pane := onTerminal(t, 80, 24, cmd)
				within(t, "the pane", func() bool {
					return answers(p.socket) && strings.Contains(pane.written.String(), "nothing is waiting")
				})
				connect(t, p, "s1").begin(1, twoQuestions)
				within(t, "the form", func() bool { return modesAfter(pane.written.String()).modes["title"] == "askd (1)" })
				begun := modesAfter(pane.written.String())
				again := modesAfter(pane.stopped("Which database?"))
				for mode, value := range begun.modes {
					if again.modes[mode] != value {
						t.Errorf("mode %s was %q, is %q after a stop", mode, value, again.modes[mode])
					}
				}
				if begun.keyboard != 1 || begun.title == 0 || again.keyboard != 1 || again.title != 0 {
					t.Errorf("stacks: at first %d, %d; after a stop %d, %d", begun.keyboard, begun.title, again.keyboard, again.title)
				}
				if askd != nil {
					askd.signal(syscall.SIGKILL)
				} else {
					_ = pane.cmd.Process.Signal(syscall.SIGTERM)
				}
				within(t, "the end of the pane", func() bool { return hasEnded(pane.ended) })
				over := modesAfter(pane.written.String())
				for mode, value := range over.modes {
					if was := begun.modes[mode]; value == was && value != "l" && mode != "?7" && mode != "?25" && mode != "title" {
						t.Errorf("mode %s is still %q", mode, value)
					}
				}
				if over.keyboard != 0 || over.title != 0 || over.modes["?25"] != "h" || over.modes["?7"] == "l" {
					t.Errorf("at the end: %+v", over)
				}
			})
		}
	}
}

func hasEnded(ended <-chan struct{}) bool {
	select {
	case <-ended:
		return true
	default:
		return false
	}
}
