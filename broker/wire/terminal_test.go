package wire_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"askd/broker/wire"
	"askd/config"
)

func encoded(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// written is what the next pane.output holds.
func (c *raw) written() string {
	c.tb.Helper()
	var p struct{ Data []byte }
	must(c.tb, json.Unmarshal(c.notice("pane.output").Params, &p))
	return string(p.Data)
}

const attachParams = `{"columns":90,"rows":30,"term":"xterm"}`

// TestTerminalCarriesBothWays: what is typed arrives, is answered once it has been read, and what is drawn goes back.
func TestTerminalCarriesBothWays(t *testing.T) {
	resized, retaken := make(chan struct{}, 1), make(chan struct{}, 1)
	h := newHouse(t, wire.Options{Attach: func(term *wire.Terminal) (wire.AttachEnd, error) {
		term.OnResize(func() { resized <- struct{}{} })
		term.OnRetake(func() { retaken <- struct{}{} })
		term.Opened("restore")
		p := make([]byte, 4)
		for {
			n, err := term.Read(p)
			if err != nil {
				return wire.AttachEnd{Reason: wire.AttachDetached}, nil
			}
			if string(p[:n]) == "quit" {
				term.Drain()
			}
			columns, rows := term.Size()
			if _, err := fmt.Fprintf(term, "%s at %d×%d", p[:n], columns, rows); err != nil {
				t.Error(err)
			}
		}
	}})
	c := h.dial().hello()
	attach := c.start("pane.attach", attachParams)
	var opened struct{ Restore []byte }
	must(t, json.Unmarshal(c.notice("pane.opened").Params, &opened))
	if string(opened.Restore) != "restore" {
		t.Errorf("restore %q", opened.Restore)
	}
	input := c.start("pane.input", `{"data":"`+encoded("abcdef")+`"}`)
	if got := c.written(); got != "abcd at 90×30" {
		t.Errorf("drawn %q", got)
	}
	if m := c.reply(input); m.Error != nil {
		t.Errorf("input: %+v", m.Error)
	}
	if got := c.written(); got != "ef at 90×30" {
		t.Errorf("drawn %q", got)
	}
	c.ok("pane.resize", `{"columns":1000000,"rows":-4}`)
	<-resized
	c.ok("pane.retake", `{}`)
	<-retaken
	if m := c.call("pane.attach", attachParams); m.Error == nil || m.Error.Data.Kind != "conflict" {
		t.Errorf("a second pane on the connection: %+v", m)
	}
	c.start("pane.input", `{"data":"`+encoded("quit")+`"}`)
	if got, want := c.written(), fmt.Sprintf("quit at %d×1", config.PaneColumns); got != want {
		t.Errorf("drawn %q, want %q", got, want)
	}
	if m := c.reply(attach); m.Error != nil || string(m.Result) != `{"reason":"detached"}` {
		t.Errorf("the end: %+v", m)
	}
	if m := c.call("pane.input", `{"data":""}`); m.Error == nil || m.Error.Data.Kind != "not_found" {
		t.Errorf("input after the end: %+v", m)
	}
}

// TestTerminalWaitsForItsClient: a client that takes nothing holds up its own pane alone, and with it ends what waits.
func TestTerminalWaitsForItsClient(t *testing.T) {
	ended := make(chan error, 1)
	h := newHouse(t, wire.Options{Attach: func(term *wire.Terminal) (wire.AttachEnd, error) {
		_, err := io.Copy(term, strings.NewReader(strings.Repeat("x", (config.PaneOutputs+2)*config.PaneOutput)))
		ended <- err
		return wire.AttachEnd{}, err
	}})
	c := h.dial().hello()
	c.start("pane.attach", attachParams)
	for range config.PaneOutputs {
		c.written()
	}
	c.ok("daemon.status", `{}`)
	select {
	case err := <-ended:
		t.Fatalf("the pane did not wait: %v", err)
	default:
	}
	c.start("pane.taken", `{}`) // what the pane writes then may come before the reply
	c.written()
	for range config.PaneInputs {
		c.start("pane.input", `{"data":"`+encoded("x")+`"}`)
	}
	if m := c.call("pane.input", `{"data":"`+encoded("x")+`"}`); m.Error == nil || m.Error.Data.Kind != "too_large" {
		t.Errorf("more than the pane takes: %+v", m)
	}
	must(t, c.conn.Close())
	if err := <-ended; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the pane ended with %v", err)
	}
}
