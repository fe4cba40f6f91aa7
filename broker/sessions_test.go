package broker_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/ask"
)

func TestRoles(t *testing.T) {
	w := newWorld(t)
	one, two, again := w.connect("probe"), w.connect("probe"), w.connect("probe")
	for _, step := range []struct {
		c        *client
		instance string
		role     string
	}{
		{one, "a", "primary"},
		{two, "b", "secondary"},
		{one, "a", "primary"},
		{two, "b", "secondary"},
		{again, "a", "primary"}, // the same process on a new connection
	} {
		if got := step.c.open(broker.SessionInfo{ID: "s", Instance: step.instance}).Role; got != step.role {
			t.Errorf("instance %s is %s, want %s", step.instance, got, step.role)
		}
	}
	one.call(1, dbForm).refused(broker.InvalidParams) // replaced: it has no session any more
	if n := len(two.told("session.stale")); n != 0 {
		t.Errorf("told of a stale session %d times while its first process lived", n)
	}
	again.Disconnect()
	until(t, "session.stale", func() bool { return len(two.told("session.stale")) == 1 })
	if got := two.open(broker.SessionInfo{ID: "s", Instance: "b"}).Role; got != "primary" {
		t.Errorf("after the first has gone: %s", got)
	}
}

// TestAnonymousInstances: without an instance nobody can say that two connections are one process.
func TestAnonymousInstances(t *testing.T) {
	w := newWorld(t)
	one, two := w.session("s"), w.connect("probe")
	if got := two.open(broker.SessionInfo{ID: "s"}).Role; got != "secondary" {
		t.Error(got)
	}
	one.closeSession()
	until(t, "session.stale", func() bool { return len(two.told("session.stale")) == 1 })
}

func TestSessionInfoIsChecked(t *testing.T) {
	w := newWorld(t)
	c := w.connect("probe")
	for path, info := range map[string]broker.SessionInfo{"id": {}, "ui": {ID: "s", UI: "gui"}} {
		a := newAnswer(t, path)
		c.OpenSession(info, a.reply)
		if e := a.refused(broker.InvalidParams); e.Path != path || e.Hint == "" {
			t.Errorf("%+v", e)
		}
	}
}

// TestReplacedConnection: when the same process comes back, the calls of its old connection are answered, and the form is
// still there for the new one.
func TestReplacedConnection(t *testing.T) {
	w := newWorld(t)
	old, again := w.connect("probe"), w.connect("probe")
	old.open(broker.SessionInfo{ID: "s", Instance: "a"})
	call := old.ask(1)
	again.open(broker.SessionInfo{ID: "s", Instance: "a", OpenCalls: []broker.OpenCall{{RequestID: id(1)}}})
	if _, err := call.wait(); err == nil {
		t.Error("the old connection's call gave an outcome")
	}
	joined := again.await(1)
	again.choose(1)
	joined.outcome()
}

// TestLeavingASession: a connection that closes its session or opens another gets a reply to every call it had open.
func TestLeavingASession(t *testing.T) {
	for name, leave := range map[string]func(*client){
		"close":   (*client).closeSession,
		"another": func(c *client) { c.open(broker.SessionInfo{ID: "other"}) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c := w.session("s")
			call := c.ask(1)
			leave(c)
			if _, err := call.wait(); err == nil {
				t.Error("an open call got an outcome by leaving")
			}
			w.entry("s", 1, "a form without its asker", func(e *broker.Entry) bool { return e != nil && !e.AskerOnline })
			back := w.session("s")
			joined := back.await(1)
			back.choose(1)
			joined.outcome()
		})
	}
}

// TestTwoHoldOneCall: when one of two connections that wait for a form goes, the other still holds it.
func TestTwoHoldOneCall(t *testing.T) {
	w := newWorld(t)
	one, two := w.connect("probe"), w.connect("probe")
	one.open(broker.SessionInfo{ID: "s", Instance: "a"})
	two.open(broker.SessionInfo{ID: "s", Instance: "b"})
	call := one.ask(1)
	two.call(1, dbForm)
	two.settle()
	two.Disconnect()
	one.settle()
	e := w.entry("s", 1, "the form", func(e *broker.Entry) bool { return e != nil })
	if !e.AskerOnline || !e.GoneSince.IsZero() {
		t.Errorf("the asker counts as gone: %+v", e)
	}
	one.open(broker.SessionInfo{ID: "s", Instance: "a"})
	if e := w.entry("s", 1, "the form", func(e *broker.Entry) bool { return e != nil }); e.Status != broker.Waiting {
		t.Errorf("status %s", e.Status)
	}
	one.choose(1)
	call.outcome()
}

