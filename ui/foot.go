package ui

import (
	"slices"
	"strings"

	"askd/broker/ask"
	"askd/config"
	"askd/ui/form"
)

// hint is one chunk of the foot. The least important go first where there is no room.
type hint struct {
	text string
	rank int // 0 stays longest, leastRank goes first
}

const leastRank = 8

// narrowFoot is the width below which hints are put shorter.
const narrowFoot = 50

// drawFoot draws the keys that act now. In the inbox it also says what the focused entry's mark means.
func (p *Pane) drawFoot(l frameLayout) {
	if !p.conf.Settings.Behaviour.ShowFooterHints {
		return
	}
	p.canvas.line(l.foot, text(p.look.fitHints(p.hints(l.foot.w), l.foot.w), roleMuted))
}

// fitHints joins with ` · ` the hints that fit, the most important first, in the order given.
func (k *look) fitHints(hints []hint, columns int) string {
	hints = slices.Clone(hints)
	for i := range hints {
		hints[i].text = k.say(hints[i].text)
	}
	kept := make([]bool, len(hints))
	for rank := range leastRank + 1 {
		for i, h := range hints {
			if h.rank != rank {
				continue
			}
			kept[i] = true
			if width(k.joinHints(hints, kept)) > columns {
				kept[i] = false
			}
		}
	}
	return k.joinHints(hints, kept)
}

func (k *look) joinHints(hints []hint, kept []bool) string {
	var parts []string
	for i, h := range hints {
		if kept[i] {
			parts = append(parts, h.text)
		}
	}
	return " " + strings.Join(parts, k.say(" · "))
}

// keyOf is the label of the first key of an action.
func (p *Pane) keyOf(c config.Context, action string) string {
	return p.look.say(config.KeyLabel(first(p.conf.Keymaps.Keys(c, action))))
}

// hint is a key and what it does; an action without a key has none.
func (p *Pane) hint(c config.Context, action, does string, rank int) []hint {
	if key := p.keyOf(c, action); key != "" {
		return []hint{{key + " " + does, rank}}
	}
	return nil
}

func (p *Pane) hints(columns int) []hint {
	if p.overlay != nil { // the keys of what lies under it do not act meanwhile; its own stand in it
		return append(p.hint(config.Global, "switchFocus", "close", 7), p.quitHint(8)...)
	}
	v := p.onScreen()
	switch {
	case p.inInbox:
		return p.inboxHints()
	case v == nil:
		return p.idleHints()
	}
	switch {
	case v.closed():
		return p.closedHints(v)
	case v.busy():
		return p.settingsHint(columns)
	case v.pick != nil:
		return p.promptHints(v, columns)
	case p.complete.open():
		return completionHints()
	}
	hints := append(modeHints[v.form.Mode()](p, v), readHint(v, columns)...)
	hints = append(hints, p.detachHint()...)
	if v.area != nil && v.area.GetTextLength() > 0 { // the key is typed there
		return hints
	}
	return append(hints, p.settingsHint(columns)...)
}

// readHint is the key that shows what is cut. It has its place before all others: the mark of a cut names no key.
func readHint(v *view, columns int) []hint {
	switch {
	case v.hidden:
		return []hint{{"Ctrl+O context", 0}}
	case v.clipped && columns < narrowFoot:
		return []hint{{"Ctrl+O all", 0}}
	case v.clipped:
		return []hint{{"Ctrl+O read all", 0}}
	}
	return nil
}

// closedHints are the keys of a form that can only be read.
func (p *Pane) closedHints(v *view) []hint {
	if v.pick != nil {
		out := []hint{{"Esc leave", 1}, {"Ctrl+O read all", 4}, {mouseLabel + " select text", 2}}
		if v.pick.Batch() {
			out = append(out, hint{"Tab next page", 3})
		}
		return out
	}
	out := p.hint(config.Main, "cancel", "leave", 1)
	if v.area == nil {
		out = append(out, p.hint(config.Main, "nextTab", "next tab", 3)...)
	}
	return append(out, hint{"Ctrl+O read all", 4}, hint{mouseLabel + " select text", 2})
}

func (p *Pane) settingsHint(columns int) []hint {
	if columns < narrowFoot {
		return p.hint(config.Global, "settings", "keys", 3)
	}
	return p.hint(config.Global, "settings", "settings", 3)
}

