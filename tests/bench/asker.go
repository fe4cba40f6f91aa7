package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"strings"

	"github.com/google/uuid"
)

// asker is one raw connection that asks: what it costs itself is next to nothing, so that the figures are askd's.
type asker struct {
	nc    net.Conn
	r     *bufio.Reader
	next  int
	heard int // bytes
}

func dialAsker(socket, session string) (*asker, error) {
	nc, err := net.Dial("unix", socket)
	if err != nil {
		return nil, err
	}
	a := &asker{nc: nc, r: bufio.NewReaderSize(nc, 256<<10)}
	if err := a.call("initialize", `{"protocol":1,"client":{"name":"bench","version":"0"}}`); err != nil {
		return nil, err
	}
	return a, a.call("session.open", fmt.Sprintf(`{"id":%q,"ui":"cli","cwd":"/bench","branch":null}`, session))
}

// send writes a request and gives its id.
func (a *asker) send(method, params string) (int, error) {
	a.next++
	_, err := fmt.Fprintf(a.nc, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", a.next, method, params)
	return a.next, err
}

// until reads lines up to the one that has a mark.
func (a *asker) until(mark string) error {
	for {
		line, err := a.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		a.heard += len(line)
		if bytes.Contains(line, []byte(mark)) {
			if bytes.Contains(line, []byte(`"error":`)) && !bytes.Contains(line, []byte(`"result":`)) {
				return fmt.Errorf("askd answered %s", line)
			}
			return nil
		}
	}
}

// call sends a request and waits for its reply.
func (a *asker) call(method, params string) error {
	id, err := a.send(method, params)
	if err != nil {
		return err
	}
	return a.until(fmt.Sprintf(`"id":%d,`, id))
}

// arguments make a valid ask of about size bytes.
func arguments(size int) string {
	text := strings.Repeat("context of a question ", size/22)
	return fmt.Sprintf(`{"questions":[{"id":"q","prompt":"Which?","context":%q,"options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]}]}`, text)
}

// ask sends a tool call and gives the ids of the message and of the request.
func (a *asker) ask(args string) (int, string, error) {
	id := uuid.Must(uuid.NewV7()).String()
	n, err := a.send("tool.call", fmt.Sprintf(`{"tool":"ask_user","requestId":%q,"toolCallId":%q,"arguments":%s}`, id, id, args))
	return n, id, err
}

// accept asks and waits until it is accepted; the form stays pending.
func (a *asker) accept(args string) error {
	if _, _, err := a.ask(args); err != nil {
		return err
	}
	return a.until(`"method":"ask.accepted"`)
}

// whole asks, answers itself and waits for the result.
func (a *asker) whole(args string) error {
	n, id, err := a.ask(args)
	if err != nil {
		return err
	}
	if err := a.until(`"method":"ask.accepted"`); err != nil {
		return err
	}
	if _, err := a.send("form.respond", fmt.Sprintf(`{"requestId":%q,"response":{"kind":"answer","answers":{"q":{"values":["a"]}}}}`, id)); err != nil {
		return err
	}
	return a.until(fmt.Sprintf(`"id":%d,`, n))
}
