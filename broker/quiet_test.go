package broker_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/ask"
	"askd/config"
)

// calm is a world with a clock, in which the person is not to be disturbed.
type calm struct {
	*world
	clock *clock
	over  atomic.Int32 // forms of the notices that it is over
	told  atomic.Int32 // such notices
}

func newCalm(t *testing.T) *calm {
	q := &calm{clock: &clock{at: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), timers: map[*timer]struct{}{}}}
	q.world = newWorldWith(t, filepath.Join(t.TempDir(), "askd.db"), func(o *broker.Options) {
		o.Now, o.After = q.clock.now, q.clock.after
		o.OnQuietOver = func(n int) {
			q.over.Add(int32(n))
			q.told.Add(1)
		}
	})
	return q
}

// dnd sends dnd.set and gives what it says then.
func (c *client) dnd(params string) *answer {
	var p broker.QuietParams
	must(c.w.tb, json.Unmarshal([]byte(params), &p))
	a := newAnswer(c.w.tb, "dnd.set "+params)
	c.SetQuiet(p, a.reply)
	return a
}

func (c *client) quiet() broker.QuietState {
	c.w.tb.Helper()
	a := newAnswer(c.w.tb, "dnd.get")
	c.GetQuiet(a.reply)
	v, err := a.wait()
	must(c.w.tb, err)
	return v.(broker.QuietState)
}

// texts are the notices that a connection was told.
func (p *peer) texts(t *testing.T) []string {
	var out []string
	for _, n := range p.told("notify") {
		var said struct{ Level, Text string }
		must(t, json.Unmarshal(encode(t, n.params), &said))
		out = append(out, said.Level+": "+said.Text)
	}
	return out
}

// TestQuietHoldsBack: while the person is not to be disturbed, questions are kept, counted and answerable, their agents are
// told until when, nothing is announced, and at the end one notice sums up what waits, however it ends.
func TestQuietHoldsBack(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(*calm, *client)
	}{
		{"by itself", func(q *calm, _ *client) { q.clock.move(time.Hour, false) }},
		{"by hand", func(_ *calm, c *client) {
			if _, err := c.dnd(`{"until":null}`).wait(); err != nil {
				t.Error(err)
			}
		}},
		{"while the machine slept", func(q *calm, _ *client) {
			q.clock.move(time.Hour, true) // no timer has run
			q.clock.move(2*time.Minute, false)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := newCalm(t)
			c := q.session("s")
			if _, err := c.dnd(`{"until":"2026-05-01T13:00:00Z"}`).wait(); err != nil {
				t.Fatal(err)
			}
			call := c.ask(1)
			c.call(2, `{"background":true,`+strings.TrimPrefix(dbForm, "{"))
			if at := c.accepted(2).QuietUntil; at == nil || at.Hour() != 13 {
				t.Errorf("ask.accepted says %v", at)
			}
			q.Shown(key("s", 2)) // the person opened it in the inbox
			q.entry("s", 2, "shown", func(e *broker.Entry) bool { return e != nil && !e.ShownAt.IsZero() && !e.QuietUntil.IsZero() })
			if got := q.announced.heard(); len(got) != 0 {
				t.Errorf("announced %v", got)
			}
			if got := c.quiet(); got.Held != 2 || got.Until == nil {
				t.Errorf("dnd.get says %+v", got)
			}
			if got := c.texts(t); len(got) != 2 || got[0] != "info: Asked in askd, but the person has asked not to be disturbed until 13:00; the question is kept." {
				t.Errorf("told %q", got)
			}
			tt.end(q, c)
			q.entry("s", 1, "free to disturb", func(e *broker.Entry) bool { return e != nil && e.QuietUntil.IsZero() })
			c.settle()
			if q.told.Load() != 1 || q.over.Load() != 2 {
				t.Errorf("%d notices of %d forms", q.told.Load(), q.over.Load())
			}
			if got := c.texts(t); len(got) != 3 || got[2] != "info: The person may be disturbed again; 2 of your questions wait." {
				t.Errorf("told %q", got)
			}
			q.Shown(key("s", 1))
			c.choose(1)
			if o := call.outcome(); o.Provenance.Outcome != ask.Answered {
				t.Errorf("ended as %s", o.Provenance.Outcome)
			}
			if got := q.announced.heard(); len(got) != 0 {
				t.Errorf("announced after the notice that summed it up: %v", got)
			}
		})
	}
}

// TestQuietOfOneSession: the others disturb as ever, and its own time ends with everything's when that is ended.
func TestQuietOfOneSession(t *testing.T) {
	q := newCalm(t)
	a, b := q.session("a"), q.session("b")
	if _, err := a.dnd(`{"until":"2026-05-01T13:00:00Z","session":"a"}`).wait(); err != nil {
		t.Fatal(err)
	}
	a.ask(1)
	b.ask(2)
	if got := q.announced.heard(); len(got) != 1 || got[0] != id(2) {
		t.Errorf("announced %v", got)
	}
	until(t, "the state of a", func() bool { return lastState(t, a).QuietUntil != nil })
	if lastState(t, b).QuietUntil != nil {
		t.Error("b is told to be quiet")
	}
	if got := a.quiet(); got.Until != nil || len(got.Sessions) != 1 || got.Sessions[0].Session != "a" || got.Held != 1 {
		t.Errorf("dnd.get says %+v", got)
	}
	if _, err := b.dnd(`{"until":null}`).wait(); err != nil {
		t.Fatal(err)
	}
	until(t, "the state of a", func() bool { return lastState(t, a).QuietUntil == nil })
	if q.over.Load() != 1 {
		t.Errorf("%d forms came through", q.over.Load())
	}
}

