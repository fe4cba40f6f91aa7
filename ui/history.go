package ui

import (
	"context"
	"time"

	"askd/broker/ask"
	"askd/config"
)

// History is what the pane needs of the questions of the past. Its methods read the disk, so the pane calls them from
// goroutines of their own.
type History interface {
	// Page lists questions in short, offset questions into what q finds and limit at most. It ends early with ctx.
	Page(ctx context.Context, q ask.HistoryQuery, offset, limit int) (ask.HistoryPage, error)
	// Find gives a whole request with what became of it; false when there is none.
	Find(k ask.Key) (ask.Record, bool, error)
	// Export writes what q finds into a new Markdown file and counts it. A file that exists is left alone: an error that
	// is fs.ErrExist. When anything else fails no file stays behind.
	Export(ctx context.Context, path string, q ask.HistoryQuery) (int, error)
}

// history is the list of past questions, newest first. It stands over the whole pane: the form below stays as it is. Only
// the part of the list around what can be seen is in memory.
type history struct {
	query  ask.HistoryQuery
	rows   []pastQuestion
	from   int // the place of rows[0] in the whole list
	total  int // of the whole list; -1 until it is known
	focus  int // a place in the whole list
	top    int // the first place that can be seen
	page   int // how many can be seen
	free   bool
	reads  reads
	mark   snapMark // what the list was read after
	prompt *prompt  // for a search or for the name of an export; nil for none
	said   string   // what came of an export, or what could not be read
	saying role
	wrote  bool // an export is under way
}

// reads are the reads of the list that are under way: at most one, the newest.
type reads struct {
	serial  int
	loading bool
	failed  bool
	stop    context.CancelFunc // of the one under way, or of the last
	opening int                // serial of the question to open; any key begins a new one
}

// pastQuestion is one row of the list.
type pastQuestion struct {
	ask.HistorySummary
	asker  string // who asked, as it was known then
	answer string // what became of it, in short
	note   string // the note on the answer
	when   time.Time
}

func (q *pastQuestion) key() ask.Key { return ask.Key{Session: q.Session, Request: q.RequestID} }

// historyKey opens the list where nothing is typed, as long as the person has given it to nothing else.
const historyKey = "h"

// wantsHistory reports whether a key opens the list on the idle screen and in the inbox.
func (p *Pane) wantsHistory(s stroke) bool {
	return s.name == historyKey && s.repeats == pressed && !p.bound(historyKey)
}

// historyLabel is the key that opens the list, as the idle screen tells it; empty when there is none.
func (p *Pane) historyLabel() string {
	switch {
	case p.o.History == nil:
		return ""
	case !p.bound(historyKey):
		return historyKey
	}
	return p.keyOf(config.Global, "history")
}

// openHistory shows the list; without a history to show it does nothing.
func (p *Pane) openHistory() *history {
	if p.o.History == nil {
		return nil
	}
	p.closeHistory()
	o := &history{query: ask.HistoryQuery{Newest: true}, total: -1, page: max(1, p.size[1]/pastRows), mark: p.snapMark()}
	p.overlay, p.past = o, o
	o.load(p)
	return o
}

// toggleHistory is the key that acts everywhere: it opens the list, and closes it from wherever in it the person is.
func (p *Pane) toggleHistory() {
	if p.past != nil && p.past.shown(p.overlay) {
		p.leaveHistory()
		return
	}
	p.openHistory()
}

// shown reports whether an overlay is the list or a question opened from it.
func (o *history) shown(over overlay) bool {
	if r, ok := over.(*reader); ok {
		over = r.back
	}
	return over == overlay(o)
}

func (p *Pane) leaveHistory() {
	p.overlay = nil
	p.closeHistory()
}

// closeHistory ends what is still being read for a list that is not shown any more.
func (p *Pane) closeHistory() {
	if p.past != nil {
		p.past.end()
		p.past = nil
	}
}

// settleHistory closes the list once something else has taken its place.
func (p *Pane) settleHistory() {
	if p.past != nil && !p.past.shown(p.overlay) {
		p.closeHistory()
	}
}

// end stops what is being read; what it finds is dropped.
func (o *history) end() {
	o.reads.serial++
	o.reads.opening++
	if o.reads.stop != nil {
		o.reads.stop()
	}
}

// snapMark is what a list of past questions depends on: how many are pending and which ended last.
type snapMark struct {
	pending int
	last    ask.Key
	at      time.Time
}

