package ui

import (
	"slices"
	"time"

	"github.com/rivo/tview"

	"askd/broker"
	"askd/broker/ask"
	"askd/config"
	"askd/ui/form"
)

// settledFor is how long the form's place says where the answer went.
const settledFor = 2 * time.Second

// state is all that a frame is drawn from.
type state struct {
	snap     *broker.Snapshot
	list     []*broker.Entry // of snap, in the inbox's order
	conf     config.Loaded
	noticed  bool // the settings have shown the notices of conf
	look     *look
	views    map[ask.Key]*view
	current  ask.Key      // the form on screen; zero for none
	offers   []*sameOffer // answers that may go to other forms too, not asked about yet
	back     ask.Key      // the form whose cancel was taken back, until the desk offers it again
	ended    *ending      // what became of the form that was on screen
	inbox    inbox
	asked    repeated
	inInbox  bool // the keys go to the inbox
	overlay  overlay
	past     *history    // the list of past questions, while it or a question opened from it is shown
	complete *completion // the file paths at the cursor; nil before the first @ of an editor
	guard    guard
	rose     moment  // of what lies over the form, or of the inbox, when it came by itself
	second   *second // a second press that has to stand alone first
	outside  bool    // the terminal lost the focus; the next click only brings it back
	leaving  bool    // the person has asked to leave once
	fault    string  // what could not be done, for the person
	said     string  // what the person should know until the next key
	title    string
	size     [2]int
	canvas   *canvas // the last frame, for clicks
	press    press
	wraps    wrapCache
	marked   markdownCache
	late     []func()
	quiet    bool // the mouse is left to the terminal
	idleTop  int
}

func newState() state {
	return state{look: &drawn, marked: markdownCache{look: &drawn}, snap: &broker.Snapshot{}, views: map[ask.Key]*view{}, canvas: &canvas{look: &drawn}}
}

// view is one open form and how it lies on the screen.
type view struct {
	form     *form.Form // nil for a prompt
	pick     *picker    // nil for a form
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
	images   attaching
	clipped  bool // something of the question is out of sight in this frame
	hidden   bool // its context has no room at all
	editor   rect // where the editor lies in this frame
	sizes    extents
	finished bool   // submitted or cancelled by the person
	later    bool   // the person hides it here
	taken    string // why the form can no longer be answered; it stays to be read until the person leaves it
	held     bool   // taken by a cancel that can still be taken back
	status   broker.Status
	basis    uint64 // serial of the newest draft of the entry that the form has
	followed bool   // what the form holds was entered in another pane
}

// extents are the heights and lengths of the scrolling parts in this frame.
type extents struct{ prompt, context, review [2]int }

// ending says what became of the form that was on screen.
type ending struct {
	key    ask.Key
	name   string
	script bool // it was asked from a command line
	until  time.Time
	here   bool // the person ended it in this pane
	hidden bool // it was hidden from outside and waits in the inbox
}

// apply takes a newer snapshot.
func (p *Pane) apply(s *broker.Snapshot) {
	if p.snap != s {
		p.asked.note(s.Entries)
	}
	p.snap, p.list = s, inboxOrder(s.Entries)
	here := make(map[ask.Key]*broker.Entry, len(s.Entries))
	for _, e := range s.Entries {
		here[e.Key()] = e
	}
	p.dropEnded(here)
	for k, v := range p.views {
		if e := here[k]; e != nil {
			p.renew(v, e)
		}
	}
	p.choose(here)
	p.inbox.follow(p.listed())
	p.inInbox = p.inInbox && len(p.list) > 0
}

// dropEnded forgets the forms that no longer wait. The one on screen leaves word of where its answer went.
func (p *Pane) dropEnded(here map[ask.Key]*broker.Entry) {
	for k, v := range p.views {
		switch {
		case p.cancelHeld(k) && !(k == p.current && v.inHand()):
			p.goOn(k)
		case here[k] != nil && here[k].Status != broker.Parked:
		case v.closed() && k == p.current:
			if v.held && !p.cancelHeld(k) { // the cancel holds for good
				v.held, v.taken = false, p.whyTaken(k, v)
			}
		case v.closed():
			delete(p.views, k)
		case k == p.current && v.inHand():
			v.held = p.cancelHeld(k)
			v.close(p.whyTaken(k, v))
		default:
			p.drop(k, v)
		}
	}
}

// inHand reports whether the person has entered something here and has not ended the form.
func (v *view) inHand() bool { return !v.finished && !v.followed && v.sheet().Dirty() }

// goOn takes a form off the screen whose cancel can still be taken back: it stays as it is, and what comes next comes at once.
func (p *Pane) goOn(k ask.Key) {
	if k == p.current {
		p.current, p.ended = ask.Key{}, nil
	}
}

func (p *Pane) drop(k ask.Key, v *view) {
	v.images.end()
	delete(p.views, k)
	if k == p.current {
		p.current = ask.Key{}
		p.ended = p.endingOf(k, v)
	}
}

func (p *Pane) endingOf(k ask.Key, v *view) *ending {
	return &ending{key: k, name: v.entry.SessionName, script: ofScript(v.entry), here: v.finished, until: p.o.Now().Add(settledFor)}
}

