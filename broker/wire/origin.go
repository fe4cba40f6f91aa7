package wire

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"askd/broker"
)

// maxOrigin is the longest name of a machine that a relay may give, in bytes: that of the name service.
const maxOrigin = 255

// OriginLine is the line with which a relay begins a connection that it brings from a machine.
func OriginLine(host string) []byte {
	line, err := json.Marshal(notification{Version: "2.0", Method: "connection.origin", Params: map[string]string{"host": host}})
	if err != nil {
		return nil // a name can be encoded
	}
	return append(line, '\n')
}

// comesFrom takes a relay's word on where the rest of the connection comes from. It counts once and before initialize
// alone: the client behind the relay cannot take it back.
func (c *Conn) comesFrom(raw json.RawMessage) error {
	var p struct {
		Host string `json:"host"`
	}
	if err := decodeParams(raw, &p); err != nil {
		return err
	}
	switch {
	case c.client != nil || c.origin.Relay != "":
		return &broker.Error{Kind: broker.Conflict, Message: "connection.origin came late", Hint: "a relay sends it once, before initialize"}
	case strings.TrimSpace(p.Host) == "" || len(p.Host) > maxOrigin || !utf8.ValidString(p.Host):
		return &broker.Error{Kind: broker.InvalidParams, Path: "host", Message: "host: the name of a machine is needed, of at most 255 bytes"}
	}
	c.origin.Relay = p.Host
	return nil
}

// nearby makes a method that is for this user on this machine alone: it writes where its parameters say.
func nearby(m method) method {
	return func(c *Conn, raw json.RawMessage, reply broker.Reply) {
		if c.origin.Foreign() {
			reply(nil, &broker.Error{
				Kind: broker.Unavailable, Message: "it would write a file on another machine than yours, or as another user",
				Hint: "run it on askd's machine, as the user who runs askd",
			})
			return
		}
		m(c, raw, reply)
	}
}

// settableFromAfar reports whether a client on another machine may change a setting: how questions are asked, but nothing
// that runs commands here or decides who may answer.
func settableFromAfar(p settingsParams) bool {
	return p.File == "question" || p.Key == "behaviour.backgroundOnly"
}
