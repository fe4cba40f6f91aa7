package form

import (
	"slices"

	"askd/broker/ask"
)

// noAction is Form.pending while no Review action waits for its second press.
const noAction = -1

// Form is the state of one open form. Only New makes one. It belongs to the goroutine that made it; no method blocks.
type Form struct {
	request  *ask.Request
	settings Settings
	entries  []entry // one a question, in form order
	tab      int     // len(entries) is Review
	row      int     // focused row of the active question
	action   int     // focused Review action
	editor   *Editor
	serial   int
	done     bool

	pending     int     // Review action pressed once (contract, "Double-press review shortcuts"), else noAction
	guard       Command // the action that the dirty guard has warned about; empty while it has not
	typePending bool    // the type key has to be pressed again
	info        string

	effects []Effect // of the event being applied
	changed bool     // the draft is no longer what was last saved
	arrived bool     // the event being applied opened Review
}

// New opens a form on its first question, untouched. The request must be normalised and must not change while the form
// lives.
func New(r *ask.Request, s Settings) *Form {
	f := &Form{request: r, settings: s}
	f.reset()
	return f
}

func (f *Form) reset() {
	f.entries = make([]entry, len(f.request.Questions))
	for i := range f.entries {
		f.entries[i] = newEntry(&f.request.Questions[i])
	}
	f.tab, f.row, f.action, f.editor, f.done = 0, 0, 0, nil, false
	f.clearWarnings()
}

// Request is what was asked.
func (f *Form) Request() *ask.Request { return f.request }

// Settings are the settings that the form obeys now.
func (f *Form) Settings() Settings { return f.settings }

// Mode says where the focus is.
func (f *Form) Mode() Mode {
	switch {
	case f.done:
		return ModeDone
	case f.editor != nil:
		return f.editor.Mode
	case f.onReview():
		return ModeReview
	}
	return ModeQuestion
}

// Reopen leaves ModeDone again, because the outcome could not be stored. Everything stands as it did before the event that
// ended the form.
func (f *Form) Reopen() { f.done = false }

// TakeBack opens a form again whose cancel the person has taken back. What had been confirmed once is not any more: the next
// cancel asks again.
func (f *Form) TakeBack() {
	f.Reopen()
	f.clearWarnings()
}

// Apply lets one event happen and returns what the outside has to do, in order. Events that mean nothing in the present
// mode change nothing. Submit and Dismissed come alone and at most once until Reopen.
func (f *Form) Apply(e Event) []Effect {
	if f.done {
		if c, ok := e.(Change); ok {
			f.settings = c.Settings
		}
		return nil
	}
	f.effects, f.changed, f.arrived = nil, false, false
	f.clearPending(e)
	f.dispatch(e)
	f.autoSubmit()
	if f.changed && !f.done {
		f.emit(SaveDraft{})
	}
	return f.effects
}

func (f *Form) dispatch(e Event) {
	switch e := e.(type) {
	case Do:
		f.do(e.Command)
	case Digit:
		f.digit(e.N)
	case EditText:
		f.editText(e.Text)
	case ClickTab:
		f.clickTab(e.Index)
	case ClickRow:
		f.clickRow(e.Index)
	case ClickAction:
		f.clickAction(e.Index)
	case FocusOption:
		f.focusOption(e.Index)
	case Change:
		f.change(e.Settings)
	}
}

// clearPending drops the confirmations that any other action ends, and what was only worth knowing; the dirty guard is not among them, it lasts until the
// tab changes.
func (f *Form) clearPending(e Event) {
	switch e := e.(type) {
	case Change, EditText:
		return
	case Digit, ClickAction: // press sees to the Review actions
		f.typePending = false
	case Do:
		f.typePending = f.typePending && e.Command == ChangeType
		f.pending = noAction
	default:
		f.typePending, f.pending = false, noAction
	}
	f.info = "" // it was read when the next key is pressed, and takes a row
}

func (f *Form) clearWarnings() {
	f.pending, f.guard, f.typePending, f.info = noAction, "", false, ""
}

func (f *Form) change(s Settings) {
	switchedOn := s.AutoSubmit && !f.settings.AutoSubmit
	f.settings = s
	if !s.ConfirmDismiss {
		f.guard = ""
	}
	if !s.DoublePressReview {
		f.pending = noAction
	}
	f.arrived = switchedOn && f.Mode() == ModeReview
}

// autoSubmit ends the form on arrival at Review, or when the setting is switched on there. Nothing else on Review can make
// the answers complete, so no other event there submits by surprise, not even after Restore or Reopen.
func (f *Form) autoSubmit() {
	if !f.settings.AutoSubmit || !f.arrived || f.Mode() != ModeReview || len(f.entries) == 0 {
		return
	}
	for i := range f.entries {
		if !f.entries[i].answered() || f.entries[i].hasNotes() {
			return
		}
	}
	f.submit()
}

func (f *Form) submit() {
	f.done = true
	f.effects = []Effect{Submit{Response: f.Response()}}
}

func (f *Form) dismiss() {
	f.done = true
	f.effects = []Effect{Dismissed{Response: f.Response()}}
}

func (f *Form) emit(e Effect) { f.effects = append(f.effects, e) }

func (f *Form) onReview() bool { return f.tab == len(f.entries) }

// active is the state of the active question; it must not be asked for on Review.
func (f *Form) active() *entry { return &f.entries[f.tab] }

// Dirty reports whether ending the form would lose something: an answer, a note, an image, a skip, or text in the open
// editor.
func (f *Form) Dirty() bool {
	if f.editor != nil && !ask.Blank(f.editor.Text) {
		return true
	}
	return slices.ContainsFunc(f.entries, func(e entry) bool { return e.worked() })
}

// AnyPresentedDifferently reports whether some question stands as another type than the asker wanted.
func (f *Form) AnyPresentedDifferently() bool {
	return slices.ContainsFunc(f.entries, func(e entry) bool { return e.typ != e.question.Requested() })
}

// Response is the whole form as it would be submitted now: one choice a question, without the text of an open editor. It
// shares nothing with the form.
func (f *Form) Response() ask.Response {
	r := ask.Response{Choices: make([]ask.Choice, len(f.entries))}
	for i := range f.entries {
		r.Choices[i] = f.entries[i].choice()
	}
	return r
}