// quitHint is the key that ends askd, or, in a pane that is attached to it, that pane alone.
func (p *Pane) quitHint(rank int) []hint {
	if p.attached() {
		return p.hint(config.Global, "quit", "detach", rank)
	}
	return p.hint(config.Global, "quit", "leave", rank)
}

// detachHint says over a form, too, that this pane can be left alone.
func (p *Pane) detachHint() []hint {
	if !p.attached() {
		return nil
	}
	return p.quitHint(leastRank)
}

func (p *Pane) idleHints() []hint {
	out := p.settingsHint(80)
	if len(p.listed()) > 0 {
		out = append(out, p.hint(config.Global, "switchFocus", "inbox", 2)...)
	} else if p.beyond() != nil {
		out = append(out, p.hint(config.Global, "switchFocus", "agent", 2)...)
	}
	out = append(out, p.hint(config.Main, quietAction, "do not disturb", 7)...)
	return append(out, p.quitHint(4)...)
}

func (p *Pane) inboxHints() []hint {
	out := p.hint(config.Main, "confirm", "open", 1)
	if v := p.onScreen(); v != nil && v.window() && v.pick.settings().ToggleKey != "" {
		left, _ := p.timeLeft(v)
		out = append(out, hint{strings.TrimSuffix(shownLine(v.pick.settings().ToggleKey)+" prompt, "+left, ", "), 2})
	}
	back := "back"
	if p.beyond() != nil {
		back = "agent"
	}
	out = append(out, p.hint(config.Global, "switchFocus", back, 2)...)
	if key := p.historyLabel(); key != "" {
		out = append(out, hint{key + " history", 5})
	}
	out = append(out, p.hint(config.Main, quietAction, "do not disturb", 7)...)
	out = append(out, p.settingsHint(80)...)
	return append(out, p.quitHint(4)...)
}

var modeHints = map[form.Mode]func(*Pane, *view) []hint{
	form.ModeQuestion:     (*Pane).questionHints,
	form.ModeReview:       (*Pane).reviewHints,
	form.ModeCustomEditor: (*Pane).customHints,
	form.ModeNoteEditor:   (*Pane).noteHints,
}

func (p *Pane) questionHints(v *view) []hint {
	multi := v.form.QuestionType(v.form.ActiveTab()) == ask.Multi
	var out []hint
	confirm := "confirm"
	if multi {
		out, confirm = p.hint(config.Main, "toggle", "toggle", 2), "continue"
	}
	if keys := p.conf.Keymaps.Keys(config.Main, "changeQuestionType"); len(keys) > 0 {
		out = append(out, hint{keys[0] + " question type", 8}) // shown as the raw key, as published
	}
	out = append(out, p.hint(config.Main, "confirm", confirm, 1)...)
	out = append(out, p.notesHint(onCustom(v.form))...)
	if savedCustom(v.form) {
		out = append(out, p.hint(config.Main, "editCustom", "edit", 3)...)
	}
	out = append(out, p.hint(config.Main, "skip", "skip", 6)...)
	out = append(out, p.hint(config.Main, "cancel", cancelWord(v, "dismiss"), 2)...)
	return append(out, p.hint(config.Global, "switchFocus", "inbox", 7)...)
}

// savedCustom reports whether the focus is on a free-form answer that Enter does not open again.
func savedCustom(f *form.Form) bool {
	rows := f.Rows()
	i := f.FocusRow()
	return i < len(rows) && rows[i].Custom && (rows[i].CustomText != "" || rows[i].Images > 0)
}

// onCustom reports whether the focus is on the row for an answer of one's own, which takes no note.
func onCustom(f *form.Form) bool {
	rows := f.Rows()
	i := f.FocusRow()
	return i < len(rows) && rows[i].Custom
}

func (p *Pane) notesHint(custom bool) []hint {
	option, question := p.keyOf(config.Main, "optionNote"), p.keyOf(config.Main, "questionNote")
	if custom {
		option = ""
	}
	keys := strings.Trim(option+"/"+question, "/")
	if keys == "" {
		return nil
	}
	return []hint{{keys + " note", 5}}
}

// cancelWord says what the cancel key does: a background form only steps aside.
func cancelWord(v *view, foreground string) string {
	if v.form.Request().Background {
		return "later"
	}
	return foreground
}

