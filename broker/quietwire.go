package broker

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"askd/broker/ask"
)

// QuietSession is one session's own time in QuietState.
type QuietSession struct {
	Session string    `json:"session"`
	Name    string    `json:"name,omitempty"`
	Until   time.Time `json:"until"`
}

// QuietState is the result of dnd.get and dnd.set.
type QuietState struct {
	Until    *time.Time     `json:"until,omitempty"` // of everything
	Sessions []QuietSession `json:"sessions"`        // of single sessions
	Held     int            `json:"held"`            // forms that wait and do not disturb because of it
}

func (d *desk) quietState() QuietState {
	q := d.hush.now.without(d.now())
	out := QuietState{Sessions: []QuietSession{}}
	if !q.Until.IsZero() {
		at := q.Until.UTC()
		out.Until = &at
	}
	for _, id := range slices.Sorted(maps.Keys(q.Sessions)) {
		row := QuietSession{Session: id, Until: q.Sessions[id].UTC()}
		if s := d.sessions[id]; s != nil {
			row.Name = s.called()
		}
		out.Sessions = append(out.Sessions, row)
	}
	for it := range d.queue.all() {
		if it.state == pending && !d.hushed(it.req.Session).IsZero() {
			out.Held++
		}
	}
	return out
}

// quietReport is the state for daemon.status, nil when there is none.
func (d *desk) quietReport() *QuietState {
	if !d.hush.now.without(d.now()).On() {
		return nil
	}
	q := d.quietState()
	return &q
}

// called is what a person calls a session that may be away.
func (s *session) called() string {
	var a ask.Asker
	if len(s.own) > 0 {
		a = s.own[len(s.own)-1].req.Asker
	}
	return s.name(a)
}

// GetQuiet says until when the person is not to be disturbed (PROTOCOL, dnd.get).
func (c *Client) GetQuiet(reply Reply) {
	c.send(reply, func(d *desk) { reply(d.quietState(), nil) })
}

// QuietParams are the parameters of dnd.set.
type QuietParams struct {
	Until   json.RawMessage `json:"until"`   // a time of RFC 3339, null to end it
	Session string          `json:"session"` // empty for everything
}

// SetQuiet sets until when the person is not to be disturbed (PROTOCOL, dnd.set); the reply comes once it is on disk.
func (c *Client) SetQuiet(p QuietParams, reply Reply) {
	until, err := p.time()
	if err != nil {
		reply(nil, &Error{Kind: InvalidParams, Path: "until", Message: "until: " + err.Error(), Hint: "send a time such as 2026-01-31T15:30:00Z, or null to end it"})
		return
	}
	c.send(reply, func(d *desk) {
		d.setQuiet(quietChange{p.Session, until, func(err error) {
			switch {
			case errors.Is(err, errQuietPast) || errors.Is(err, errQuietFar):
				reply(nil, &Error{Kind: InvalidParams, Path: "until", Message: "until: " + err.Error()})
			case errors.Is(err, errQuietMany) || errors.Is(err, errQuietName):
				reply(nil, &Error{Kind: TooLarge, Path: "session", Message: "session: " + err.Error()})
			case errors.Is(err, ErrClosed):
				reply(nil, errClosing)
			case err != nil:
				reply(nil, storageError("the time could not be stored", err))
			default:
				reply(d.quietState(), nil)
			}
		}})
	})
}

func (p QuietParams) time() (time.Time, error) {
	var text *string
	switch {
	case len(p.Until) == 0:
		return time.Time{}, errors.New("it is missing")
	case json.Unmarshal(p.Until, &text) != nil:
		return time.Time{}, errors.New("it is no time")
	case text == nil:
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, strings.TrimSpace(*text))
	if err != nil || at.Year() > 9999 {
		return time.Time{}, errors.New("it is no time")
	}
	return at, nil
}
