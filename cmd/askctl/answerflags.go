package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"askd/broker/ask"
)

// answerFlags collects the answers on a command line, where the order of flags counts: each says something of the
// question that was named last. The zero value holds none.
type answerFlags struct {
	groups []*answerGroup
	skips  []string
}

// answerGroup is the answer to one question.
type answerGroup struct {
	question string // empty before the first --question: the only question of the form
	written
	text, note bool // --text and --note have come
}

// groupFlag is one flag of a group, for the parser of the command line.
type groupFlag struct {
	kind string
	set  func(value string) error
}

func (f *groupFlag) String() string     { return "" }
func (f *groupFlag) Set(v string) error { return f.set(v) }
func (f *groupFlag) Type() string       { return f.kind }

func (f *answerFlags) add(flags *pflag.FlagSet) {
	for _, row := range []struct {
		name, kind, usage string
		set               func(string) error
	}{
		{"question", "QID", "the flags after this one answer the question with this id", f.setQuestion},
		{"value", "VALUE", "choose the option with this value; again for several", f.setValue},
		{"text", "TEXT", "answer in words of your own", f.setText},
		{"note", "TEXT", "a note on the question", f.setNote},
		{"option-note", "VALUE=TEXT", "a note on an option", f.setOptionNote},
		{"skip", "QID", "skip this question on purpose; again for several", f.setSkip},
	} {
		flags.Var(&groupFlag{row.kind, row.set}, row.name, row.usage)
	}
}

// last is the group that the next flag belongs to.
func (f *answerFlags) last() *answerGroup {
	if len(f.groups) == 0 {
		f.groups = append(f.groups, &answerGroup{})
	}
	return f.groups[len(f.groups)-1]
}

func (f *answerFlags) setQuestion(id string) error {
	switch {
	case id == "":
		return errors.New("a question has an id")
	case slices.ContainsFunc(f.groups, func(g *answerGroup) bool { return g.question == id }):
		return fmt.Errorf("question %s is answered twice", id)
	}
	f.groups = append(f.groups, &answerGroup{question: id})
	return nil
}

func (f *answerFlags) setValue(value string) error {
	g := f.last()
	g.Values = append(g.Values, value)
	return nil
}

func (f *answerFlags) setText(text string) error {
	g := f.last()
	if g.text {
		return errors.New("one question takes one text")
	}
	g.text, g.CustomText = true, text
	return nil
}

func (f *answerFlags) setNote(note string) error {
	g := f.last()
	if g.note {
		return errors.New("one question takes one note")
	}
	g.note, g.Note = true, note
	return nil
}

func (f *answerFlags) setOptionNote(s string) error {
	value, note, ok := strings.Cut(s, "=")
	if !ok || value == "" {
		return errors.New("write it as VALUE=TEXT")
	}
	f.last().OptionNotes.Set(value, note)
	return nil
}

func (f *answerFlags) setSkip(id string) error {
	f.skips = append(f.skips, id)
	return nil
}

// none reports whether the command line answers nothing.
func (f *answerFlags) none() bool { return len(f.groups) == 0 && len(f.skips) == 0 }

// check finds what is wrong whatever the form is.
func (f *answerFlags) check() error {
	for _, g := range f.groups {
		switch {
		case g.empty():
			return fmt.Errorf("nothing is said about question %s: put --value, --text or --note after it, or use --skip %s", g.question, g.question)
		case g.question == "" && len(f.groups) > 1:
			return errors.New("the first answer belongs to no question: put --question before it")
		}
	}
	return nil
}

func (g *answerGroup) empty() bool {
	return len(g.Values) == 0 && !g.text && !g.note && g.OptionNotes.Len() == 0
}

// response makes the response of the flags. The values are checked by askd itself.
func (f *answerFlags) response(r *ask.Request) (response, error) {
	out := response{Kind: ask.RemoteAnswer, Skipped: f.skips}
	for _, g := range f.groups {
		id := g.question
		if id == "" {
			if len(r.Questions) != 1 {
				return out, fmt.Errorf("this form has %d questions, name each with --question: %s", len(r.Questions), questionIDs(r))
			}
			id = r.Questions[0].ID
		}
		if isPrompt(r) && (g.note || g.OptionNotes.Len() > 0) {
			return out, fmt.Errorf("%s has no notes: say it with --text, which is an answer of its own", r.Tool)
		}
		w := g.written
		if isPrompt(r) {
			w.CustomText = ask.Trim(w.CustomText) // as the prompt itself takes it
		}
		out.Answers.Set(id, w)
	}
	return out, nil
}

func questionIDs(r *ask.Request) string {
	ids := make([]string, len(r.Questions))
	for i := range r.Questions {
		ids[i] = r.Questions[i].ID
	}
	return strings.Join(ids, ", ")
}
