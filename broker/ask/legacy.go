package ask

import "strings"

// part is one piece of a question's context. Older versions had a preview an option; those become parts with the option's
// label as their heading.
type part struct {
	heading string
	text    string // the text, or the path of the file that holds it
	file    bool   // always a path
	literal bool   // never a path, whatever it looks like
}

// convertLegacy makes the context of what the call holds (contract, "Input rules"): type preview is single, option previews
// and absolute preview files become the question's context, and the option fields go. Several previews stand one after the
// other under their options' labels, after a context that was there already; a single one stands alone. A relative preview
// file is dropped with its field: the contract knows absolute paths only, and a form has no folder to resolve it against.
func (q *rawQuestion) convertLegacy(context string) {
	if q.hasKind && q.kind == "preview" {
		q.kind = string(Single)
		q.fields.set("type", quote(q.kind))
	}
	var parts []part
	for i := range q.options {
		if p, ok := q.options[i].takePreview(); ok {
			parts = append(parts, p)
		}
	}
	q.contextGiven = len(parts) == 0
	if !Blank(context) {
		parts = append([]part{{text: context}}, parts...)
	}
	if len(parts) == 1 {
		parts[0].heading = ""
	}
	q.context = parts
}

// takePreview removes the preview fields and gives what they held.
func (o *rawOption) takePreview() (part, bool) {
	preview, file := previewText(o.fields.get("preview")), Trim(previewText(o.fields.get("previewFile")))
	o.fields.drop("preview")
	o.fields.drop("previewFile")
	heading := Trim(o.label)
	switch {
	case !Blank(preview):
		return part{heading: heading, text: preview, literal: true}, true
	case strings.HasPrefix(file, "/"):
		return part{heading: heading, text: file, file: true}, true
	}
	return part{}, false
}

func previewText(raw []byte) string {
	if !isString(raw) {
		return ""
	}
	return decodeString(raw)
}

// joinContext makes one text of the parts, all of them loaded.
func joinContext(parts []part) string {
	if len(parts) == 1 {
		return parts[0].text
	}
	sections := make([]string, len(parts))
	for i, p := range parts {
		sections[i] = Trim(p.text)
		if p.heading != "" {
			sections[i] = "## " + p.heading + "\n\n" + sections[i]
		}
	}
	return strings.Join(sections, "\n\n")
}
