package ui

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"
)

// A pane that was stopped and goes on finds a terminal that a shell has had meanwhile: it has written on the screen and has
// taken away the modes by which a paste is told from keys.

// Retake takes the terminal again and draws all of it anew. Any goroutine; it does not wait.
func (p *Pane) Retake() {
	p.post(func() {
		if s := p.screen.Load(); s != nil {
			s.retake()
		}
	})
}

// retake enters the modes of the terminal again and sends every cell of the frame; nothing once it is being given back.
func (s *frameScreen) retake() {
	select {
	case s.drawing <- struct{}{}:
	default:
		return
	}
	defer func() { <-s.drawing }()
	if s.tty != nil && s.tty.enter != "" {
		_, _ = s.tty.Write([]byte(s.tty.enter)) // a terminal that has gone says so where it is read
	}
	s.EnableMouse()
	s.Screen.EnablePaste()
	s.Screen.EnableFocus()
	s.Screen.Sync()
}

// entering is what takes a terminal's other screen, where it has one.
func entering(enterCA string) string {
	const other = "\x1b[?1049h"
	if strings.Contains(enterCA, other) {
		return other
	}
	return ""
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