func (p *Pane) reviewHints(v *view) []hint {
	out := []hint{{"1/2 hotkeys", 4}}
	out = append(out, p.hint(config.Main, "confirm", "confirm", 1)...)
	out = append(out, p.hint(config.Main, "cancel", cancelWord(v, "cancel"), 2)...)
	return append(out, p.hint(config.Global, "switchFocus", "inbox", 7)...)
}

func (p *Pane) customHints(v *view) []hint {
	out := p.hint(config.Editor, "submit", "submit, go on", 1)
	if q := v.form.Question(); q != nil && q.Input {
		out = append(out, hint{"Ctrl+J new line", 3}) // of the keys that do this the one that every terminal sends
	}
	return append(append(out, p.hint(config.Editor, "close", "close", 2)...), p.lowImageHint()...)
}

func (p *Pane) noteHints(*view) []hint {
	out := p.hint(config.NoteEditor, "save", "save", 1)
	return append(append(out, p.hint(config.NoteEditor, "close", "close", 2)...), p.lowImageHint()...)
}

// notices are the lines above the foot: what waits for a decision or went wrong, then what is only worth knowing. Where there
// is not room for all of them what asks for a key is put short.
func (p *Pane) notices(columns int, short bool) []line {
	var out []line
	say := func(s string, r role) {
		if s == "" {
			return
		}
		for _, part := range wrap(s, max(1, columns-2)) {
			out = append(out, text(" "+part, r))
		}
	}
	if p.leaving {
		say(p.leaveText(short), roleWarning)
	}
	if v := p.onScreen(); v != nil {
		say(shownLine(v.images.said), v.images.role())
	}
	p.formNotices(say, short)
	say(p.said, rolePlain)
	say(p.fault, roleError)
	if n := len(p.snap.Notices); n > 0 {
		say(shownLine(p.snap.Notices[n-1]), roleWarning)
	}
	out = append(out, p.fileNotices(columns)...)
	say(p.cancelText(columns, short), rolePlain)
	say(p.quietText(), roleMuted)
	if p.inInbox {
		p.sayMeaning(say)
	}
	return append(out, p.imageHints(columns)...)
}

// fileNotices are what is wrong with the settings file, a line each, until the settings have shown them whole or the file is
// mended.
func (p *Pane) fileNotices(columns int) []line {
	if p.noticed {
		return nil
	}
	tail := ""
	if key := p.keyOf(config.Global, "settings"); key != "" {
		tail = p.look.say(" · ") + key + " reads it and puts it away"
	}
	if columns < 2*width(tail) {
		tail = strings.TrimSuffix(tail, " and puts it away")
	}
	var out []line
	for _, n := range p.conf.Notices {
		s := shownLine(n.Text)
		out = append(out, text(" "+cut(s, max(1, columns-2-width(tail)))+tail, roleWarning))
	}
	return out
}

func (p *Pane) formNotices(say func(string, role), short bool) {
	v := p.onScreen()
	if v == nil {
		return
	}
	if v.closed() {
		say(v.taken+" What you entered can be read and copied here until you leave it.", roleWarning)
		return
	}
	if (!v.entry.AskerOnline || v.entry.Orphan) && !p.inInbox && p.size[1] >= roomyRows {
		say(p.look.say(meaning(v.entry, p.o.Now())), rolePlain)
	}
	if v.followed {
		say(atItElsewhere, rolePlain)
	}
	say(shownLine(v.fault), roleError)
	if v.form == nil {
		return
	}
	switch n := v.form.Notice(); n.Kind {
	case form.NoticeInfo:
		say(shownLine(n.Text), rolePlain)
	case form.NoticeDismiss, form.NoticeType:
		text := shownLine(n.Text)
		if short {
			text = shortNotices[n.Kind]
		}
		say(text, roleWarning)
	}
}

// shortNotices are what is left of published texts in a low pane.
var shortNotices = map[form.NoticeKind]string{
	form.NoticeDismiss: "Press again to discard.", form.NoticeType: "Press the type key again to confirm.",
}

func (p *Pane) sayMeaning(say func(string, role)) {
	for _, e := range p.listed() {
		if e.Key() == p.inbox.focus {
			say(p.look.say(meaning(e, p.o.Now())), rolePlain)
		}
	}
}
