package ask

import (
	"fmt"
)

// Block is one piece of a tool result's content (PROTOCOL, Block): text, or an image as base64.
type Block struct {
	Type     string
	Text     string
	Data     string
	MimeType string
}

// TextBlock is a block of text.
func TextBlock(text string) Block { return Block{Type: "text", Text: text} }

// MarshalJSON writes the fields of the block's type and no others; a text block writes its text even when it is empty.
func (b Block) MarshalJSON() ([]byte, error) {
	a := Appender{B: append(make([]byte, 0, len(b.Text)+len(b.Data)+64), '{')}
	a.Text(`"type":`, b.Type)
	if b.Type == "image" {
		a.Text(`"data":`, b.Data)
		a.Text(`"mimeType":`, b.MimeType)
	} else {
		a.Text(`"text":`, b.Text)
	}
	return unescapeSeparators(append(a.B, '}')), nil
}

// ImageBlocks gives each image of the results behind a text that names its question and place. An image id comes once.
// Cancelled and refused results have none.
func ImageBlocks(results ...*Result) []Block {
	w := imageWriter{seen: map[string]bool{}}
	for _, r := range results {
		if r == nil || r.Cancelled || r.Error != nil {
			continue
		}
		for _, q := range r.Questions {
			if a, ok := r.Answers.Get(q.ID); ok {
				w.answer(&q, &a)
			}
		}
	}
	return w.blocks
}

type imageWriter struct {
	seen   map[string]bool
	blocks []Block
}

func (w *imageWriter) answer(q *ResultQuestion, a *Answer) {
	w.images(q, "custom answer", a.CustomImages)
	w.images(q, "question note", a.NoteImages)
	for value, images := range a.OptionNoteImages.All() {
		name, _ := a.optionLabel(value)
		w.images(q, "option note for "+name, images)
	}
}

func (w *imageWriter) images(q *ResultQuestion, place string, images []Image) {
	for _, image := range images {
		if w.seen[image.ID] {
			continue
		}
		w.seen[image.ID] = true
		w.blocks = append(w.blocks,
			TextBlock(fmt.Sprintf("Image for [%s] %s — %s:", q.ID, q.Prompt, place)),
			Block{Type: "image", Data: image.Data, MimeType: image.MimeType})
	}
}

// optionLabel gives the label of a selected option; of another one the result knows the value alone.
func (a *Answer) optionLabel(value string) (label string, selected bool) {
	for i := range a.Indices {
		if i < len(a.Values) && i < len(a.Labels) && a.Values[i] == value {
			return a.Labels[i], true
		}
	}
	return value, false
}

// imageMarker stands for images in texts; empty without any.
func imageMarker(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "[1 image]"
	}
	return fmt.Sprintf("[%d images]", n)
}

// withMarker puts the marker behind text, alone when there is no text.
func withMarker(text string, images int) string {
	marker := imageMarker(images)
	if text != "" && marker != "" {
		text += " "
	}
	return text + marker
}
