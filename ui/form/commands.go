package form

import (
	"fmt"

	"askd/broker/ask"
)

// The commands that each mode knows; a command that a mode does not list is ignored there.
var (
	questionCommands = map[Command]func(*Form){
		NextTab:        func(f *Form) { f.turnTab(+1) },
		PreviousTab:    func(f *Form) { f.turnTab(-1) },
		NextOption:     func(f *Form) { f.moveRow(+1) },
		PreviousOption: func(f *Form) { f.moveRow(-1) },
		Confirm:        (*Form).confirm,
		Toggle:         (*Form).toggle,
		ChangeType:     (*Form).changeType,
		OptionNote:     (*Form).openOptionNote,
		QuestionNote:   (*Form).openQuestionNote,
		Skip:           (*Form).skip,
		EditCustom:     (*Form).openCustom,
		Cancel:         (*Form).cancel,
	}
	reviewCommands = map[Command]func(*Form){
		NextTab:        func(f *Form) { f.turnTab(+1) },
		PreviousTab:    func(f *Form) { f.turnTab(-1) },
		NextOption:     func(f *Form) { f.moveAction(+1) },
		PreviousOption: func(f *Form) { f.moveAction(-1) },
		Confirm:        func(f *Form) { f.finish(f.action) },
		Cancel:         (*Form).cancel,
	}
	customCommands = map[Command]func(*Form){
		EditorSubmit:    (*Form).submitCustom,
		EditorClose:     (*Form).closeEditor,
		NextOptionEmpty: whenEmpty(func(f *Form) { f.moveRow(+1) }),
		PrevOptionEmpty: whenEmpty(func(f *Form) { f.moveRow(-1) }),
		NextTabEmpty:    whenEmpty(func(f *Form) { f.turnTab(+1) }),
		PrevTabEmpty:    whenEmpty(func(f *Form) { f.turnTab(-1) }),
	}
	noteCommands = map[Command]func(*Form){
		EditorSave:      (*Form).saveTrimmed,
		EditorClose:     (*Form).closeEditor,
		NextOptionEmpty: whenEmpty(func(f *Form) { f.moveRow(+1) }),
		PrevOptionEmpty: whenEmpty(func(f *Form) { f.moveRow(-1) }),
		NextTabEmpty:    whenEmpty(func(f *Form) { f.turnTab(+1) }),
		PrevTabEmpty:    whenEmpty(func(f *Form) { f.turnTab(-1) }),
	}
	commands = map[Mode]map[Command]func(*Form){
		ModeQuestion:     questionCommands,
		ModeReview:       reviewCommands,
		ModeCustomEditor: customCommands,
		ModeNoteEditor:   noteCommands,
	}
)

func (f *Form) do(c Command) {
	if c == Dismiss { // the same in every mode, before an editor can have the key
		f.guarded(Dismiss)
		return
	}
	if run := commands[f.Mode()][c]; run != nil {
		run(f)
	}
}

// cancel is Esc outside an editor: a background form only steps aside, a foreground form ends.
func (f *Form) cancel() {
	if f.request.Background {
		f.guard = "" // the warning leaves the screen with the form
		f.emit(Later{})
		return
	}
	f.guarded(Cancel)
}

// guarded ends the form; a dirty one only when the person was warned about this same action and no tab changed since.
func (f *Form) guarded(c Command) {
	if f.settings.ConfirmDismiss && f.Dirty() && f.guard != c {
		f.guard = c
		return
	}
	f.dismiss()
}

// turnTab goes round the strip, Review included.
func (f *Form) turnTab(by int) {
	n := len(f.entries) + 1
	f.openTab((f.tab + by + n) % n)
}

func (f *Form) openTab(i int) {
	if i == f.tab {
		return
	}
	f.tab, f.row, f.action = i, 0, 0
	f.clearWarnings()
	f.changed = true
	f.arrived = f.onReview()
}

// moveRow moves the focus and stops at the ends. A move that ends on the empty custom row opens its editor.
func (f *Form) moveRow(by int) {
	to := min(max(f.row+by, 0), f.customRow())
	f.changed = f.changed || to != f.row
	f.row = to
	if to == f.customRow() && !f.active().kept() {
		f.openCustom()
	}
}

func (f *Form) focusOption(i int) {
	if f.Mode() != ModeQuestion {
		return
	}
	to := min(max(i, 0), max(0, f.customRow()-1))
	f.changed = f.changed || to != f.row
	f.row = to
}

// customRow is the index of the active question's last row.
func (f *Form) customRow() int { return len(f.active().selected) }

// confirm is Enter: a single question takes the focused row, a multi question keeps what it has; both go on. Only a custom
// row that still has to be written opens its editor instead.
func (f *Form) confirm() {
	e := f.active()
	custom := f.row == f.customRow()
	switch {
	case custom && (e.typ == ask.Single || !e.kept()):
		f.openCustom()
		return
	case e.typ == ask.Single:
		e.pick(f.row)
	}
	left := f.tab + 1
	f.openTab(left)
	if e.typ == ask.Multi && !e.answered() && !e.skipped {
		f.info = fmt.Sprintf("No option is chosen on question %d.", left) // Enter chooses on questions of the other type
	}
}

// toggle is Space: it never leaves the question.
func (f *Form) toggle() {
	e := f.active()
	f.changed = true
	switch {
	case f.row < f.customRow():
		e.flip(f.row)
	case e.typ == ask.Multi && e.kept():
		e.flipCustom()
	default:
		f.openCustom()
	}
}

// activate is a number key or a click on a row of the active question.
func (f *Form) activate(row int) {
	if row < 0 || row > f.customRow() {
		return
	}
	f.row, f.changed = row, true
	if row < f.customRow() && f.active().typ == ask.Single {
		f.confirm()
		return
	}
	f.toggle()
}

// changeType turns single into multi and back. Where that would drop answers it asks first; going on with anything else is
// a no.
func (f *Form) changeType() {
	e := f.active()
	from := e.typ
	switch {
	case from == ask.Single:
		e.typ = ask.Multi
	case e.count() > 1 && !f.typePending:
		f.typePending = true
		return
	default:
		e.toSingle()
	}
	f.typePending, f.changed = false, true
	f.info = fmt.Sprintf("Question type changed from %s to %s.", from, e.typ)
}

// skip marks the question as passed over on purpose and goes on; on a skipped question it takes the mark back.
func (f *Form) skip() {
	e := f.active()
	f.changed = true
	if e.skipped {
		e.skipped = false
		f.info = "The question is no longer skipped."
		return
	}
	e.skip()
	f.openTab(f.tab + 1)
}

func (f *Form) digit(n int) {
	switch f.Mode() {
	case ModeQuestion:
		if n >= 1 && n <= 9 {
			f.activate(n - 1)
		}
	case ModeReview:
		f.press(n - 1)
	}
}

func (f *Form) clickRow(i int) {
	if f.onReview() || i < 0 || i > f.customRow() {
		return
	}
	if f.editor != nil {
		if f.editor.Mode == ModeCustomEditor && i == f.customRow() {
			return
		}
		f.closeEditor()
	}
	f.activate(i)
}

func (f *Form) clickTab(i int) {
	if i < 0 || i > len(f.entries) || i == f.tab {
		return
	}
	if f.editor != nil {
		f.closeEditor()
	}
	f.openTab(i)
}
