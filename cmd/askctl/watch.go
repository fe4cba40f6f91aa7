package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"askd/broker/client"
)

// redrawEvery is how often the ages in a followed queue are brought up to date on a terminal.
const redrawEvery = time.Second

// watchQueue shows the queue whenever it changes, until ctx ends.
func (a *app) watchQueue(ctx context.Context, session string) error {
	l, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	id, err := l.anySession(ctx, session)
	switch {
	case err == nil:
		session = id
	case !errors.Is(err, errUnknownSession): // that one may still come
		return err
	}
	var now json.RawMessage
	if err := l.ask(ctx, "queue.watch", struct{}{}, &now); err != nil {
		return err
	}
	w := &watcher{a: a, session: session}
	tick := time.NewTicker(redrawEvery)
	defer tick.Stop()
	for {
		if err := w.show(now); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-l.Done():
			return hungUp(l.socket, client.ErrConnection)
		case now = <-l.news:
		case <-tick.C:
		}
	}
}

// watcher shows one state of the queue after the other, each once.
type watcher struct {
	a       *app
	session string // only the forms of this session, by its id or name; empty for all
	last    string // what was shown
}

func (w *watcher) show(raw json.RawMessage) error {
	requests, err := w.pick(raw)
	if err != nil {
		return err
	}
	a, o := w.a, w.a.out
	if !a.json && o.size != nil {
		return w.redraw(requests)
	}
	if string(requests) == w.last {
		return nil // only ages have changed
	}
	first := w.last == ""
	w.last = string(requests)
	if a.json {
		return o.writeJSONLine(requests)
	}
	if !first {
		o.printf("\n")
	}
	return a.showQueue(requests)
}

// pick gives the requests of the wanted session, each as askd sent it.
func (w *watcher) pick(raw json.RawMessage) (json.RawMessage, error) {
	var snapshot struct {
		Requests []json.RawMessage `json:"requests"`
	}
	if err := json.Unmarshal(raw, &snapshot); err != nil {
		return nil, fmt.Errorf("read the queue: %w", tooOld(err))
	}
	kept := []json.RawMessage{}
	for _, r := range snapshot.Requests {
		var of struct {
			Session string `json:"session"`
			Name    string `json:"sessionName"`
		}
		if err := json.Unmarshal(r, &of); err != nil {
			return nil, fmt.Errorf("read the queue: %w", tooOld(err))
		}
		if w.session == "" || of.Session == w.session || of.Name == w.session {
			kept = append(kept, r)
		}
	}
	return json.Marshal(kept)
}

// redraw puts the table in place of the one before, cut to the terminal's height.
func (w *watcher) redraw(requests json.RawMessage) error {
	var buf bytes.Buffer
	drawn := *w.a
	o := *w.a.out
	columns, rows := o.size()
	o.w, o.width, drawn.out = &buf, columns, &o
	if err := drawn.showQueue(requests); err != nil {
		return err
	}
	text := clip(buf.String(), columns, rows-1)
	if text == w.last {
		return nil
	}
	w.last = text
	w.a.out.printf("\x1b[H\x1b[2J%s", text)
	return nil
}

// clip keeps the first lines of a text that fit into so many rows of a terminal, and says how many are missing.
func clip(text string, columns, most int) string {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	used, fit := 0, 0 // how many lines fit beside the word on the others
	for i, line := range lines {
		if used += rowsOf(line, columns); used < most {
			fit = i + 1
		}
	}
	if used <= most {
		return text
	}
	more := fmt.Sprintf("… %d more lines", len(lines)-fit)
	if most < 2 { // a line end would scroll it away
		return cut(more, columns)
	}
	return strings.Join(lines[:fit], "") + cut(more, columns) + "\n"
}

// painted are the sequences that paint gives a text.
var painted = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// rowsOf is how many rows of a terminal one line takes.
func rowsOf(line string, columns int) int {
	n := uniseg.StringWidth(painted.ReplaceAllString(strings.TrimSuffix(line, "\n"), ""))
	return max(1, (n+columns-1)/max(1, columns))
}
