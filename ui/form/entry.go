package form

import (
	"maps"

	"askd/broker/ask"
)

// entry is what the person has done with one question.
type entry struct {
	question       *ask.Question
	typ            ask.Type
	selected       []bool // by option index
	customText     string // saved free-form text, kept while deselected; never blank text
	customImages   []ask.Image
	customSelected bool // only with text or images
	note           string
	noteImages     []ask.Image
	notes          map[int]string // by option index, never blank
	images         map[int][]ask.Image
	skipped        bool
}

func newEntry(q *ask.Question) entry {
	return entry{
		question: q, typ: ownType(q), selected: make([]bool, len(q.Options)),
		notes: map[int]string{}, images: map[int][]ask.Image{},
	}
}

// ownType is the type that a question opens with.
func ownType(q *ask.Question) ask.Type {
	if q.Type == ask.Multi {
		return ask.Multi
	}
	return ask.Single
}

// kept reports whether a free-form answer is saved, selected or not.
func (e *entry) kept() bool { return e.customText != "" || len(e.customImages) > 0 }

// count is the number of committed answers; a free-form answer is one.
func (e *entry) count() int {
	n := 0
	for _, s := range e.selected {
		if s {
			n++
		}
	}
	if e.customSelected {
		n++
	}
	return n
}

func (e *entry) answered() bool { return e.count() > 0 }

func (e *entry) hasNotes() bool {
	return e.note != "" || len(e.noteImages) > 0 || len(e.notes) > 0 || len(e.images) > 0
}

// worked reports whether the person has put anything into the question that leaving the form would lose.
func (e *entry) worked() bool { return e.skipped || e.answered() || e.kept() || e.hasNotes() }

// pick selects an option of a single question; that drops the free-form answer, notes stay.
func (e *entry) pick(i int) {
	clear(e.selected)
	e.selected[i] = true
	e.customText, e.customImages, e.customSelected = "", nil, false
	e.skipped = false
}

// flip is the toggle key on an option: a choice on either type, without leaving the question.
func (e *entry) flip(i int) {
	switch {
	case e.selected[i]:
		e.selected[i] = false
	case e.typ == ask.Multi:
		e.selected[i] = true
		e.skipped = false
	default:
		e.pick(i)
	}
}

// flipCustom selects or deselects a saved free-form answer of a multi question.
func (e *entry) flipCustom() {
	e.customSelected = !e.customSelected
	if e.customSelected {
		e.skipped = false
	}
}

// saveCustom takes what the free-form editor held. Blank text without an image clears the free-form answer and nothing
// else: an option chosen before stays.
func (e *entry) saveCustom(text string) {
	if ask.Blank(text) {
		text = ""
	}
	e.customText = text
	e.customSelected = e.kept()
	if !e.customSelected {
		return
	}
	e.skipped = false
	if e.typ == ask.Single {
		clear(e.selected)
	}
}

func (e *entry) saveNote(text string) {
	if ask.Blank(text) {
		text = ""
	}
	e.note = text
	if text != "" || len(e.noteImages) > 0 {
		e.skipped = false
	}
}

func (e *entry) saveOptionNote(i int, text string) {
	if ask.Blank(text) {
		delete(e.notes, i)
	} else {
		e.notes[i] = text
		e.skipped = false
	}
	if len(e.images[i]) > 0 {
		e.skipped = false
	}
}

// skip drops the answer and the notes; the type stays as the person set it.
func (e *entry) skip() {
	typ := e.typ
	*e = newEntry(e.question)
	e.typ, e.skipped = typ, true
}

// toSingle ends a multi question's life as such. At most one answer survives as it is; of several only a saved free-form
// answer does.
func (e *entry) toSingle() {
	if e.count() > 1 {
		clear(e.selected)
		e.customSelected = e.kept()
	}
	e.typ = ask.Single
}

// cloned copies a list of images; an empty one is nil, so that drafts compare equal.
func cloned(images []ask.Image) []ask.Image { return append([]ask.Image(nil), images...) }

func (e *entry) selectedIndices() []int {
	var out []int
	for i, s := range e.selected {
		if s {
			out = append(out, i)
		}
	}
	return out
}

func (e *entry) choice() ask.Choice {
	if e.skipped {
		return ask.Choice{Type: e.typ, Skipped: true}
	}
	c := ask.Choice{
		Type: e.typ, Selected: e.selectedIndices(),
		Note: e.note, NoteImages: cloned(e.noteImages),
	}
	if e.customSelected {
		c.CustomText, c.CustomImages = e.customText, cloned(e.customImages)
	}
	if len(e.notes) > 0 {
		c.OptionNotes = maps.Clone(e.notes)
	}
	if len(e.images) > 0 {
		c.OptionNoteImages = make(map[int][]ask.Image, len(e.images))
		for i, imgs := range e.images {
			c.OptionNoteImages[i] = cloned(imgs)
		}
	}
	return c
}