func (p *Pane) snapMark() snapMark {
	m := snapMark{pending: len(p.snap.Entries)}
	if n := len(p.snap.Recent); n > 0 {
		m.last, m.at = p.snap.Recent[n-1].Key, p.snap.Recent[n-1].At
	}
	return m
}

// need reads what can be seen and is not in memory. A list without a search is read again when something has been asked or
// answered; a search is not, which could take long each time.
func (o *history) need(p *Pane) {
	mark := p.snapMark()
	stale := mark != o.mark && o.query.Text == ""
	to := min(o.top+o.page, max(o.total, 0))
	missing := o.total < 0 || o.top < o.from || to > o.from+len(o.rows)
	if o.reads.loading || o.reads.failed && !stale || !missing && !stale {
		return
	}
	o.mark = mark
	o.load(p)
}

// load reads the part of the list around what can be seen, away from the event loop.
func (o *history) load(p *Pane) {
	o.end()
	ctx, stop := context.WithCancel(context.Background())
	o.reads.stop, o.reads.loading, o.reads.failed = stop, true, false
	serial, q, offset, limit := o.reads.serial, o.query, max(0, o.top-o.page), 3*max(o.page, 1)
	p.o.Go("history", func() {
		defer stop()
		page, err := p.o.History.Page(ctx, q, offset, limit)
		var rows []pastQuestion
		if err == nil {
			rows, err = answered(ctx, p.o.History, page.Records)
		}
		p.post(func() {
			if serial == o.reads.serial {
				o.take(offset, page.Total, rows, err)
			}
		})
	})
}

// answered adds to the rows of a page who asked and what became of it.
func answered(ctx context.Context, h History, page []ask.HistorySummary) ([]pastQuestion, error) {
	out := make([]pastQuestion, len(page))
	var rec ask.Record
	for i, s := range page {
		out[i].HistorySummary = s
		out[i].when, _ = time.Parse(time.RFC3339, s.CreatedAt)
		if k := out[i].key(); rec.Request == nil || rec.Request.Key() != k {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			var err error
			if rec, _, err = h.Find(k); err != nil {
				return nil, err
			}
		}
		out[i].fill(&rec)
	}
	return out, nil
}

// fill takes from a record what summaries do not have. A record that was pruned meanwhile leaves the row as it is.
func (q *pastQuestion) fill(rec *ask.Record) {
	if rec.Request == nil {
		return
	}
	q.asker = askerName(rec.Request)
	for _, h := range rec.History() {
		if h.QuestionID == q.QuestionID {
			q.Status = h.Status
			q.answer, q.note = inShort(rec, &h)
		}
	}
}

// take puts a part of the list in its place. Questions that were asked meanwhile stand above what was there: the focus
// stays on its question.
func (o *history) take(offset, total int, rows []pastQuestion, err error) {
	o.reads.loading = false
	if err != nil {
		o.reads.failed = true
		o.say("The history could not be read: "+err.Error()+". Close it and open it again to retry.", roleError)
		return
	}
	if grown := total - o.total; o.total > 0 && grown > 0 && o.query.Text == "" {
		o.focus += grown
		if o.top > 0 {
			o.top += grown
		}
	}
	o.rows, o.from, o.total = rows, offset, total
	o.focus = max(0, min(o.focus, total-1))
}

func (o *history) say(s string, r role) { o.said, o.saying = s, r }

// at is the row at a place of the list; nil when it is not in memory.
func (o *history) at(place int) *pastQuestion {
	if i := place - o.from; place >= 0 && i >= 0 && i < len(o.rows) {
		return &o.rows[i]
	}
	return nil
}

// search looks for another text from the top of the list; what was found before stays until there is an answer.
func (o *history) search(p *Pane, text string) {
	if ask.Trim(text) == ask.Trim(o.query.Text) {
		return
	}
	o.query.Text = text
	o.focus, o.top, o.free = 0, 0, false
	o.load(p)
}

// open shows one question whole, once it has been read and unless the person has gone on meanwhile.
func (o *history) open(p *Pane, q *pastQuestion) {
	o.reads.opening++
	serial, k, question := o.reads.opening, q.key(), q.QuestionID
	p.o.Go("history", func() {
		rec, ok, err := p.o.History.Find(k)
		p.post(func() {
			switch {
			case serial != o.reads.opening || p.overlay != overlay(o):
			case err != nil:
				o.say("The question could not be read: "+err.Error()+".", roleError)
			case !ok:
				o.say("This question is no longer in the history.", roleWarning)
			default:
				p.overlay = newPastReader(&rec, question, o, p.look)
			}
		})
	})
}
