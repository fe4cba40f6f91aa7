package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"
	"unicode/utf8"

	"askd/broker"
	"askd/config"
)

// statusLine is what a template of status --format can say. Text of agents in it is cleaned and on one line. The zero value
// is an askd that does not run.
type statusLine struct {
	Running  bool   `json:"running"`
	Pending  int    `json:"pending"`  // all that have no answer yet
	Waiting  int    `json:"waiting"`  // those of them that are not deferred
	Deferred int    `json:"deferred"` // those that are
	Blocked  int    `json:"blocked"`  // those whose agent stands still
	Session  string `json:"session"`  // who asks what is shown next; empty when nothing waits, as the next two
	Title    string `json:"title"`    // what it is called
	Age      string `json:"age"`      // since it was asked, such as 5m
}

// lineFields names the fields in the words of the help.
const lineFields = ".Running .Pending .Waiting .Deferred .Blocked .Session .Title .Age"

// lineFormats are the templates that have a name.
var lineFormats = map[string]string{
	"json": `{{json .}}`,
	"tmux": `{{if .Blocked}}● {{.Blocked}}{{end}}{{if and .Blocked (gt .Waiting .Blocked)}} {{end}}` +
		`{{if gt .Waiting .Blocked}}○ {{sub .Waiting .Blocked}}{{end}}{{if .Waiting}} {{printf "%s: %s" .Session .Title | cut 40 | tmux}}{{end}}` +
		`{{if .Deferred}}{{if .Waiting}} {{end}}⏸ {{.Deferred}}{{end}}`,
	"prompt": `{{if .Waiting}}{{if .Blocked}}●{{else}}○{{end}}{{.Waiting}}{{end}}`,
}

// Whatever a format may act on is replaced by its full-width twin: what escapes it in one place, as ## in tmux or %% in zsh,
// is text in another, and a title may be expanded more than once.
var (
	forTmux   = strings.NewReplacer("#", "＃")
	forPrompt = strings.NewReplacer("%", "％", `\`, "＼", "$", "＄", "`", "｀", "!", "！")
)

var lineFuncs = template.FuncMap{
	"tmux":   forTmux.Replace,
	"prompt": forPrompt.Replace,
	"sub":    func(a, b int) int { return a - b },
	"cut":    cutTo,
	"json": func(v any) (string, error) {
		raw, err := json.Marshal(v)
		return escapeControls(string(raw)), err
	},
}

// cutTo keeps the first most characters and marks what is missing.
func cutTo(most int, s string) string {
	if most < 1 || utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// statusFormat prints the queue as a line for a status bar or a prompt. No askd, or one that does not answer at once, is no
// error: fallback stands in its place.
func (a *app) statusFormat(ctx context.Context, format, fallback string) error {
	text, named := lineFormats[format]
	if !named {
		text = format
	}
	t, err := template.New("format").Funcs(lineFuncs).Parse(text)
	if err == nil {
		err = t.Execute(&strings.Builder{}, statusLine{}) // also where no askd runs
	}
	if err != nil {
		return &exitError{exitUsage, "--format: " + strings.TrimPrefix(err.Error(), "template: ") + ": the fields are " + lineFields + ", the ready-made formats json, prompt and tmux", err}
	}
	line, err := a.statusNow(ctx)
	if err != nil && (format != "json" || fallback != "") {
		return a.endLine(fallback)
	}
	var b strings.Builder
	if err := t.Execute(&b, line); err != nil {
		return &exitError{exitUsage, "--format: " + err.Error() + ": the fields are " + lineFields, err}
	}
	return a.endLine(b.String())
}

// endLine prints a line, nothing for an empty one.
func (a *app) endLine(s string) error {
	if s == "" {
		return nil
	}
	_, err := fmt.Fprintln(a.out, s)
	return err
}

// statusNow asks askd what waits, with the patience of a prompt.
func (a *app) statusNow(ctx context.Context) (statusLine, error) {
	ctx, cancel := context.WithTimeout(ctx, config.StatusLineTimeout)
	defer cancel()
	l, err := a.dialled(ctx)
	if err != nil {
		return statusLine{}, err
	}
	defer l.close()
	var result struct {
		Requests []broker.RequestSummary `json:"requests"`
	}
	if err := l.ask(ctx, "queue.list", struct{}{}, &result); err != nil {
		return statusLine{}, err
	}
	if ctx.Err() != nil {
		return statusLine{}, errors.New("too late")
	}
	return a.lineOf(asInInbox(result.Requests)), nil
}

func (a *app) lineOf(requests []broker.RequestSummary) statusLine {
	line := statusLine{Running: true, Pending: len(requests)}
	for i := range requests {
		r := &requests[i]
		if r.Status == broker.Deferred {
			line.Deferred++
			continue
		}
		if line.Waiting++; line.Waiting == 1 {
			line.Session, line.Title = a.out.line(sessionName(r)), a.out.line(formName(r))
			line.Age = age(a.now().Sub(r.CreatedAt))
		}
		if r.StandsStill {
			line.Blocked++
		}
	}
	return line
}
