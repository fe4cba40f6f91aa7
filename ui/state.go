package ui

import (
	"time"

	"github.com/rivo/tview"

	"askd/broker"
	"askd/broker/ask"
	"askd/config"
	"askd/ui/form"
)

const (
	// settledFor is how long the form's place says where the answer went.
	settledFor = 2 * time.Second
	// takenFor is the same for a form that was taken away while the person wrote: long enough to look up from the keys.
	takenFor = 10 * time.Second
)

// state is all that a frame is drawn from.
type state struct {
	snap    *broker.Snapshot
	list    []*broker.Entry // of snap, in the inbox's order
	conf    config.Loaded
	views   map[ask.Key]*view
	current ask.Key // the form on screen; zero for none
	ended   *ending // what became of the form that was on screen
	inbox   inbox
	inInbox bool // the keys go to the inbox
	overlay overlay
	guard   guard
	second  *second // a second press that has to stand alone first
	outside bool    // the terminal lost the focus; the next click only brings it back
	leaving bool    // the person has asked to leave once
	fault   string  // what could not be done, for the person
	title   string
	size    [2]int
	canvas  *canvas // the last frame, for clicks
	press   press
	wraps   wrapCache
	late    []func()
	quiet   bool // the mouse is left to the terminal
	idleTop int
}

func newState() state {
	return state{snap: &broker.Snapshot{}, views: map[ask.Key]*view{}, canvas: &canvas{}}
}

// view is one open form and how it lies on the screen.
type view struct {
	form     *form.Form
	entry    *broker.Entry
	area     *tview.TextArea // nil while no editor is open
	serial   int             // of the editor that area shows
	tab      int             // the tab that the scroll positions belong to
	prompt   int             // scroll positions, in lines
	context  int
	rows     int
	review   int
	free     bool // the wheel has moved the rows away from the focus
	shown    bool
	fault    string // why the last submit or cancel failed
	clipped  bool   // something of the question is out of sight in this frame
	hidden   bool   // its context has no room at all
	editor   rect   // where the editor lies in this frame
	sizes    extents
	finished bool // submitted or cancelled by the person
	status   broker.Status
}

// extents are the heights and lengths of the scrolling parts in this frame.
type extents struct{ prompt, context, review [2]int }

// ending says what became of the form that was on screen.
type ending struct {
	key   ask.Key
	name  string
	until time.Time
	typed bool // it was taken away while the person was at it
	here  bool // the person ended it in this pane
}

// apply takes a newer snapshot.
func (p *Pane) apply(s *broker.Snapshot) {
	p.snap, p.list = s, inboxOrder(s.Entries)
	here := make(map[ask.Key]*broker.Entry, len(s.Entries))
	for _, e := range s.Entries {
		here[e.Key()] = e
	}
	p.dropEnded(here)
	for k, v := range p.views {
		v.entry = here[k]
	}
	p.choose(here)
	p.inbox.follow(p.listed())
	p.inInbox = p.inInbox && len(p.list) > 0
}

// dropEnded forgets the forms that no longer wait. The one on screen leaves word of where its answer went.
func (p *Pane) dropEnded(here map[ask.Key]*broker.Entry) {
	for k, v := range p.views {
		if here[k] != nil {
			continue
		}
		delete(p.views, k)
		if k == p.current {
			p.current = ask.Key{}
			p.ended = p.endingOf(k, v)
		}
	}
}

func (p *Pane) endingOf(k ask.Key, v *view) *ending {
	e := &ending{key: k, name: v.entry.SessionName, here: v.finished, typed: !v.finished && v.form.Dirty()}
	stay := settledFor
	if e.typed {
		stay = takenFor
	}
	e.until = p.o.Now().Add(stay)
	return e
}

// choose decides which form has the screen: the one that has it, else the first that waits.
func (p *Pane) choose(here map[ask.Key]*broker.Entry) {
	if e := here[p.current]; e != nil && !left(p.views[p.current], e) {
		return
	}
	p.current = ask.Key{}
	if p.ended != nil && p.o.Now().Before(p.ended.until) {
		return
	}
	p.ended = nil
	for _, e := range p.snap.Entries {
		if e.Status == broker.Waiting && !e.Settling {
			p.show(e)
			return
		}
	}
}

// left reports whether the form on screen has been hidden, or its branch closed, since it was shown.
func left(v *view, e *broker.Entry) bool {
	before := v.status
	v.status = e.Status
	return e.Status == broker.Parked || e.Status == broker.Deferred && before != broker.Deferred
}

// show puts a form on the screen, as it was left.
func (p *Pane) show(e *broker.Entry) *view {
	k := e.Key()
	v := p.views[k]
	if v == nil {
		v = &view{form: form.New(e.Request, p.formSettings())}
		if e.Draft != nil {
			v.form.Restore(e.Draft)
		}
		p.views[k] = v
	}
	v.entry, v.status = e, e.Status
	p.current, p.ended = k, nil
	v.sync(p)
	return v
}

// busy reports whether the form's end is on its way to the disk: it takes no input meanwhile.
func (v *view) busy() bool { return v.form.Mode() == form.ModeDone || v.entry.Settling }

// onScreen is the form on screen, nil for none.
func (p *Pane) onScreen() *view { return p.views[p.current] }

func (p *Pane) formSettings() form.Settings {
	b := p.conf.Settings.Behaviour
	return form.Settings{
		AutoSubmit: b.AutoSubmitWhenAnsweredWithoutNotes, ConfirmDismiss: b.ConfirmDismissWhenDirty,
		DoublePressReview: b.DoublePressReviewShortcuts, ShowFooterHints: b.ShowFooterHints,
		NotificationsAreOn: p.conf.Settings.Notifications.Enabled,
	}
}

// reconfigure applies settings to every open form.
func (p *Pane) reconfigure(l config.Loaded) {
	p.conf = l
	for _, v := range p.views {
		if s := p.formSettings(); v.form.Settings() != s {
			p.feed(v, form.Change{Settings: s})
		}
	}
}
