package broker

import (
	"fmt"
	"path/filepath"
	"slices"

	"askd/broker/ask"
	"askd/config"
)

// OpenSession says which session the client's calls belong to from now on (PROTOCOL, session.open). It may come again: a
// client that opens another session leaves the one it had.
func (c *Client) OpenSession(info SessionInfo, reply Reply) {
	if err := checkSession(&info); err != nil {
		reply(nil, err)
		return
	}
	remote := c.locate(&info)
	c.asker.Store(&asker{session: info.ID, agentDir: info.AgentDir, env: info.Env, cwd: info.Cwd, trusted: info.ProjectTrusted, remote: remote})
	legacy := readLegacy(info.Legacy, c.b.o.Settings().PresentSingleAsMulti)
	info.Legacy = nil
	c.send(reply, func(d *desk) { d.open(c, info, legacy, reply) })
}

func checkSession(info *SessionInfo) error {
	if info.ID == "" {
		return &Error{Kind: InvalidParams, Path: "id", Message: "id: a session needs an id", Hint: "send any stable string"}
	}
	if err := checkID("id", info.ID); err != nil {
		return err
	}
	if info.UI == "" {
		info.UI = "cli"
	}
	if !slices.Contains([]string{"tui", "rpc", "json", "print", "cli", "mcp"}, info.UI) {
		return &Error{Kind: InvalidParams, Path: "ui", Message: "ui: unknown value \"" + info.UI + "\"", Hint: "use tui, rpc, json, print, cli or mcp"}
	}
	return nil
}

// checkID refuses an id that the data file has no room for.
func checkID(path, id string) error {
	if len(id) <= config.MaxID {
		return nil
	}
	return &Error{Kind: TooLarge, Path: path, Message: fmt.Sprintf("%s: %d bytes are too many (limit %d)", path, len(id), config.MaxID), Hint: "send a shorter id"}
}

// send posts an event whose reply says that askd is stopping when nobody will run it.
func (b *Broker) send(reply Reply, e event) {
	b.postOr(e, func() { reply(nil, errClosing) })
}

// asksHere reports whether a session of this kind gets its pending requests back: one-shot modes do not.
func asksHere(info SessionInfo) bool {
	return info.UI != "rpc" && info.UI != "json" && info.UI != "print"
}

// takeRole decides who speaks for a session: the first live connection, or a newer one of the same process.
func (d *desk) takeRole(s *session, c *Client) string {
	old := s.primary
	same := old != nil && old.info.Instance != "" && old.info.Instance == c.info.Instance
	if old == nil || old == c || same {
		s.primary = c
		s.secondary = slices.DeleteFunc(s.secondary, func(o *Client) bool { return o == c })
		if same && old != c {
			old.session = nil
			d.abandon(s, old)
		}
		return "primary"
	}
	if !slices.Contains(s.secondary, c) {
		s.secondary = append(s.secondary, c)
	}
	return "secondary"
}

// CloseSession ends the client's part in its session (PROTOCOL, session.close).
func (c *Client) CloseSession(reply Reply) {
	c.sendKept(reply, func(d *desk) {
		d.leave(c)
		reply(struct{}{}, nil)
	})
}

// touch makes the next snapshot show a session anew.
func (d *desk) touch(s *session) {
	d.dirty = true
	d.touched[s] = struct{}{}
	for _, it := range s.own {
		it.entry = nil
	}
}

// name is what a person calls the session: its own name, what it was called when it asked, or its folder.
func (s *session) name(a ask.Asker) string {
	for _, n := range []string{s.info.Name, a.SessionName} {
		if n != "" {
			return n
		}
	}
	for _, dir := range []string{s.info.Cwd, a.Cwd} {
		if dir != "" {
			return filepath.Base(dir)
		}
	}
	return "session " + short(s.id)
}

// short is enough of an id to tell a few sessions apart; it is never used to find one.
func short(id string) string {
	r := []rune(id)
	return string(r[:min(len(r), 8)])
}
