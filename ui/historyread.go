package ui

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"askd/broker/ask"
)

// outcomeVerbs say how a request ended.
var outcomeVerbs = map[ask.OutcomeKind]string{
	ask.Answered: "Answered", ask.Skipped: "Skipped", ask.Empty: "Submitted without an answer", ask.Cancelled: "Cancelled",
	ask.TimedOut: "Timed out", ask.Interrupted: "Interrupted", ask.Withdrawn: "Taken back", ask.Failed: "Could not be shown",
	ask.NoUI: "Nobody could be asked",
}

// viaWords say by which way an outcome came.
var viaWords = map[ask.Via]string{
	ask.ViaPane: "in askd's pane", ask.ViaAskctl: "with askctl", ask.ViaRemote: "by a remote program",
	ask.ViaExternal: "in another program's form", ask.ViaDialog: "in a dialog of the agent's program", ask.ViaAskd: "", // nobody did it
}

// endings say what a question without a submitted form came to, in short.
var endings = map[ask.OutcomeKind]string{
	ask.TimedOut: "timed out, not answered", ask.Interrupted: "interrupted, not answered", ask.Withdrawn: "taken back by the agent",
	ask.Failed: "could not be shown", ask.NoUI: "nobody could be asked",
}

// askerName is the asking session's name as it was then, else its folder's.
func askerName(r *ask.Request) string {
	switch {
	case r.Asker.SessionName != "":
		return r.Asker.SessionName
	case r.Asker.Cwd != "":
		return filepath.Base(r.Asker.Cwd)
	}
	return r.Session
}

// inShort is what became of one question and its note, for a line of a list.
func inShort(rec *ask.Record, h *ask.HistoryRecord) (says, note string) {
	switch h.Status {
	case ask.StatusWaiting:
		return "waits for an answer", ""
	case ask.StatusAnswered:
		return answerInShort(h.Answer), noteInShort(h.Answer)
	case ask.StatusSkipped:
		return "no answer", noteInShort(h.Answer)
	case ask.StatusCancelled:
		if rec.Outcome.Kind == ask.NoUI {
			return endings[ask.NoUI], ""
		}
		return "cancelled", ""
	}
	if says = endings[rec.Outcome.Kind]; says != "" {
		return says, ""
	}
	return h.Error, ""
}

func answerInShort(a *ask.Answer) string {
	said := strings.Join(a.Labels, ", ")
	if n := len(a.CustomImages); n > 0 {
		said = withImages(said, n)
	}
	return said
}

func noteInShort(a *ask.Answer) string {
	switch {
	case a == nil:
		return ""
	case a.Note != "":
		return "note: " + a.Note
	case a.OptionNotes.Len() > 0 || len(a.NoteImages) > 0 || a.OptionNoteImages.Len() > 0:
		return "with notes"
	}
	return ""
}

// newPastReader shows one past question whole.
func newPastReader(rec *ask.Record, question string, back overlay, look *look) *reader {
	joint := look.say(" · ")
	i := max(0, slices.IndexFunc(rec.Request.Questions, func(q ask.Question) bool { return q.ID == question }))
	title := "History"
	if rec.Request.Title != "" {
		title += joint + rec.Request.Title
	}
	if n := len(rec.Request.Questions); n > 1 {
		title += joint + fmt.Sprintf("question %d of %d", i+1, n)
	}
	return &reader{title: title, back: back, text: func(p *Pane, columns int) []line {
		w := pastWriter{p: p, rec: rec, columns: columns}
		w.question(i)
		return w.out
	}}
}

// pastWriter writes a past question as lines.
type pastWriter struct {
	p       *Pane
	rec     *ask.Record
	columns int
	out     []line
}

func (w *pastWriter) question(i int) {
	records := w.rec.History()
	if i >= len(records) {
		return
	}
	h := &records[i]
	w.add("", h.Question.Label, roleTitle)
	w.add("", h.Question.Prompt, rolePlain)
	w.gap()
	w.answer(h)
	w.draft(h)
	w.gap()
	w.ways()
	w.options(h)
	if h.Question.Context != "" {
		w.heading("Context")
		w.add("", h.Question.Context, rolePlain)
	}
}

func (w *pastWriter) gap() { w.out = append(w.out, nil) }

func (w *pastWriter) heading(s string) { w.out = append(w.out, nil, text(s, roleTitle), nil) }

// add writes supplied text under a head, the following lines hanging below its beginning.
func (w *pastWriter) add(head, what string, r role) {
	for i, part := range w.p.wraps.wrap(what, max(1, w.columns-width(head))) {
		if i > 0 {
			head = pad("", width(head))
		}
		w.out = append(w.out, line{{text: head, role: r}, {text: part, role: r}})
	}
}

// answer is what the person said, or why there is no answer.
func (w *pastWriter) answer(h *ask.HistoryRecord) {
	a := h.Answer
	if h.Status != ask.StatusAnswered {
		says, _ := inShort(w.rec, &ask.HistoryRecord{Status: h.Status, Error: h.Error})
		w.add(w.p.look.say("→ "), says, roleWarning)
	}
	if a == nil {
		return
	}
	if h.Status == ask.StatusCancelled && a.Committed() {
		w.add("", "What had been chosen when it was cancelled:", roleMuted)
	}
	for i, label := range a.Labels {
		if i < len(a.Indices) || len(a.CustomImages) == 0 {
			w.add(w.p.look.say("→ "), label, roleSuccess)
		}
	}
	if n := len(a.CustomImages); n > 0 {
		w.add(w.p.look.say("→ "), withImages(a.CustomText, n), roleSuccess)
	}
	w.note("Note: ", a.Note, len(a.NoteImages))
}

