package form

import (
	"askd/broker/ask"
)

// Editor is the open editor, nil when none is. It is a copy: typing comes back through EditText.
func (f *Form) Editor() *Editor {
	if f.editor == nil {
		return nil
	}
	e := *f.editor
	e.Images = len(f.editorImages())
	return &e
}

func (f *Form) open(m Mode, option int, text string) {
	f.serial++
	f.editor = &Editor{Mode: m, Question: f.tab, Option: option, Text: text, Serial: f.serial}
	f.changed = true
}

func (f *Form) openCustom() {
	f.row = f.customRow()
	f.open(ModeCustomEditor, f.row, f.active().customText)
}

// openOptionNote does nothing on the custom row: what is typed there needs no note.
func (f *Form) openOptionNote() {
	if f.row < f.customRow() {
		f.open(ModeNoteEditor, f.row, f.active().notes[f.row])
	}
}

func (f *Form) openQuestionNote() { f.open(ModeNoteEditor, -1, f.active().note) }

func (f *Form) editText(text string) {
	if f.editor == nil || f.editor.Text == text {
		return
	}
	f.editor.Text = text
	f.changed = true
}

// closeEditor keeps the text as it was typed.
func (f *Form) closeEditor() {
	f.store(f.editor.Text)
	f.editor = nil
}

// saveTrimmed is the Enter way out of an editor.
func (f *Form) saveTrimmed() {
	f.store(ask.Trim(f.editor.Text))
	f.editor = nil
}

// submitCustom goes on to the next tab when there is an answer; an empty editor only closes.
func (f *Form) submitCustom() {
	f.saveTrimmed()
	if f.active().customSelected {
		f.openTab(f.tab + 1)
	}
}

// store puts the editor's text where it belongs. The editor always belongs to the active question.
func (f *Form) store(text string) {
	e := f.active()
	switch {
	case f.editor.Mode == ModeCustomEditor:
		e.saveCustom(text)
	case f.editor.Option < 0:
		e.saveNote(text)
	default:
		e.saveOptionNote(f.editor.Option, text)
	}
	f.changed = true
}

// whenEmpty guards the keys that would move the cursor if there were any text to move in.
func whenEmpty(move func(*Form)) func(*Form) {
	return func(f *Form) {
		if f.editor.Text != "" {
			return
		}
		f.closeEditor()
		move(f)
	}
}

// AddImage attaches an image to what is being edited; without an open editor it does nothing. The image stays whether or
// not the text is saved.
func (f *Form) AddImage(img ask.Image) []Effect {
	if f.done || f.editor == nil {
		return nil
	}
	f.setEditorImages(append(cloned(f.editorImages()), img))
	f.active().skipped = false
	return []Effect{SaveDraft{}}
}

// RemoveImage takes the last image of what is being edited away; without one it does nothing.
func (f *Form) RemoveImage() []Effect {
	if f.done || f.editor == nil || len(f.editorImages()) == 0 {
		return nil
	}
	images := f.editorImages()
	f.setEditorImages(cloned(images[:len(images)-1]))
	return []Effect{SaveDraft{}}
}

func (f *Form) editorImages() []ask.Image {
	e := f.active()
	switch {
	case f.editor.Mode == ModeCustomEditor:
		return e.customImages
	case f.editor.Option < 0:
		return e.noteImages
	}
	return e.images[f.editor.Option]
}

func (f *Form) setEditorImages(images []ask.Image) {
	e := f.active()
	switch {
	case f.editor.Mode == ModeCustomEditor:
		e.customImages = images
		e.customSelected = e.customSelected && e.kept()
	case f.editor.Option < 0:
		e.noteImages = images
	case len(images) == 0:
		delete(e.images, f.editor.Option)
	default:
		e.images[f.editor.Option] = images
	}
}

// ImageSize is how many characters of base64 the form's images have together, those of a deselected answer included.
func (f *Form) ImageSize() int {
	n := 0
	add := func(images []ask.Image) {
		for i := range images {
			n += len(images[i].Data)
		}
	}
	for i := range f.entries {
		e := &f.entries[i]
		add(e.customImages)
		add(e.noteImages)
		for _, images := range e.images {
			add(images)
		}
	}
	return n
}