func TestInterruptedMark(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	for n := range 3 {
		c.ask(n)
	}
	c.Disconnect()
	for n := range 3 {
		w.entry("s", n, "an asker that has gone", func(e *broker.Entry) bool { return e != nil && !e.AskerOnline && e.Status == broker.Waiting })
	}
	c = w.connect("probe")
	opened := c.open(broker.SessionInfo{ID: "s", OpenCalls: []broker.OpenCall{{RequestID: id(1)}}})
	want := []broker.Status{broker.Interrupted, broker.Waiting, broker.Interrupted}
	for n, r := range opened.Pending {
		if r.Status != want[n] {
			t.Errorf("request %d is %s, want %s", n, r.Status, want[n])
		}
	}
	w.entry("s", 0, "an asker that is back without its call", func(e *broker.Entry) bool { return e != nil && e.AskerOnline && e.Orphan })
	w.entry("s", 1, "a call that still runs", func(e *broker.Entry) bool { return e != nil && !e.Orphan })
	call := c.await(0)
	w.entry("s", 0, "a call that is held again", func(e *broker.Entry) bool { return e != nil && e.Status == broker.Waiting && e.AskerOnline })
	c.choose(0)
	call.outcome()
	if _, err := w.submit("s", 2).wait(); err != nil {
		t.Errorf("an interrupted form cannot be answered: %v", err)
	}
}

// TestSecondaryInterruptsNothing: what a live process holds stays its own, whatever another one says.
func TestSecondaryInterruptsNothing(t *testing.T) {
	w := newWorld(t)
	one, two := w.connect("probe"), w.connect("probe")
	one.open(broker.SessionInfo{ID: "s", Instance: "a"})
	one.ask(1)
	two.open(broker.SessionInfo{ID: "s", Instance: "b"})
	two.settle()
	if e := w.entry("s", 1, "the form", func(e *broker.Entry) bool { return e != nil }); e.Status != broker.Waiting || !e.AskerOnline {
		t.Errorf("%+v", e)
	}
}

// TestSessionState: each new primary hears the state at once, and changes as they come.
func TestSessionState(t *testing.T) {
	w := newWorld(t)
	state := func(c *client, what string, fits func(broker.SessionState) bool) {
		t.Helper()
		until(t, what, func() bool {
			told := c.told("session.state")
			return len(told) > 0 && fits(told[len(told)-1].params.(broker.SessionState))
		})
	}
	c := w.session("s")
	state(c, "an empty state", func(s broker.SessionState) bool { return s.Session == "s" && s.Foreground == 0 })
	call := c.ask(1)
	state(c, "one open ask", func(s broker.SessionState) bool { return s.Foreground == 1 })
	c.Disconnect()
	for range 2 {
		c = w.connect("probe")
		c.open(broker.SessionInfo{ID: "s", OpenCalls: []broker.OpenCall{{RequestID: id(1)}}})
		call = c.await(1)
		state(c, "one open ask after a reconnect", func(s broker.SessionState) bool { return s.Foreground == 1 })
		c.Disconnect()
	}
	_ = call
	// Nothing of the state changes from one of these connections to the next.
	for range 2 {
		c = w.session("s")
		state(c, "the state of a session that came back", func(s broker.SessionState) bool { return s.Foreground == 0 })
		c.Disconnect()
	}
}

func TestUnknownRequests(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	c.ask(1)
	branch := []broker.BranchEvent{
		{Type: "asked", RequestID: id(1)},
		{Type: "asked", RequestID: id(2)},
		{Type: "asked", RequestID: id(3)},
		{Type: "delivered", RequestID: id(3)},
	}
	for ui, want := range map[string][]string{"tui": {id(2)}, "rpc": {}, "json": {}, "print": {}} {
		o := c.open(broker.SessionInfo{ID: "s", UI: ui, Branch: branch})
		if !slices.Equal(o.Unknown, want) {
			t.Errorf("%s: unknown %v, want %v", ui, o.Unknown, want)
		}
		if pending := len(o.Pending); (pending == 1) != (ui == "tui") {
			t.Errorf("%s: %d pending", ui, pending)
		}
		if o.Undelivered == nil || o.Pending == nil || o.Unknown == nil {
			t.Errorf("%s: a list is null: %s", ui, encode(t, o))
		}
	}
}

