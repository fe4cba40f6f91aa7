package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"askd/broker/ask"
)

// dialog goes through a form line by line, for any terminal and any screen reader.
type dialog struct {
	a       *app
	request *ask.Request
	choices []ask.Choice
	at      int // the question that is asked; len(questions) is the review
	sent    bool
}

// dialog asks the person and gives the response that they agreed to send. Leaving it in any way is errNothingSent.
func (a *app) dialog(ctx context.Context, f *form) (response, error) {
	d := newDialog(a, f)
	a.drawHead(f)
	a.out.printf("\nType ? for help. Nothing is sent before you say so at the end.\n")
	for !d.sent {
		step := d.question
		if d.at == len(d.request.Questions) {
			step = d.review
		}
		if err := step(ctx); err != nil {
			return response{}, err
		}
	}
	return responseOf(d.request, d.choices), nil
}

// newDialog begins with what the form's draft holds, as far as it can be sent from here.
func newDialog(a *app, f *form) *dialog {
	draft := f.Draft
	if draft == nil {
		draft = &ask.Draft{}
	}
	d := &dialog{a: a, request: f.Request, choices: draftResponse(f.Request, draft).Choices}
	images := false
	for i := range d.choices {
		c, q := &d.choices[i], &f.Request.Questions[i]
		images = images || len(c.CustomImages)+len(c.NoteImages) > 0
		for _, more := range c.OptionNoteImages {
			images = images || len(more) > 0
		}
		c.Type, c.CustomImages, c.NoteImages, c.OptionNoteImages = q.Type, nil, nil, nil
		if q.Type != ask.Multi && (len(c.Selected) > 1 || len(c.Selected) == 1 && c.CustomText != "") {
			c.Selected, c.CustomText = nil, ""
		}
	}
	if images {
		a.out.printf("The draft has images, which are not sent from here: answer in the pane to keep them.\n")
	}
	return d
}

// question shows the question at hand and does what the person types.
func (d *dialog) question(ctx context.Context) error {
	at := d.at
	q := &d.request.Questions[at]
	d.a.out.printf("\nQuestion %d of %d\n", at+1, len(d.request.Questions))
	d.a.drawQuestion(q, at+1)
	d.a.out.printf("   %2d) %s\n", len(q.Options)+1, ownWords(d.request))
	d.current()
	for d.at == at && !d.sent {
		d.a.out.printf("%s: ", numbersWanted(q))
		line, err := d.a.line(ctx)
		if err != nil {
			return err
		}
		if err := d.obey(ctx, line); err != nil {
			return err
		}
	}
	return nil
}

func numbersWanted(q *ask.Question) string {
	if q.Type == ask.Multi {
		return "Numbers"
	}
	return "Number"
}

// current says what is chosen so far.
func (d *dialog) current() {
	c := &d.choices[d.at]
	if !c.Skipped && len(c.Selected) == 0 && c.CustomText == "" && c.Note == "" {
		return
	}
	d.a.out.printf("So far, Enter keeps it:\n")
	one := *d.request
	one.Questions = d.request.Questions[d.at : d.at+1]
	d.a.drawLines("  ", ask.TranscriptLines(ask.BuildResult(&one, ask.Response{Choices: []ask.Choice{*c}}, false)))
}

// dialogWords are what can be typed instead of numbers. Each gets what stands behind the word.
var dialogWords = map[string]func(d *dialog, ctx context.Context, rest string) error{
	"":  func(d *dialog, _ context.Context, _ string) error { d.at++; return nil },
	"b": (*dialog).back,
	"s": (*dialog).skip,
	"c": (*dialog).clear,
	"n": (*dialog).note,
	"?": (*dialog).help,
	"q": func(*dialog, context.Context, string) error { return errNothingSent },
}

func (d *dialog) obey(ctx context.Context, line string) error {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	word = strings.ToLower(word)
	if f, ok := dialogWords[word]; ok && !(word == "n" && isPrompt(d.request)) {
		return f(d, ctx, strings.TrimSpace(rest))
	}
	return d.choose(ctx, line)
}

func (d *dialog) back(context.Context, string) error {
	if d.at == 0 {
		d.a.out.printf("This is the first question.\n")
		return nil
	}
	d.at--
	return nil
}

// skip passes a question over. A prompt knows no skips: its agent hears only of what was answered.
func (d *dialog) skip(context.Context, string) error {
	d.choices[d.at] = ask.Choice{Type: d.choices[d.at].Type, Skipped: !isPrompt(d.request)}
	if isPrompt(d.request) {
		d.a.out.printf("Left without an answer.\n")
	} else {
		d.a.out.printf("Skipped.\n")
	}
	d.at++
	return nil
}

