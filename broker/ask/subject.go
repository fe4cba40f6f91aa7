package ask

import (
	"fmt"
	"strings"
)

// SubjectRunes is the most that Subject gives.
const SubjectRunes = 200

// Subject says what the form is about, for lists: the labels of its questions; where they only number the questions, as
// they do when nobody gave any, the title, else the first question. It is the asker's text as it came, cut at SubjectRunes.
func (r *Request) Subject() string { return r.SubjectWith(" · ") }

// SubjectWith is Subject with other words between the labels: a pane for screen readers has no dots.
func (r *Request) SubjectWith(joint string) string {
	labels := make([]string, len(r.Questions))
	numbered := true
	for i := range r.Questions {
		labels[i] = r.Questions[i].Label
		numbered = numbered && labels[i] == fmt.Sprintf("Q%d", i+1)
	}
	switch {
	case numbered && r.Title != "":
		return firstRunes(r.Title, SubjectRunes)
	case numbered && len(r.Questions) > 0:
		return firstRunes(r.Questions[0].Prompt, SubjectRunes)
	}
	return firstRunes(strings.Join(labels, joint), SubjectRunes)
}

// firstRunes cuts a text after so many runes, the ellipsis included.
func firstRunes(s string, most int) string {
	at, n := 0, 0
	for i := range s {
		if n++; n == most {
			at = i
		}
		if n > most {
			return s[:at] + "…"
		}
	}
	return s
}
