package ui

import (
	"askd/broker"
	"askd/broker/ask"
	"askd/ui/form"
)

// sheet is what an open view holds of what the person has done: a form of ask_user or a prompt of ask_user_question.
type sheet interface {
	// Dirty reports whether the person has entered anything.
	Dirty() bool
	// Draft is what it takes to put the sheet back as it is; nil for an untouched one.
	Draft() *ask.Draft
	// Restore puts a sheet back as a draft has it.
	Restore(d *ask.Draft)
	// Reopen takes an end back that could not be saved.
	Reopen()
	// TakeBack takes a cancel back that the person has thought better of.
	TakeBack()
	// Request is what was asked.
	Request() *ask.Request
}

// newView is a view of a form as it was left.
func (p *Pane) newView(e *broker.Entry) *view {
	v := &view{}
	if e.Request.Tool == ask.ToolQuestion {
		v.pick = newPicker(e.Request)
	} else {
		v.form = form.New(e.Request, p.formSettings())
	}
	if v.basis = e.Drafted.Serial; e.Draft != nil {
		v.sheet().Restore(e.Draft)
	}
	return v
}

func (v *view) sheet() sheet {
	if v.pick != nil {
		return v.pick.Prompt
	}
	return v.form
}

// over reports whether the person has submitted or cancelled.
func (v *view) over() bool {
	if v.pick != nil {
		return v.pick.Mode() == form.PromptDone
	}
	return v.form.Mode() == form.ModeDone
}

// openTab is the tab or page that is open; the last is Review.
func (v *view) openTab() int {
	if v.pick != nil {
		return v.pick.Page()
	}
	return v.form.ActiveTab()
}

// change gives new settings to a form; prompts keep those that they were opened with.
func (v *view) change(s form.Settings) {
	if v.form != nil {
		v.form.Apply(form.Change{Settings: s})
	}
}
