package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"askd/broker"
	"askd/broker/ask"
)

func (a *app) showVerb() *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show a whole form: questions, what is filled in, how it ended",
		Long: `Show a whole form: its questions and options, the draft of its answers, and how it
ended when it has. ID is a request id as askctl queue lists it, or its beginning or end,
at least six characters, also of a form that has ended: askctl history lists those.

--json prints what askd answered: request, draft, outcome. Without a running askd its
data file is read directly.`,
		Example: `askctl show 2b7e0a11
askctl show 2b7e0a11 --json`,
		Args:              a.oneID,
		ValidArgsFunction: a.completeRequests,
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := a.reach(cmd.Context())
			if err != nil {
				return err
			}
			defer l.close()
			f, err := l.form(cmd.Context(), args[0], session)
			if err != nil {
				return err
			}
			if a.json {
				return a.out.writeJSON(f.raw)
			}
			a.drawForm(f)
			return nil
		},
	}
	a.sessionFlag(cmd, &session)
	a.jsonFlag(cmd)
	return cmd
}

// oneID wants exactly one request id.
func (a *app) oneID(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef(cmd, "name one form by its request id, `askctl queue` lists them")
	}
	return nil
}

// sessionFlag lets a person say which session's form an id means.
func (a *app) sessionFlag(cmd *cobra.Command, session *string) {
	cmd.Flags().StringVar(session, "session", "", "the form is one of this session: its `ID`, the beginning or end of it, or its name")
	a.completeFlag(cmd, "session", a.completeSessions)
}

// drawForm prints a form for a person.
func (a *app) drawForm(f *form) {
	a.drawHead(f)
	for i := range f.Request.Questions {
		a.out.printf("\n")
		a.drawQuestion(&f.Request.Questions[i], i+1)
	}
	a.drawDraft(f)
	a.drawOutcome(f.Outcome)
}

func (a *app) drawHead(f *form) {
	r := f.Request
	a.out.printf("%s\n", a.out.paint(bold, a.out.line(formTitle(r))))
	rows := [][2]string{
		{"request", r.ID},
		{"session", askerName(r)},
		{"asked", strings.TrimSpace(stamp(r.CreatedAt) + ", " + age(a.now().Sub(r.CreatedAt)) + " ago " + a.askerPlace(r))},
		{"status", statusWords(f)},
	}
	for _, row := range append(rows, a.promptRows(f)...) {
		a.out.printf("%s  %s\n", a.out.paint(dim, fmt.Sprintf("%-7s", row[0])), a.out.line(row[1]))
	}
}

func stamp(t time.Time) string { return t.Local().Format(time.DateTime) }

func askerName(r *ask.Request) string {
	if r.Asker.SessionName == "" || r.Asker.SessionName == r.Session {
		return r.Session
	}
	return r.Asker.SessionName + " (" + r.Session + ")"
}

func (a *app) askerPlace(r *ask.Request) string {
	var words []string
	for _, part := range [][2]string{{"by", r.Asker.Agent}, {"in", r.Asker.Cwd}, {"on", machine(r.Asker.Host, a.askdHost)}} {
		if part[1] != "" {
			words = append(words, part[0]+" "+part[1])
		}
	}
	return strings.Join(words, " ")
}

func statusWords(f *form) string {
	switch {
	case f.Outcome != nil:
		return endWords(f.Outcome.Kind)
	case f.summary == nil:
		return "waiting"
	}
	words := string(f.summary.Status) + ": " + marks[markOf(f.summary)].words
	if !f.summary.AskerOnline && (f.summary.Status == broker.Deferred || f.summary.Status == broker.Parked) {
		words += ", its asker is away"
	}
	return words
}

// expects says in words how many answers a question takes.
var expects = map[ask.Type]string{ask.Single: "one answer", ask.Multi: "several answers possible"}

func (a *app) drawQuestion(q *ask.Question, number int) {
	a.out.printf("%d. %s %s %s\n", number, a.out.paint(bold, a.out.line(q.Label)), a.out.paint(dim, "["+a.out.line(q.ID)+"]"), a.out.paint(dim, expects[q.Type]))
	a.indented("   ", plain, q.Prompt)
	if q.Context != "" {
		a.indented("   | ", dim, q.Context)
	}
	for i := range q.Options {
		a.drawOption(&q.Options[i], i+1)
	}
}

