package broker

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"askd/broker/ask"
	"askd/config"
)

// Notes keeps what the desk has to know after a restart and is no question; package journal implements it. SaveNote never
// blocks: done is called exactly once, from the store's goroutine, when the value is on disk or certainly not. An empty value
// removes the note. Note reads the disk.
type Notes interface {
	SaveNote(name string, value []byte, done func(error))
	Note(name string) ([]byte, error)
}

// quietNote is the name under which the store keeps until when the person is not to be disturbed.
const quietNote = "quiet"

// Quiet says until when the person is not to be disturbed. It is never changed once made. The zero value is: not at all.
type Quiet struct {
	Until    time.Time            `json:"until,omitzero"`    // by anything; zero for no such time
	Sessions map[string]time.Time `json:"sessions,omitzero"` // by single sessions, by id
}

// On reports whether there is any such time.
func (q Quiet) On() bool { return !q.Until.IsZero() || len(q.Sessions) > 0 }

// of is until when a session does not disturb, zero when it may.
func (q Quiet) of(session string, now time.Time) time.Time {
	until := q.set(session)
	if !counts(until, now) {
		return time.Time{}
	}
	return until
}

// counts reports whether a time has not ended. One that is further away than any that could be set comes from a clock that was
// wrong, and would hide questions for good.
func counts(until, now time.Time) bool {
	return until.After(now) && until.Sub(now) <= config.QuietMost+config.QuietSlack
}

// set is the time that was set for a session, whether it has ended or not.
func (q Quiet) set(session string) time.Time {
	if own := q.Sessions[session]; own.After(q.Until) {
		return own
	}
	return q.Until
}

// ended reports whether any of its times has.
func (q Quiet) ended(now time.Time) bool {
	left := q.without(now)
	return !left.Until.Equal(q.Until) || len(left.Sessions) != len(q.Sessions)
}

// without is q less what has ended by now.
func (q Quiet) without(now time.Time) Quiet {
	out := Quiet{Until: q.Until}
	if !counts(out.Until, now) {
		out.Until = time.Time{}
	}
	for id, until := range q.Sessions {
		if counts(until, now) {
			out.keep(id, until)
		}
	}
	return out
}

// with is q with one time set; a zero one ends it. Ending it for everything ends it for every session.
func (q Quiet) with(session string, until time.Time) Quiet {
	switch {
	case session == "" && until.IsZero():
		return Quiet{}
	case session == "":
		return Quiet{Until: until, Sessions: q.Sessions}
	}
	out := Quiet{Until: q.Until, Sessions: maps.Clone(q.Sessions)}
	delete(out.Sessions, session)
	if !until.IsZero() {
		out.keep(session, until)
	}
	return out
}

func (q *Quiet) keep(session string, until time.Time) {
	if q.Sessions == nil {
		q.Sessions = map[string]time.Time{}
	}
	q.Sessions[session] = until
}

// next is when the first of its times ends; zero without any.
func (q Quiet) next() time.Time {
	at := q.Until
	for _, until := range q.Sessions {
		if at.IsZero() || until.Before(at) {
			at = until
		}
	}
	return at
}

// hush is the desk's part of it: what counts, and changes on their way to the disk, one after the other.
type hush struct {
	now    Quiet
	saving bool
	later  []quietChange
}

type quietChange struct {
	session string
	until   time.Time
	done    func(error)
}

// Errors of SetQuiet.
var (
	errQuietPast = errors.New("this time has passed: name one that is still to come")
	errQuietMany = fmt.Errorf("%d sessions have a time of their own already: end one of them with `askctl dnd off --session ID`, or all with `askctl dnd off`", config.QuietSessions)
	errQuietName = fmt.Errorf("a session's id has at most %d bytes", config.QuietSessionID)
	errQuietFar  = fmt.Errorf("this time is more than %d days away, which would hide questions for good: name an earlier one", int(config.QuietMost/(24*time.Hour)))
)

// KeptQuiet is what a store keeps, what has ended included. It reads the disk.
func KeptQuiet(n Notes) (q Quiet, err error) {
	raw, err := n.Note(quietNote)
	if err != nil || len(raw) == 0 {
		return Quiet{}, err
	}
	if err := json.Unmarshal(raw, &q); err != nil {
		return Quiet{}, err
	}
	return q, nil
}

// loadQuiet takes in what the store kept. What cannot be read hides no question.
func (d *desk) loadQuiet() {
	if d.b.o.Notes == nil {
		return
	}
	var err error
	if d.hush.now, err = KeptQuiet(d.b.o.Notes); err != nil {
		d.b.o.Log.Error("read until when the person is not to be disturbed", "err", err)
	}
	d.watchQuiet()
}

// hushed is until when a session does not disturb the person, zero when it may.
func (d *desk) hushed(session string) time.Time { return d.hush.now.of(session, d.now()) }