func TestQueueOrder(t *testing.T) {
	w := newWorld(t)
	a, b := w.session("a"), w.session("b")
	watcher := w.connect("askctl")
	watched := newAnswer(t, "queue.watch")
	watcher.QueueWatch(broker.WatchParams{}, watched.reply)
	if _, err := watched.wait(); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		a.ask(n)
		b.ask(n)
	}
	var got []string
	for i, r := range watcher.queue() {
		got = append(got, r.Session+r.RequestID[len(r.RequestID)-1:])
		if r.Position != i+1 {
			t.Errorf("position %d at place %d", r.Position, i+1)
		}
	}
	want := []string{"a0", "b0", "a1", "b1", "a2", "b2"}
	if !slices.Equal(got, want) {
		t.Errorf("queue %v, want %v", got, want)
	}
	until(t, "queue.changed with six", func() bool {
		told := watcher.told("queue.changed")
		if len(told) == 0 {
			return false
		}
		var l struct{ Requests []broker.RequestSummary }
		must(t, json.Unmarshal(encode(t, told[len(told)-1].params), &l))
		return len(l.Requests) == 6
	})
	w.restart()
	got = nil
	for _, e := range w.Snapshot().Entries {
		got = append(got, e.Request.Session+e.Request.ID[len(e.Request.ID)-1:])
	}
	if !slices.Equal(got, want) {
		t.Errorf("after a restart the queue is %v, want %v", got, want)
	}
}

// TestEverySessionIsSeen: no name, however odd, hides a question.
func TestEverySessionIsSeen(t *testing.T) {
	w := newWorld(t)
	names := []string{"root/child/grandchild", "\x00", "né\u202e", "8f14e45f-1", "8f14e45f-2", " "}
	for _, name := range names {
		w.session(name).ask(1)
	}
	until(t, "all of them", func() bool { return len(w.Snapshot().Entries) == len(names) })
	for i, e := range w.Snapshot().Entries {
		if e.Request.Session != names[i] || e.SessionName == "" {
			t.Errorf("entry %d is %q, named %q", i, e.Request.Session, e.SessionName)
		}
	}
}

// TestSnapshotsAreImmutable: what a reader holds never changes under it, and what did not change is not made anew.
func TestSnapshotsAreImmutable(t *testing.T) {
	w := newWorld(t)
	a, b := w.session("a"), w.session("b")
	a.ask(1)
	b.ask(2)
	until(t, "both", func() bool { return len(w.Snapshot().Entries) == 2 })
	before := w.Snapshot()
	image := encode(t, before)
	kept := before.Entries[1]
	w.Shown(key("a", 1))
	a.settle()
	until(t, "shown", func() bool { return !w.Snapshot().Entries[0].ShownAt.IsZero() })
	w.submit("a", 1)
	w.PaneSize(100, 30)
	until(t, "one left", func() bool { return len(w.Snapshot().Entries) == 1 })
	if after := encode(t, before); string(after) != string(image) {
		t.Errorf("an old snapshot changed from\n%s\nto\n%s", image, after)
	}
	now := w.Snapshot()
	if now.Entries[0] != kept {
		t.Error("an entry that did not change was made anew")
	}
	if now.Serial <= before.Serial {
		t.Errorf("serial %d after %d", now.Serial, before.Serial)
	}
}

func TestChangedHasOneSlot(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	for n := range 20 {
		c.ask(n)
	}
	until(t, "all twenty", func() bool {
		select {
		case <-w.Changed():
		default:
		}
		return len(w.Snapshot().Entries) == 20
	})
	c.settle()
	w.PaneSize(80, 24)
	<-w.Changed()
}

// TestShownOnce: provenance keeps the first time a person could see the form.
func TestShownOnce(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	call := c.ask(1)
	w.Shown(key("s", 1))
	at := w.entry("s", 1, "shown", func(e *broker.Entry) bool { return e != nil && !e.ShownAt.IsZero() }).ShownAt
	w.Shown(key("s", 1))
	c.choose(1)
	if got := call.outcome().Provenance.ShownAt; got == nil || !got.Equal(at) {
		t.Errorf("shown at %v, want %v", got, at)
	}
}

// TestDraftComesBack: what was typed survives a restart and an interrupted asker.
func TestDraftComesBack(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	c.ask(1)
	saved := newAnswer(t, "draft")
	w.SaveDraft(key("s", 1), &ask.Draft{Questions: []ask.QuestionDraft{{ID: "db", CustomText: "half"}}}, 0, saved.done)
	if _, err := saved.wait(); err != nil {
		t.Fatal(err)
	}
	fits := func(e *broker.Entry) bool {
		return e != nil && e.Draft != nil && e.Draft.Questions[0].CustomText == "half" && !e.Draft.SavedAt.IsZero()
	}
	w.PaneSize(80, 24)
	w.entry("s", 1, "the draft in the next snapshot", fits)
	c.Disconnect()
	w.restart()
	w.entry("s", 1, "the draft after a restart", fits)
	w.session("s")
	w.entry("s", 1, "the draft of an interrupted form", func(e *broker.Entry) bool { return fits(e) && e.Status == broker.Interrupted })
}