func (w *pastWriter) note(head, note string, images int) {
	if note != "" || images > 0 {
		w.add("  "+head, withImages(note, images), roleTyped)
	}
}

// draft is what was entered and never submitted.
func (w *pastWriter) draft(h *ask.HistoryRecord) {
	if w.rec.Draft == nil || w.rec.Outcome != nil && w.rec.Outcome.Kind.Submitted() {
		return
	}
	for _, d := range w.rec.Draft.Questions {
		if d.ID == h.QuestionID {
			w.drafted(&h.Question, &d)
		}
	}
	if e := w.rec.Draft.Editor; e != nil && e.Question == h.QuestionID && e.Text != "" {
		w.heading("Being written")
		w.add("  ", e.Text, roleTyped)
	}
}

func (w *pastWriter) drafted(q *ask.Question, d *ask.QuestionDraft) {
	before := len(w.out)
	w.heading("Entered, not submitted")
	head := len(w.out)
	if w.rec.Request.Tool == ask.ToolQuestion {
		w.promptDrafted(q, d)
	} else {
		w.formDrafted(q, d)
	}
	if len(w.out) == head {
		w.out = w.out[:before]
	}
}

func (w *pastWriter) formDrafted(q *ask.Question, d *ask.QuestionDraft) {
	for _, o := range q.Options {
		if slices.Contains(d.Selected, o.Value) {
			w.add(w.p.look.say("→ "), o.Label, rolePlain)
		}
		w.note(shownLine(o.Label)+" note: ", d.OptionNotes[o.Value], len(d.OptionNoteImages[o.Value]))
	}
	if d.CustomText != "" || len(d.CustomImages) > 0 {
		w.add(w.p.look.say("→ "), withImages(d.CustomText, len(d.CustomImages)), rolePlain)
	}
	w.note("Note: ", d.Note, len(d.NoteImages))
	if d.Skipped {
		w.add(w.p.look.say("→ "), "skipped", rolePlain)
	}
}

// ways say who asked when, and when and by which way it ended, now and before.
func (w *pastWriter) ways() {
	r := w.rec.Request
	who := []string{askerName(r)}
	for _, s := range []string{r.Asker.Agent, r.Asker.GitBranch, r.Asker.Cwd, r.Tool} {
		if s != "" {
			who = append(who, s)
		}
	}
	if r.Asker.Host != "" && r.Asker.Host != w.p.host {
		who = append(who, "on "+r.Asker.Host)
	}
	asked := "Asked "
	if r.Background {
		asked = "Asked in the background "
	}
	w.add("", asked+w.time(r.CreatedAt)+" by "+strings.Join(who, w.p.look.say(" · ")), roleMuted)
	for _, o := range w.rec.Earlier {
		w.add("", "Before that, on another branch: "+w.ended(o), roleMuted)
	}
	if o := w.rec.Outcome; o != nil {
		w.add("", w.ended(o)+w.delivered(o), roleMuted)
	}
}

func (w *pastWriter) ended(o *ask.Outcome) string {
	at := o.StoredAt
	if o.AnsweredAt != nil {
		at = *o.AnsweredAt
	}
	via := viaWords[o.Via]
	if o.Client != "" && o.Via != ask.ViaPane {
		via += " (" + o.Client + ")"
	}
	out := strings.TrimSpace(outcomeVerbs[o.Kind] + " " + w.time(at) + " " + via)
	if o.Kind.Submitted() {
		out += ", " + took(at.Sub(w.rec.Request.CreatedAt)) + " after it was asked"
	}
	return out
}

// delivered says whether the agent has got what it was to get.
func (w *pastWriter) delivered(o *ask.Outcome) string {
	switch {
	case !o.Kind.Submitted() && o.Kind != ask.Cancelled:
		return "."
	case w.rec.Delivered:
		return ". The agent has it."
	}
	return ". Kept for the agent, which has not confirmed it yet."
}

// time is a moment by the pane's clock, with how long ago it was.
func (w *pastWriter) time(t time.Time) string {
	now := w.p.o.Now()
	return t.In(now.Location()).Format("2006-01-02 15:04") + " (" + ago(now.Sub(t)) + ")"
}

// options are all that could be chosen, and which were.
func (w *pastWriter) options(h *ask.HistoryRecord) {
	if len(h.Question.Options) == 0 {
		return
	}
	w.heading("Options")
	for i, o := range h.Question.Options {
		mark, r := "☐", rolePlain
		if h.Answer != nil && slices.Contains(h.Answer.Indices, i+1) {
			mark, r = "☒", roleSuccess
		}
		label := o.Label
		if o.IsRecommended() {
			label += " " + recommended
		}
		head := fmt.Sprintf("%s %d. ", w.p.look.say(mark), i+1)
		w.add(head, label, r)
		if o.Description != "" {
			w.add(pad("", width(head)), o.Description, roleMuted)
		}
		w.preview(o.Preview, width(head))
		if a := h.Answer; a != nil {
			note, _ := a.OptionNotes.Get(o.Value)
			images, _ := a.OptionNoteImages.Get(o.Value)
			w.note("  Note: ", note, len(images))
		}
	}
}