// SetQuiet sets until when the person is not to be disturbed, by everything or by one session; the zero time ends it, and
// without a session every session's own time too. done(nil) comes once it is on disk and counts. Any goroutine may call it;
// it does not wait.
func (b *Broker) SetQuiet(session string, until time.Time, done func(error)) {
	b.postOr(func(d *desk) { d.setQuiet(quietChange{session, until.Round(0), done}) }, func() { done(ErrClosed) })
}

func (d *desk) setQuiet(c quietChange) {
	now := d.now()
	switch {
	case d.hush.saving:
		d.hush.later = append(d.hush.later, c)
		return
	case !c.until.IsZero() && !c.until.After(now):
		c.done(errQuietPast)
		return
	case c.until.Sub(now) > config.QuietMost:
		c.done(errQuietFar)
		return
	case len(c.session) > config.QuietSessionID:
		c.done(errQuietName)
		return
	}
	next := d.hush.now.without(now).with(c.session, c.until)
	if len(next.Sessions) > config.QuietSessions {
		c.done(errQuietMany)
		return
	}
	d.hush.saving = true
	d.saveQuiet(next, func(err error) {
		d.b.postOr(func(d *desk) {
			if err == nil {
				d.worked()
				d.hush.now = next
				d.requiet()
			}
			c.done(err)
			d.hush.saving = false
			d.setLater()
		}, func() { c.done(ErrClosed) })
	})
}

// setLater makes the changes that came while another was on its way to the disk.
func (d *desk) setLater() {
	for len(d.hush.later) > 0 && !d.hush.saving {
		c := d.hush.later[0]
		d.hush.later = d.hush.later[1:]
		d.setQuiet(c)
	}
}

func (d *desk) saveQuiet(q Quiet, done func(error)) {
	if d.b.o.Notes == nil {
		done(nil)
		return
	}
	var raw []byte
	if q.On() {
		var err error
		if raw, err = json.Marshal(q); err != nil {
			done(err) // unreachable: years beyond 9999 are refused
			return
		}
	}
	d.b.o.Notes.SaveNote(quietNote, raw, done)
}

// closeQuiet tells those whose change will not come about any more.
func (d *desk) closeQuiet() {
	for _, c := range d.hush.later {
		c.done(ErrClosed)
	}
	d.hush.later = nil
}

// watchQuiet sees to it that a time ends. The machine may sleep meanwhile, which stops timers and not the clock on the wall,
// so that it looks every now and then.
func (d *desk) watchQuiet() {
	if at := d.hush.now.next(); !at.IsZero() {
		soon := d.now().Add(config.QuietLook)
		if at.After(soon) {
			at = soon
		}
		d.wakeAt(at)
	}
}

// expireQuiet ends what has ended by the clock. The disk may go on saying it: it has passed for every reader.
func (d *desk) expireQuiet() {
	if !d.hush.now.On() {
		return
	}
	if now := d.now(); d.hush.now.ended(now) && !d.hush.saving {
		d.hush.now = d.hush.now.without(now)
		d.saveQuiet(d.hush.now, func(err error) {
			if err != nil {
				d.b.o.Log.Error("keep that the person may be disturbed again", "err", err)
			}
		})
	}
	d.requiet()
}

// requiet makes what has changed take effect: every session is looked at, and who is concerned is told.
func (d *desk) requiet() {
	d.dirty = true
	var over []*session
	for _, s := range d.sessions {
		until := d.hushed(s.id)
		if until.Equal(s.quiet) {
			continue
		}
		ended := until.IsZero()
		s.quiet = until
		d.touch(s)
		if ended {
			over = append(over, s)
		}
	}
	d.tellOver(over)
	d.watchQuiet()
}

// tellOver tells the person once, and each session that asked meanwhile, that questions come through again.
func (d *desk) tellOver(over []*session) {
	waiting := 0
	for _, s := range over {
		asked := 0
		for _, it := range s.own {
			if it.state != pending || it.parked {
				continue
			}
			waiting++
			if it.hushed {
				asked++
			}
			it.hushed, it.announced = false, true
		}
		if asked > 0 {
			d.tellSession(s, notice{"info", "The person may be disturbed again; " + waitText(asked, "your question waits", "your questions wait") + "."})
		}
	}
	if waiting > 0 {
		d.b.o.OnQuietOver(waiting)
	}
}

func waitText(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf("%d of %s", n, many)
}

func (d *desk) tellSession(s *session, n notice) {
	for _, c := range s.clients() {
		c.peer.Notify("notify", n)
	}
}

// tellQuiet tells an asker that its question is kept and not shown yet.
func (d *desk) tellQuiet(c *Client, it *item, until time.Time) {
	it.hushed = true
	c.peer.Notify("notify", notice{"info", "Asked in askd, but the person has asked not to be disturbed until " + ask.UntilText(until, d.now()) + "; the question is kept."})
}

// announce tells the person outside the pane of a form, unless it has been told of or the person is not to be disturbed.
func (d *desk) announce(it *item) {
	switch {
	case it.announced || it.old:
	case !d.hushed(it.req.Session).IsZero():
		it.hushed = true
	default:
		it.announced = true
		d.b.o.OnWaiting(it.req)
	}
}