// TestNothingIsLeftBehind: connections and forms come and go in any order and leave nothing behind.
func TestNothingIsLeftBehind(t *testing.T) {
	w := newWorld(t)
	for i := range 30 {
		c := w.session("s")
		call := c.ask(i)
		if i%3 == 0 {
			c.Disconnect()
			w.entry("s", i, "a form without asker", func(e *broker.Entry) bool { return e != nil && !e.AskerOnline })
			_, err := w.submit("s", i).wait()
			must(t, err)
			c = w.session("s")
			call = c.await(i)
		} else {
			c.choose(i)
		}
		call.outcome()
		c.Disconnect()
	}
	c := w.connect("probe")
	until(t, "an empty desk", func() bool {
		r := c.settle()
		return r.Counts.Pending == 0 && r.Counts.Undelivered == 0 && len(r.Sessions) == 0
	})
	until(t, "an empty snapshot", func() bool {
		s := w.Snapshot()
		return len(s.Entries) == 0 && len(s.Sessions) == 0 && len(s.Recent) <= 8
	})
}

func TestPaneNotifications(t *testing.T) {
	w := newWorld(t)
	c := w.session("s")
	for i, columns := range []int{80, 100, 0} {
		w.PaneSize(columns, 24)
		if got := c.settle().Pane.Attached; got != (columns > 0) {
			t.Errorf("step %d: attached %t", i, got)
		}
	}
	if n := len(c.told("pane.changed")); n != 2 {
		t.Errorf("told of %d changes, want 2: resizing is none", n)
	}
	now := newAnswer(t, "the pane now")
	c.PaneNow(now.reply)
	v, err := now.wait()
	if err != nil || v.(broker.Pane).Attached {
		t.Errorf("%v, %v", v, err)
	}
}

func TestSessionNames(t *testing.T) {
	w := newWorld(t)
	for want, info := range map[string]broker.SessionInfo{
		"named":            {ID: "1", Name: "named", Cwd: "/src/app"},
		"app":              {ID: "2", Cwd: "/src/app"},
		"session 01234567": {ID: "0123456789"},
	} {
		c := w.connect("probe")
		c.open(info)
		c.ask(1)
		if got := w.entry(info.ID, 1, "the form", func(e *broker.Entry) bool { return e != nil }).SessionName; got != want {
			t.Errorf("named %q, want %q", got, want)
		}
	}
	until(t, "three sessions", func() bool { return len(w.Snapshot().Sessions) == 3 })
	if since := w.Snapshot().Sessions[0].Since; time.Since(since) > time.Hour {
		t.Errorf("sessions %+v", w.Snapshot().Sessions)
	}
}

// A client that watches all of the queue sees what is parked behind the rest, and when it comes back.
func TestQueueWatchAll(t *testing.T) {
	w := newWorld(t)
	s := w.connect("probe")
	on := func(epoch int, branch ...broker.BranchEvent) {
		s.open(broker.SessionInfo{ID: "s", UI: "tui", Epoch: epoch, Branch: branch})
	}
	on(1, []broker.BranchEvent{}...)
	newest := func(c *client) (out string) {
		told := c.told("queue.changed")
		if len(told) == 0 {
			return "nothing"
		}
		var l struct{ Requests []broker.RequestSummary }
		must(t, json.Unmarshal(encode(t, told[len(told)-1].params), &l))
		for _, r := range l.Requests {
			out += string(r.Status) + " "
		}
		return out
	}
	watch := func(p broker.WatchParams) *client {
		c, a := w.connect("askctl"), newAnswer(t, "queue.watch")
		c.QueueWatch(p, a.reply)
		_, err := a.wait()
		must(t, err)
		return c
	}
	all, some := watch(broker.WatchParams{All: true}), watch(broker.WatchParams{})
	s.ask(1)
	s.ask(2)
	one := broker.BranchEvent{Type: "asked", RequestID: id(1), ToolCallID: "t1"}
	two := broker.BranchEvent{Type: "asked", RequestID: id(2), ToolCallID: "t2"}
	on(2, one)
	until(t, "one parked", func() bool { return newest(all) == "interrupted parked " && newest(some) == "interrupted " })
	on(3, one, two)
	until(t, "none parked", func() bool { return newest(all) == "interrupted interrupted " && newest(some) == newest(all) })
}
