package form

import (
	"askd/broker/ask"
)

// Prompt is the state of one open ask_user_question prompt: one page a question and, with several questions, a review page.
// It is pure as Form is, and belongs to the goroutine that made it; no method blocks. Only NewPrompt makes one.
type Prompt struct {
	request *ask.Request
	standing
	serial int
	end    Effect   // how the event being applied ended the prompt; nil while it is open
	before standing // what stood before the event that ended the prompt, for Reopen
}

// standing is what an event can change.
type standing struct {
	pages   []page // one a question, in the order asked
	at      int    // the open page; len(pages) is the review page, which only a batch has
	editing bool   // the open page's free-form answer is being written
	warned  bool   // the review page has said that questions are unanswered
}

// NewPrompt opens a prompt on its first question, untouched. The request must be normalised and must not change while the
// prompt lives.
func NewPrompt(r *ask.Request) *Prompt {
	p := &Prompt{request: r}
	p.reset()
	return p
}

func (p *Prompt) reset() {
	p.standing = standing{pages: make([]page, len(p.request.Questions))}
	for i := range p.pages {
		p.pages[i] = newPage(&p.request.Questions[i])
	}
	p.end = nil
}

// Request is what was asked.
func (p *Prompt) Request() *ask.Request { return p.request }

// Mode says where the focus is.
func (p *Prompt) Mode() PromptMode {
	switch {
	case p.end != nil:
		return PromptDone
	case p.onReview():
		return PromptReview
	case p.editing:
		return PromptEditor
	}
	return PromptList
}

// Apply lets one event happen and returns what the outside has to do, in order. Events that mean nothing in the present mode
// change nothing. Submit and Dismissed come alone and at most once until Reopen; only PromptConfirm, or the click that
// stands for it, submits.
func (p *Prompt) Apply(e PromptEvent) []Effect {
	if p.end != nil {
		return nil
	}
	before := p.clone()
	p.dispatch(e)
	switch {
	case p.end != nil:
		p.before = before
		return []Effect{p.end}
	case !p.equal(&before):
		return []Effect{SaveDraft{}}
	}
	return nil
}

func (p *Prompt) dispatch(e PromptEvent) {
	switch e := e.(type) {
	case PromptDo:
		if run := promptCommands[p.Mode()][e.Command]; run != nil {
			run(p)
		}
	case PromptDigit:
		p.digit(e.N)
	case PromptType:
		p.typeText(e.Text)
	case PromptEdit:
		p.editText(e.Text)
	case PromptClickRow:
		p.clickRow(e.Index)
	case PromptClickPage:
		p.clickPage(e.Index)
	}
}

// The commands that each mode knows. Scrolling, as up and down do on the review page, is the view's.
var promptCommands = map[PromptMode]map[PromptCommand]func(*Prompt){
	PromptList: {
		PromptUp:      func(p *Prompt) { p.moveFocus(-1) },
		PromptDown:    func(p *Prompt) { p.moveFocus(+1) },
		PromptTab:     func(p *Prompt) { p.tab(+1) },
		PromptBackTab: func(p *Prompt) { p.tab(-1) },
		PromptConfirm: (*Prompt).confirmRow,
		PromptEscape:  (*Prompt).escapeList,
		PromptCancel:  (*Prompt).dismiss,
		PromptErase:   (*Prompt).eraseFilter,
		PromptSpace:   (*Prompt).space,
	},
	PromptEditor: {
		PromptTab:     func(p *Prompt) { p.turnPage(+1) },
		PromptBackTab: func(p *Prompt) { p.turnPage(-1) },
		PromptConfirm: (*Prompt).confirmText,
		PromptEscape:  (*Prompt).leaveEditor,
		PromptCancel:  (*Prompt).dismiss,
	},
	PromptReview: {
		PromptTab:     func(p *Prompt) { p.turnPage(+1) },
		PromptBackTab: func(p *Prompt) { p.turnPage(-1) },
		PromptConfirm: (*Prompt).confirmReview,
		PromptEscape:  (*Prompt).dismiss,
		PromptCancel:  (*Prompt).dismiss,
	},
}

func (p *Prompt) digit(n int) {
	switch {
	case n < 0 || n > 9:
	case p.Mode() == PromptReview:
		p.jump(n)
	case p.Mode() == PromptList:
		p.digitInList(n)
	}
}

func (p *Prompt) submit() { p.end = Submit{Response: p.Response()} }

func (p *Prompt) dismiss() { p.end = Dismissed{Response: p.Response()} }

// Reopen leaves PromptDone again, because the outcome could not be stored. Everything stands as it did before the event that
// ended the prompt, an open editor included.
func (p *Prompt) Reopen() {
	if p.end == nil {
		return
	}
	p.end, p.standing = nil, p.before
	if p.editing {
		p.serial++
	}
}

// TakeBack opens a prompt again whose cancel the person has taken back.
func (p *Prompt) TakeBack() { p.Reopen() }

// tab turns pages in a batch; a prompt with one question has none to turn, so there the key moves the focus.
func (p *Prompt) tab(by int) {
	if p.Batch() {
		p.turnPage(by)
		return
	}
	p.moveFocus(by)
}

// turnPage goes round the pages, the review page included.
func (p *Prompt) turnPage(by int) {
	if p.Batch() {
		n := len(p.pages) + 1
		p.openPage((p.at + by + n) % n)
	}
}

func (p *Prompt) clickPage(i int) {
	if p.Batch() && i >= 0 && i <= len(p.pages) && i != p.at {
		p.openPage(i)
	}
}

// openPage leaves an editor as esc does: what was typed stays on its page.
func (p *Prompt) openPage(i int) {
	if p.editing {
		p.leaveEditor()
	}
	p.at, p.warned = i, false
}

// record takes the open page's answer and goes on to the next question without one, round the end, and then to the review
// page. A prompt with one question has no review page: its answer ends it.
func (p *Prompt) record(a *pageAnswer) {
	p.editing = false
	p.open().answer = a
	if !p.Batch() {
		p.submit()
		return
	}
	for i := range len(p.pages) {
		if next := (p.at + i) % len(p.pages); p.pages[next].answer == nil {
			p.openPage(next)
			return
		}
	}
	p.openPage(len(p.pages))
}

func (p *Prompt) onReview() bool { return p.at == len(p.pages) }

// open is the open question page; it must not be asked for on the review page.
func (p *Prompt) open() *page { return &p.pages[p.at] }

func (s *standing) clone() standing {
	c := *s
	c.pages = make([]page, len(s.pages))
	for i := range s.pages {
		c.pages[i] = s.pages[i].clone()
	}
	return c
}

func (s *standing) equal(o *standing) bool {
	if s.at != o.at || s.editing != o.editing || s.warned != o.warned {
		return false
	}
	for i := range s.pages {
		if !s.pages[i].equal(&o.pages[i]) {
			return false
		}
	}
	return true
}
