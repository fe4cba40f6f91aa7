package broker

import (
	"time"

	"askd/broker/ask"
	"askd/broker/tool"
	"askd/config"
)

// ending is how an item is about to end.
type ending struct {
	kind     ask.OutcomeKind // empty for a submit: the response decides
	response ask.Response
	via      ask.Via
	client   string
	err      string
	done     func(error) // tells whoever ended it; may be nil
}

// settle takes an item to its outcome: stored first, told afterwards. It reports whether the item was still open.
func (d *desk) settle(it *item, e ending) bool {
	if (e.kind == "" || e.kind == ask.Cancelled) && it.overdue(d.now()) {
		d.timeOut(it) // what the person does now comes too late
	}
	if it.state != pending || it.parked {
		if e.done != nil {
			e.done(ErrNotPending)
		}
		return false
	}
	o := d.outcome(it, e)
	if err := unsendable(it.req, e.response, o); err != nil {
		if e.kind == "" {
			if e.done != nil {
				e.done(err)
			}
			return true
		}
		e.response = ask.Response{} // leaving a form must always work; the draft still has the text
		o = d.outcome(it, e)
	}
	e = it.overHeld(e)
	it.state, it.entry = settling, nil
	if e.kind == "" {
		it.began = time.Now()
	}
	d.dirty = true
	d.b.o.Store.AppendOutcome(o, func(err error) {
		d.b.postOr(func(d *desk) { d.settled(it, o, err, e.done) }, func() {
			if e.done != nil {
				e.done(err)
			}
		})
	})
	return true
}

// unsendable is why an outcome could never be sent to its agent, nil when it can. An outcome repeats texts and images in
// several shapes, so that what is large is measured as it would be sent.
func unsendable(r *ask.Request, given ask.Response, o *ask.Outcome) error {
	text := textSize(given)
	switch {
	case text > config.MaxAnswerText:
		return ErrTooMuchText
	case o.Result == nil || textShapes*text+imageShapes*imageSize(given) <= config.MaxLineOut/2:
		return nil
	}
	if t, ok := tool.Lookup(r.Tool); ok && sizeOf(t.Outcome(r, o)) > config.MaxLineOut-lineRoom {
		return ErrTooLargeAnswer
	}
	return nil
}

const (
	// textShapes and imageShapes are more bytes than an outcome takes for each of text and images: a text stands in about ten
	// places, with six bytes for a control character, and an image in three. Only what may not fit by that count, beside a form
	// that takes the other half of the line, is written out to be measured, which holds everybody up.
	textShapes  = 64
	imageShapes = 3
	// lineRoom is for what stands around an outcome on its line.
	lineRoom = 64 << 10
)

// imageSize is the bytes of all images in a response, as base64.
func imageSize(r ask.Response) (n int) {
	for i := range r.Choices {
		c := &r.Choices[i]
		n += imageBytes(c.CustomImages) + imageBytes(c.NoteImages)
		for _, images := range c.OptionNoteImages {
			n += imageBytes(images)
		}
	}
	return n
}

func imageBytes(images []ask.Image) (n int) {
	for i := range images {
		n += len(images[i].Data)
	}
	return n
}

// textSize is the bytes that the person wrote.
func textSize(r ask.Response) (n int) {
	for i := range r.Choices {
		c := &r.Choices[i]
		n += len(c.CustomText) + len(c.Note)
		for _, literal := range c.Literal {
			n += len(literal)
		}
		for _, note := range c.OptionNotes {
			n += len(note)
		}
	}
	return n
}

// outcome words an ending as it goes to the disk.
func (d *desk) outcome(it *item, e ending) *ask.Outcome {
	now := d.now().UTC()
	o := &ask.Outcome{
		ID: d.b.o.NewID(), RequestID: it.req.ID, Session: it.req.Session, Kind: e.kind, Error: e.err, Via: e.via, Client: e.client, StoredAt: now,
	}
	if !it.shownAt.IsZero() {
		at := it.shownAt.UTC()
		o.ShownAt = &at
	}
	if e.err != "" {
		return o
	}
	o.Result = ask.BuildResult(it.req, e.response, e.kind != "")
	if e.kind == "" {
		o.Kind = o.Result.Kind()
	}
	if o.Kind.Submitted() || o.Kind == ask.Cancelled {
		o.AnsweredAt = &now
	}
	return o
}

// settled is the moment an outcome is on disk, or certainly is not: then the form is open again.
func (d *desk) settled(it *item, o *ask.Outcome, err error, done func(error)) {
	if err != nil {
		it.state, it.entry, it.began = pending, nil, time.Time{}
		d.dirty = true
		if it.overdue(d.now()) {
			d.wakeAt(d.now().Add(config.DeadlineRetry))
		} else {
			d.watch(it) // the alarm passes over what is being stored
		}
		d.failed("an answer could not be stored; its form is open again", it, err)
	} else {
		d.finish(it, o)
	}
	if done != nil {
		done(err)
	}
	if it.state == pending && len(it.aborts) > 0 {
		d.interrupt(it, it.abortKind) // it waited for an outcome that did not come
		return
	}
	d.placeLate(it)
}