func (d *dialog) clear(context.Context, string) error {
	d.choices[d.at] = ask.Choice{Type: d.choices[d.at].Type}
	d.a.out.printf("Cleared.\n")
	return nil
}

func (d *dialog) help(context.Context, string) error {
	q := &d.request.Questions[d.at]
	several := ""
	if q.Type == ask.Multi {
		several = ", or several with commas between them"
	}
	notes := "n      a note on the question           n 2  a note on option 2\n"
	if isPrompt(d.request) {
		notes = ""
	}
	d.a.out.printf(`Type the number of an option%s; %d is an answer in your own words.
Enter  go on, keeping what is chosen    s  skip the question on purpose
%sc      clear the answer                 b  back to the question before
q      leave, sending nothing (so does Ctrl+C)
`, several, len(q.Options)+1, notes)
	return nil
}

// note writes a note on the question, or on the option whose number stands behind the word.
func (d *dialog) note(ctx context.Context, rest string) error {
	q, c := &d.request.Questions[d.at], &d.choices[d.at]
	option := -1
	if rest != "" {
		n, err := strconv.Atoi(rest)
		if err != nil || n < 1 || n > len(q.Options) {
			d.a.out.printf("There is no option %s to note something on: n alone is a note on the question.\n", d.a.out.line(rest))
			return nil
		}
		option = n - 1
	}
	d.a.out.printf("Note: ")
	text, err := d.a.line(ctx)
	if err != nil {
		return err
	}
	c.Skipped = false
	if text = ask.Trim(text); option < 0 {
		c.Note = text
		return nil
	}
	if c.OptionNotes == nil {
		c.OptionNotes = map[int]string{}
	}
	c.OptionNotes[option] = text
	return nil
}

// choose takes the numbers of options. The number after the last is an answer in words.
func (d *dialog) choose(ctx context.Context, line string) error {
	q, c := &d.request.Questions[d.at], &d.choices[d.at]
	numbers, err := parseNumbers(line, len(q.Options)+1, q.Type)
	if err != nil {
		d.a.out.printf("%s\n", d.a.out.line(err.Error()))
		return nil
	}
	text := ""
	if slices.Contains(numbers, len(q.Options)) {
		numbers = slices.DeleteFunc(numbers, func(n int) bool { return n == len(q.Options) })
		d.a.out.printf("Your answer: ")
		if text, err = d.a.line(ctx); err != nil {
			return err
		}
		if text = ask.Trim(text); text == "" {
			d.a.out.printf("Nothing typed, nothing changed.\n")
			return nil
		}
	}
	c.Selected, c.CustomText, c.Skipped = numbers, text, false
	d.a.out.printf("Chosen: %s\n", d.a.out.line(chosen(q, c)))
	d.at++
	return nil
}

func chosen(q *ask.Question, c *ask.Choice) string {
	var labels []string
	for _, i := range c.Selected {
		labels = append(labels, q.Options[i].Label)
	}
	if c.CustomText != "" {
		labels = append(labels, c.CustomText)
	}
	return strings.Join(labels, ", ")
}

// parseNumbers reads option numbers from 1 to most and gives them counted from 0, ascending, each once.
func parseNumbers(line string, most int, t ask.Type) ([]int, error) {
	var out []int
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > most {
			return nil, fmt.Errorf("%q is no number from 1 to %d, and no command: type ? for help", word, most)
		}
		out = append(out, n-1)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	switch {
	case len(out) == 0:
		return nil, fmt.Errorf("type a number from 1 to %d, or ? for help", most)
	case len(out) > 1 && t != ask.Multi:
		return nil, fmt.Errorf("this question takes one answer: type one number")
	}
	return out, nil
}

// review shows what would be sent and asks.
func (d *dialog) review(ctx context.Context) error {
	d.a.out.printf("\nYour answers:\n")
	d.a.drawLines("  ", ask.TranscriptLines(ask.BuildResult(d.request, ask.Response{Choices: d.choices}, false)))
	for {
		d.a.out.printf("Send them? y sends, b goes back, a number goes to that question, q leaves: ")
		line, err := d.a.line(ctx)
		if err != nil {
			return err
		}
		n, notNumber := strconv.Atoi(strings.TrimSpace(line))
		switch word := strings.ToLower(strings.TrimSpace(line)); {
		case agrees(line):
			d.sent = true
		case word == "b":
			d.at--
		case word == "q" || word == "n" || word == "no":
			return errNothingSent
		case notNumber == nil && n >= 1 && n <= len(d.request.Questions):
			d.at = n - 1
		default:
			d.a.out.printf("%q is none of these.\n", d.a.out.line(line))
			continue
		}
		return nil
	}
}
