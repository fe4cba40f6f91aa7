package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"askd/config"
)

// mcpLines passes a client's messages on and answers the lines that are none by itself, so that one of them does not end
// the server. It belongs to whoever reads.
type mcpLines struct {
	from *bufio.Reader
	rest []byte // of the message being read
	out  io.Writer
}

func newMCPLines(r io.Reader, out io.Writer) *mcpLines {
	return &mcpLines{from: bufio.NewReader(r), out: out}
}

// Read gives the next piece of a message.
func (l *mcpLines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.line()
		if err != nil {
			return 0, err
		}
		l.rest = line
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// Close is for the transport; the standard input stays open.
func (l *mcpLines) Close() error { return nil }

// line reads until there is a message.
func (l *mcpLines) line() ([]byte, error) {
	for {
		line, long, err := l.next()
		if err != nil {
			return nil, err
		}
		switch trimmed := bytes.TrimSpace(line); {
		case long:
			l.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("message too large (limit %d MiB)", config.MaxLineIn>>20))
		case len(trimmed) == 0:
		case !json.Valid(trimmed):
			l.refuse(jsonrpc.CodeParseError, "this line is not JSON: send one JSON-RPC message a line")
		case trimmed[0] != '[' && !isMessage(trimmed):
			l.refuse(jsonrpc.CodeInvalidRequest, "this is no JSON-RPC 2.0 message: send jsonrpc, id, method and params")
		default:
			return line, nil
		}
	}
}

func isMessage(line []byte) bool {
	_, err := jsonrpc.DecodeMessage(line)
	return err == nil
}

// next reads one line. What is longer than the limit is read over and not kept; what the client left unfinished at its end
// is still a line.
func (l *mcpLines) next() (line []byte, long bool, err error) {
	for {
		piece, err := l.from.ReadSlice('\n')
		if long = long || len(line)+len(piece) > config.MaxLineIn; !long {
			line = append(line, piece...)
		}
		switch {
		case err == nil:
			return line, long, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0:
			return append(line, '\n'), long, nil
		default:
			return nil, false, err
		}
	}
}

func (l *mcpLines) refuse(code int, text string) {
	message, err := json.Marshal(text)
	if err == nil {
		_, _ = fmt.Fprintf(l.out, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%s}}`+"\n", code, message) // the client may have gone
	}
}

// wholeLines lets the server and mcpLines write to one client, a message at a time.
type wholeLines struct {
	mu sync.Mutex
	to io.Writer
}

// Write passes one message on.
func (w *wholeLines) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

// Close is for the transport; the standard output stays open.
func (*wholeLines) Close() error { return nil }