func (a *app) drawOption(o *ask.Option, number int) {
	text := fmt.Sprintf("   %2d) %s", number, a.out.line(o.Label))
	if o.Value != o.Label {
		text += " " + a.out.paint(dim, "["+a.out.line(o.Value)+"]")
	}
	if o.IsRecommended() {
		text += " " + a.out.paint(green, "(recommended)")
	}
	a.out.printf("%s\n", text)
	if o.Description != "" {
		a.indented("       ", dim, o.Description)
	}
	if o.Preview != "" {
		a.indented("       | ", dim, strings.Trim(o.Preview, "\n"))
	}
}

// indented prints text from an agent or a person, each of its lines behind an indent.
func (a *app) indented(indent string, s style, text string) {
	for line := range strings.SplitSeq(a.out.text(text), "\n") {
		a.out.printf("%s\n", strings.TrimRight(indent+a.out.paint(s, line), " "))
	}
}

// drawDraft prints what the person has filled in so far.
func (a *app) drawDraft(f *form) {
	d := f.Draft
	if d == nil || f.Outcome != nil && f.Outcome.Kind.Submitted() {
		return
	}
	a.out.printf("\nDraft so far, saved %s\n", stamp(d.SavedAt))
	a.drawLines("  ", ask.TranscriptLines(ask.BuildResult(f.Request, draftResponse(f.Request, d), false)))
	for i := range d.Questions {
		for _, text := range notChosen(f.Request, &d.Questions[i]) {
			a.indented("  ", dim, text)
		}
	}
	if d.Editor != nil {
		a.indented("  ", dim, d.Editor.Question+", still being typed: "+d.Editor.Text)
	}
}

// notChosen says what stands in a draft beside the answer.
func notChosen(r *ask.Request, d *ask.QuestionDraft) []string {
	switch {
	case isPrompt(r):
		return unconfirmed(d)
	case d.CustomText != "" && !d.CustomSelected:
		return []string{d.ID + ", typed and not chosen: " + d.CustomText}
	}
	return nil
}

// drawOutcome prints how a form ended and what was answered.
func (a *app) drawOutcome(o *ask.Outcome) {
	if o == nil {
		return
	}
	a.out.printf("\n%s\n", a.out.paint(bold, a.out.line(endedHow(o))))
	a.drawLines("  ", outcomeLines(o))
}

func outcomeLines(o *ask.Outcome) []ask.Line {
	switch {
	case o.Result == nil && o.Error == "":
		return nil
	case o.Result == nil:
		return ask.ErrorLines(o.Error)
	case o.Kind == ask.Cancelled:
		kept := *o.Result
		kept.Cancelled = false // what had been filled in is worth reading
		if kept.Answers.Len() == 0 {
			return nil
		}
		return ask.TranscriptLines(&kept)
	case !o.Kind.Submitted():
		return nil
	}
	return ask.TranscriptLines(o.Result)
}

// ways word by which way an outcome came.
var ways = map[ask.Via]string{
	ask.ViaPane: "in the pane", ask.ViaAskctl: "with askctl", ask.ViaRemote: "over the socket", ask.ViaExternal: "in another program",
	ask.ViaDialog: "in the agent's own dialog", ask.ViaAskd: "by askd",
}

// endedHow says in one line how, by which way and when a form ended.
func endedHow(o *ask.Outcome) string {
	return fmt.Sprintf("%s (%s, %s)", capital(endWords(o.Kind)), viaWords(o), stamp(o.StoredAt))
}

func viaWords(o *ask.Outcome) string {
	words, ok := ways[o.Via]
	if !ok {
		words = "by way of " + string(o.Via)
	}
	if o.Via == ask.ViaRemote && o.Client != "" {
		words += " by " + o.Client
	}
	return words
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// spanStyles say how the styles of transcripts look on a terminal.
var spanStyles = map[string]style{
	"muted": dim, "dim": dim, "accent": cyan, "success": green, "warning": yellow, "error": red, "bold": bold,
}

func (a *app) drawLines(indent string, lines []ask.Line) {
	for _, l := range lines {
		var b strings.Builder
		for _, s := range l.Spans {
			b.WriteString(a.out.paint(spanStyles[s.Style], a.out.line(s.Text)))
		}
		a.out.printf("%s%s\n", indent, b.String())
	}
}