// finish tells everyone concerned that an item has ended.
func (d *desk) finish(it *item, o *ask.Outcome) {
	d.worked()
	it.state, it.outcome, it.outcomes = ended, o, append(it.outcomes, o)
	d.dequeue(it)
	d.closeDialogs(func(open *dialogue) bool { return open.item == it })
	s := d.session(it.req.Session)
	owner, open := it.owner, s.opens(it.req.ID)
	reached := it.resolve(it.outcomeFor(), nil) > 0
	if reached {
		s.closeCall(it.req.ID)
		if open && o.Kind == ask.Interrupted {
			s.branch.abort(it.req.ID)
		}
	}
	if reached && owner != nil {
		it.claim = &claim{client: owner, instance: owner.info.Instance, epoch: owner.info.Epoch, call: true}
	}
	it.finishAborts(abortState(o.Kind))
	for _, c := range s.clients() {
		delete(c.started, it.req.ID)
	}
	d.tellCompleted(it, s)
	if !reached && s.primary == nil {
		it.began = time.Time{} // how long the asker stays away is nothing of askd's
	}
	if d.quiet(it, s, reached) {
		d.deliver(it)
	}
	if !it.late {
		d.deliverAll(s, d.undelivered(s))
	}
	d.remember(it, s, reached || it.claim != nil)
	if it.resumed && o.Kind == ask.Cancelled && s.primary != nil {
		s.primary.peer.Notify("notify", notice{"info", "Unanswered " + it.req.Tool + " form dismissed."})
	}
	d.placeLate(it)
	d.touch(s)
}

// quiet reports whether an outcome needs no acknowledgement: nothing of it is to enter a transcript, or the asker has no
// transcript that could be looked at and has been handed the result.
func (d *desk) quiet(it *item, s *session, reached bool) bool {
	if it.outcome.Kind == ask.Interrupted || it.outcome.Kind == ask.Withdrawn {
		return true
	}
	return reached && (s.branch == nil || !asksHere(s.info))
}

// deliver moves a finished item into the history.
func (d *desk) deliver(it *item) {
	if it.moving {
		return
	}
	it.moving = true
	d.delivered.stop(it.began)
	it.began = time.Time{}
	k := it.req.Key()
	d.b.o.Store.AppendDelivered(k, it.outcome.ID, func(err error) {
		if err != nil {
			d.b.post(func(d *desk) {
				it.moving = false
				d.failed("a delivery could not be recorded", it, err)
				it.tellAcks(storageError("the acknowledgement could not be stored", err))
			})
			return
		}
		d.b.post(func(d *desk) {
			d.drop(it)
			it.tellAcks(nil)
		})
	})
}

// drop takes a delivered item off the desk.
func (d *desk) drop(it *item) {
	it.moving = false
	if it.state != ended || d.items[it.req.Key()] != it {
		return // another branch has opened it again meanwhile
	}
	s := d.session(it.req.Session)
	if s.branch != nil && s.branch.lacks(it) {
		d.deliverAll(s, d.undelivered(s)) // it was delivered on a branch that has been left meanwhile
		return
	}
	d.remove(it)
	for i := range d.recent {
		if d.recent[i].Key == it.req.Key() {
			d.recent[i].Delivered = true
		}
	}
	d.dirty = true
}

// tellCompleted sends the contract's event for a form that a person finished; one that was taken away has none.
func (d *desk) tellCompleted(it *item, s *session) {
	if k := it.outcome.Kind; !it.told() || it.outcome.Result == nil || !k.Submitted() && k != ask.Cancelled {
		return
	}
	plain := *it.outcome.Result
	plain.RequestID = ""
	for _, c := range s.clients() {
		c.peer.Notify("ask.completed", Completed{
			Version: 1, FlowID: it.req.FlowID(), ToolCallID: it.req.ToolCallID, Source: it.source(), Result: &plain,
			CompletedAt: it.outcome.StoredAt.UnixMilli(),
		})
	}
}

// source is what the contract's events call the origin of a form.
func (it *item) source() string {
	if it.orphan {
		return "ask:resume"
	}
	return "tool"
}

// remember keeps a line for the pane that says where the answer went.
func (d *desk) remember(it *item, s *session, reached bool) {
	if it.outcome.Kind == ask.Answered {
		s.lastTook = it.outcome.StoredAt.Sub(it.req.CreatedAt).Round(time.Second)
	}
	d.recent = append(d.recent, Settled{
		Key: it.req.Key(), SessionName: s.name(it.req.Asker), Kind: it.outcome.Kind, At: it.outcome.StoredAt, Delivered: reached,
	})
	if len(d.recent) > recentKept {
		d.recent = d.recent[len(d.recent)-recentKept:]
	}
}

// failed tells the person that the store fails, until it works again.
func (d *desk) failed(what string, it *item, err error) {
	d.b.o.Log.Error(what, "request", it.req.ID, "err", err)
	d.fault = what + ": " + err.Error()
	d.dirty = true
}

func (d *desk) worked() {
	if d.fault != "" {
		d.fault, d.dirty = "", true
	}
}
