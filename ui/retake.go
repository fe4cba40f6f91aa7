package ui

import (
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"

	"github.com/gdamore/tcell/v2/terminfo"
	"golang.org/x/term"
)

// A pane that was stopped and goes on finds a terminal that a shell has had meanwhile: it has written on the screen and has
// taken away the modes by which a paste is told from keys.

// Retake takes the terminal again and draws all of it anew. Any goroutine; it does not wait.
func (p *Pane) Retake() {
	p.post(func() {
		if s := p.screen.Load(); s != nil && s.retake() {
			s.SetTitle(p.title)
		}
	})
}

// retake enters the modes of the terminal again and sends every cell of the frame; nothing, and false, once it is being given
// back.
func (s *frameScreen) retake() bool {
	select {
	case s.drawing <- struct{}{}:
	default:
		return false
	}
	defer func() { <-s.drawing }()
	if s.tty != nil && s.tty.enter != "" {
		_, _ = s.tty.Write([]byte(s.tty.enter)) // a terminal that has gone says so where it is read
	}
	s.EnableMouse()
	s.Screen.EnablePaste()
	s.Screen.EnableFocus()
	s.Screen.Sync()
	return true
}

// titleStack keeps the title on the terminal's stack, or takes it from there.
var titleStack = regexp.MustCompile(`\x1b\[2[23];[\d;]*t`)

// enterXterm enters the keyboard modes of terminals like xterm, in the place of the ones that are on their stack.
const enterXterm = "\x1b[<u\x1b[>4;2m\x1b[>1u\x1b[?9001h"

// entering is what takes a terminal of this kind again, as tcell has taken it at the start: its other screen and each mode that
// is not asked for by name. Stacks of the terminal are left as high as they are, or something of the pane would outlast it.
func entering(ti *terminfo.Terminfo) string {
	var b strings.Builder
	for _, s := range []string{titleStack.ReplaceAllString(ti.EnterCA, ""), ti.EnterKeypad, ti.EnableAcs, ti.DisableAutoMargin} {
		ti.TPuts(&b, s)
	}
	if likeXterm(ti) {
		b.WriteString(enterXterm)
	}
	return b.String()
}

// likeXterm reports whether tcell enters the modes that only terminals like xterm have.
func likeXterm(ti *terminfo.Terminfo) bool {
	return ti.XTermLike || strings.HasPrefix(ti.Name, "xterm")
}

// goesOn retakes the process's own terminal whenever the process goes on after a stop, until the function that it gives is
// called.
func (p *Pane) goesOn() (end func()) {
	if p.attached() || p.tty == nil {
		return func() {}
	}
	continued, done, ended := make(chan os.Signal, 1), make(chan struct{}), make(chan struct{})
	signal.Notify(continued, syscall.SIGCONT)
	p.o.Go("pane continued", func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-continued:
				if err := rawAgain(); err != nil {
					p.o.Log.Warn("take the terminal again", "err", err)
				}
				p.Retake()
			}
		}
	})
	return func() {
		signal.Stop(continued)
		close(done)
		<-ended
	}
}

// rawAgain puts the process's own terminal back into raw mode. In the background it stops the process, until that is in front
// again.
func rawAgain() error {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("open the terminal: %w", err)
	}
	defer func() { _ = tty.Close() }()
	_, err = term.MakeRaw(int(tty.Fd()))
	return err
}
