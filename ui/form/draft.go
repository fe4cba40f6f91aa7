package form

import (
	"maps"
	"slices"

	"askd/broker/ask"
)

// The kinds of EditorDraft.
const (
	kindCustom       = ask.EditCustom
	kindQuestionNote = "questionNote"
	kindOptionNote   = "optionNote"
)

// Draft is all that Restore needs to put the form back, nil while the form is as New left it. SavedAt is zero: the form has
// no clock. It shares nothing with the form.
func (f *Form) Draft() *ask.Draft {
	d := &ask.Draft{Tab: f.tab, Row: f.row, Action: f.action, Editor: f.editorDraft()}
	for i := range f.entries {
		if q, ok := f.entries[i].draft(); ok {
			d.Questions = append(d.Questions, q)
		}
	}
	if d.Tab == 0 && d.Row == 0 && d.Action == 0 && d.Editor == nil && d.Questions == nil {
		return nil
	}
	return d
}

func (f *Form) editorDraft() *ask.EditorDraft {
	if f.editor == nil {
		return nil
	}
	q := f.entries[f.editor.Question].question
	d := &ask.EditorDraft{Kind: kindCustom, Question: q.ID, Text: f.editor.Text}
	switch {
	case f.editor.Mode == ModeCustomEditor:
	case f.editor.Option < 0:
		d.Kind = kindQuestionNote
	default:
		d.Kind, d.Option = kindOptionNote, q.Options[f.editor.Option].Value
	}
	return d
}

// draft gives the question's part of a draft and whether there is anything in it.
func (e *entry) draft() (ask.QuestionDraft, bool) {
	d := ask.QuestionDraft{
		ID:         e.question.ID,
		CustomText: e.customText, CustomSelected: e.customSelected, CustomImages: cloned(e.customImages),
		Note: e.note, NoteImages: cloned(e.noteImages), Skipped: e.skipped,
	}
	if e.typ != ownType(e.question) {
		d.Type = e.typ
	}
	for i, o := range e.question.Options {
		e.draftOption(&d, i, o.Value)
	}
	return d, d.Type != "" || e.worked()
}

func (e *entry) draftOption(d *ask.QuestionDraft, i int, value string) {
	if e.selected[i] {
		d.Selected = append(d.Selected, value)
	}
	if note := e.notes[i]; note != "" {
		if d.OptionNotes == nil {
			d.OptionNotes = map[string]string{}
		}
		d.OptionNotes[value] = note
	}
	if images := e.images[i]; len(images) > 0 {
		if d.OptionNoteImages == nil {
			d.OptionNoteImages = map[string][]ask.Image{}
		}
		d.OptionNoteImages[value] = cloned(images)
	}
}

// Restore puts a draft back in place of whatever the form holds. What the draft says of unknown questions and options, or
// against the rules of a question's type, is left out. nil gives an untouched form. It never ends the form.
func (f *Form) Restore(d *ask.Draft) {
	f.reset()
	if d == nil {
		return
	}
	for i := range d.Questions {
		if n := f.find(d.Questions[i].ID); n >= 0 {
			f.entries[n].restore(&d.Questions[i])
		}
	}
	f.tab = min(max(d.Tab, 0), len(f.entries))
	f.restoreFocus(d)
	f.restoreEditor(d.Editor)
}

func (f *Form) find(id string) int {
	return slices.IndexFunc(f.entries, func(e entry) bool { return e.question.ID == id })
}

func (f *Form) restoreFocus(d *ask.Draft) {
	if f.onReview() {
		f.action = min(max(d.Action, 0), len(actionLabels)-1)
		return
	}
	f.row = min(max(d.Row, 0), f.customRow())
}

// restoreEditor opens the editor with its unsaved text. An editor is always on the active question, so the tab follows it.
func (f *Form) restoreEditor(d *ask.EditorDraft) {
	if d == nil {
		return
	}
	n := f.find(d.Question)
	if n < 0 {
		return
	}
	option := f.entries[n].option(d.Option)
	reopen := reopeners[d.Kind]
	if reopen == nil || d.Kind == kindOptionNote && option < 0 {
		return
	}
	if f.tab != n {
		f.tab, f.row, f.action = n, 0, 0
	}
	reopen(f, option)
	f.editor.Text = d.Text
}

// reopeners open an editor of each kind again; only an option note looks at the option.
var reopeners = map[string]func(f *Form, option int){
	kindCustom:       func(f *Form, _ int) { f.openCustom() },
	kindQuestionNote: func(f *Form, _ int) { f.openQuestionNote() },
	kindOptionNote:   func(f *Form, option int) { f.row = option; f.openOptionNote() },
}

// option is the index of the option with a value, -1 when there is none.
func (e *entry) option(value string) int {
	return slices.IndexFunc(e.question.Options, func(o ask.Option) bool { return o.Value == value })
}

func (e *entry) restore(d *ask.QuestionDraft) {
	*e = newEntry(e.question)
	if d.Type == ask.Single || d.Type == ask.Multi {
		e.typ = d.Type
	}
	if d.Skipped {
		e.skip()
		return
	}
	if !ask.Blank(d.CustomText) {
		e.customText = d.CustomText
	}
	e.customImages = cloned(d.CustomImages)
	e.customSelected = d.CustomSelected && e.kept()
	e.restoreSelected(d.Selected)
	if !ask.Blank(d.Note) {
		e.note = d.Note
	}
	e.noteImages = cloned(d.NoteImages)
	e.restoreNotes(d)
}

// restoreSelected keeps a single question at one answer.
func (e *entry) restoreSelected(values []string) {
	for _, v := range values {
		i := e.option(v)
		if i < 0 || e.typ == ask.Single && e.answered() {
			continue
		}
		e.selected[i] = true
	}
}

func (e *entry) restoreNotes(d *ask.QuestionDraft) {
	for v, note := range maps.All(d.OptionNotes) {
		if i := e.option(v); i >= 0 && !ask.Blank(note) {
			e.notes[i] = note
		}
	}
	for v, images := range maps.All(d.OptionNoteImages) {
		if i := e.option(v); i >= 0 && len(images) > 0 {
			e.images[i] = cloned(images)
		}
	}
}