// choose decides which form has the screen: the one that has it, else the first that waits and may disturb the person.
func (p *Pane) choose(here map[ask.Key]*broker.Entry) {
	if p.bringBack(here) {
		return
	}
	if v := p.onScreen(); v != nil && v.closed() {
		return
	}
	if e := here[p.current]; e != nil {
		v := p.onScreen()
		if !left(v, e) {
			return
		}
		p.wentAway(v)
	}
	p.current = ask.Key{}
	if p.ended != nil && p.o.Now().Before(p.ended.until) {
		return
	}
	p.ended = nil
	for _, e := range p.snap.Entries {
		if e.Status == broker.Waiting && !e.Settling && e.QuietUntil.IsZero() {
			p.show(e)
			return
		}
	}
}

// wentAway leaves word of a form that was hidden from outside the pane, in the middle of whatever the person did with it.
func (p *Pane) wentAway(v *view) {
	if !v.later && v.status == broker.Deferred {
		p.ended = p.endingOf(v.entry.Key(), v)
		p.ended.hidden = true
	}
	v.later = false
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
		v = p.newView(e)
		p.views[k] = v
	}
	v.entry, v.status = e, e.Status
	p.current, p.ended = k, nil
	v.sync(p)
	return v
}

// closed reports whether the form was taken away while the person was at it: it is there to be read and copied only.
func (v *view) closed() bool { return v.taken != "" }

// close makes a form read-only. Nothing must happen to it by itself from now on.
func (v *view) close(why string) {
	v.taken = why
	v.images.end()
	if v.form == nil {
		return
	}
	s := v.form.Settings()
	s.AutoSubmit = false
	v.change(s)
}

// renew gives a view its newest entry. A form that was taken away and is back goes on as it was.
func (p *Pane) renew(v *view, e *broker.Entry) {
	v.entry = e
	p.followDraft(v, e)
	if v.closed() && e.Status != broker.Parked {
		v.taken = ""
		v.change(p.formSettings())
	}
}

// whyTaken says what became of a form that is still on screen.
func (p *Pane) whyTaken(k ask.Key, v *view) string {
	name := shownLine(v.entry.SessionName)
	s, ok := p.settled(k)
	switch {
	case p.cancelHeld(k):
		return "This question was cancelled in another pane; " + p.keyOf(config.Global, undoAction) + " takes that back."
	case !ok && p.parked(k):
		return "This question is not on the branch that " + name + " has open now. It comes back with its branch."
	case !ok:
		return "This question was ended elsewhere, or is not on the branch that " + name + " has open now." + p.historyTells()
	case s.Kind.Submitted():
		return "This question was answered elsewhere; that answer is kept for " + name + "."
	case s.Kind == ask.Cancelled:
		return "This question was cancelled elsewhere."
	case s.Kind == ask.TimedOut:
		return "This question timed out: " + name + " was told that it was not answered."
	default:
		return name + " took this question back."
	}
}

// parked reports whether a form waits for its branch, as far as the desk tells.
func (p *Pane) parked(k ask.Key) bool {
	return slices.ContainsFunc(p.snap.Entries, func(e *broker.Entry) bool { return e.Key() == k && e.Status == broker.Parked })
}

// historyTells says where the person finds what the desk does not remember: how a form has ended after which many others did.
func (p *Pane) historyTells() string {
	if key := p.historyLabel(); key != "" {
		return " The history (" + key + ") tells."
	}
	return ""
}

// settled is what became of a form, as far as the desk remembers.
func (p *Pane) settled(k ask.Key) (broker.Settled, bool) {
	for i := len(p.snap.Recent) - 1; i >= 0; i-- {
		if p.snap.Recent[i].Key == k {
			return p.snap.Recent[i], true
		}
	}
	return broker.Settled{}, false
}

// leave takes a form that can only be read off the screen.
func (p *Pane) leave(v *view) {
	k := v.entry.Key()
	if p.views[k] == v {
		delete(p.views, k)
	}
	p.current = ask.Key{}
	p.nudge()
}

// busy reports whether the form's end is on its way to the disk: it takes no input meanwhile.
func (v *view) busy() bool { return v.over() || v.entry.Settling }

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

// reconfigure applies settings to every open form. Notices that were put away come back when they are others, or when the file
// was changed and is still not understood.
func (p *Pane) reconfigure(l config.Loaded) {
	_, open := p.overlay.(*settingsList)
	p.noticed = open || p.noticed && stillNoticed(p.conf, l)
	p.conf = l
	for _, v := range p.views {
		if s := p.formSettings(); v.form != nil && v.form.Settings() != s && !v.closed() {
			p.feed(v, form.Change{Settings: s})
		}
	}
}

// stillNoticed reports whether notices that the person has read cover what was loaded now.
func stillNoticed(before, now config.Loaded) bool {
	again := len(now.Notices) > 0 && len(before.Notices) > 0 && &now.Notices[0] != &before.Notices[0] // the file was read again
	return slices.Equal(before.Notices, now.Notices) && (now.Valid || !again)
}