func lastState(t *testing.T, c *client) broker.SessionState {
	t.Helper()
	states := c.told("session.state")
	if len(states) == 0 {
		return broker.SessionState{}
	}
	return states[len(states)-1].params.(broker.SessionState)
}

// TestQuietOutlivesARestart: it is on disk before it counts, is there after a restart, and one that ended meanwhile is over.
func TestQuietOutlivesARestart(t *testing.T) {
	q := newCalm(t)
	c := q.session("s")
	q.disk.fail("before-note-committed")
	if got := c.dnd(`{"until":"2026-05-01T13:00:00Z"}`).refused(broker.Storage); got.Hint == "" {
		t.Errorf("a failing disk gave %v", got)
	}
	if c.quiet().Until != nil {
		t.Error("what is not on disk counts")
	}
	q.disk.heal()
	for _, set := range []string{`{"until":"2026-05-01T15:00:00Z"}`, `{"until":"2026-05-01T13:00:00Z","session":"s"}`, `{"until":"2026-05-01T14:00:00Z"}`} {
		c.dnd(set) // one after the other, however fast they come
	}
	until(t, "the last of them", func() bool { u := c.quiet().Until; return u != nil && u.Hour() == 14 && len(c.quiet().Sessions) == 1 })
	c.ask(1)
	q.restart()
	c = q.session("s")
	if got := c.quiet(); got.Until == nil || got.Until.Hour() != 14 || len(got.Sessions) != 1 || got.Held != 1 {
		t.Errorf("after a restart: %+v", got)
	}
	q.end()
	q.clock.move(3*time.Hour, true)
	q.start()
	until(t, "the notice", func() bool { return q.told.Load() == 1 })
	if got := q.session("s").quiet(); got.Until != nil || len(got.Sessions) != 0 {
		t.Errorf("after its end: %+v", got)
	}
}

// TestQuietAfterTheClockWasWrong: a time that was set while the clock was years ahead hides nothing once it is right.
func TestQuietAfterTheClockWasWrong(t *testing.T) {
	for name, restart := range map[string]bool{"while askd runs": false, "while askd was away": true} {
		t.Run(name, func(t *testing.T) {
			q := newCalm(t)
			c := q.session("s")
			q.clock.move(10*365*24*time.Hour, true)
			for _, set := range []string{`{"until":"2036-05-01T13:00:00Z"}`, `{"until":"2036-05-01T14:00:00Z","session":"s"}`} {
				if _, err := c.dnd(set).wait(); err != nil {
					t.Fatal(err)
				}
			}
			if restart {
				q.end()
			}
			q.clock.move(-10*365*24*time.Hour, true)
			if restart {
				q.start()
				c = q.session("s")
			}
			if got := c.quiet(); got.Until != nil || len(got.Sessions) != 0 {
				t.Errorf("dnd.get says %+v", got)
			}
			c.ask(1)
			if got := q.announced.heard(); len(got) != 1 {
				t.Errorf("announced %v", got)
			}
			if s := q.Snapshot(); s.Quiet.On() {
				t.Errorf("the pane says %+v", s.Quiet)
			}
		})
	}
}

// TestQuietIsBounded: no client fills the data file or the foot of the pane with sessions, and one more is refused with the
// way out, which works.
func TestQuietIsBounded(t *testing.T) {
	q := newCalm(t)
	c := q.session("s")
	set := func(session, until string) *answer {
		return c.dnd(string(encode(t, map[string]any{"session": session, "until": json.RawMessage(until)})))
	}
	const hour = `"2026-05-01T13:00:00Z"`
	for n := range config.QuietSessions {
		if _, err := set(strings.Repeat("\x1b", config.QuietSessionID-2)+fmt.Sprintf("%02d", n), hour).wait(); err != nil {
			t.Fatal(err)
		}
	}
	if got := set("one more", hour).refused(broker.TooLarge); got.Path != "session" || !strings.Contains(got.Message, "askctl dnd off") {
		t.Errorf("one more is refused with %v", got)
	}
	if _, err := c.dnd(`{"until":null}`).wait(); err != nil {
		t.Fatal(err)
	}
	if got := set(strings.Repeat("s", config.QuietSessionID+1), hour).refused(broker.TooLarge); got.Path != "session" {
		t.Errorf("a long id is refused with %v", got)
	}
	if _, err := set("one more", hour).wait(); err != nil {
		t.Error(err)
	}
}

// TestQuietRefuses names what is wrong with a time.
func TestQuietRefuses(t *testing.T) {
	q := newCalm(t)
	c := q.session("s")
	for params, want := range map[string]string{
		`{}`:                                "it is missing",
		`{"until":"tomorrow"}`:              "it is no time",
		`{"until":5}`:                       "it is no time",
		`{"until":"2026-05-01T11:59:59Z"}`:  "has passed",
		`{"until":"2126-05-01T11:59:59Z"}`:  "more than 31 days away",
		`{"until":"20026-05-01T11:59:59Z"}`: "it is no time",
	} {
		if got := c.dnd(params).refused(broker.InvalidParams); got.Path != "until" || !strings.Contains(got.Message, want) {
			t.Errorf("%s is refused with %v", params, got)
		}
	}
}
