package ui

import "askd/config"

// drawBehind draws what lies behind a prompt's window: the inbox, or that the prompt is hidden.
func (p *Pane) drawBehind(l frameLayout) {
	switch {
	case l.inbox.w == 0 && len(p.listed()) > 0:
		p.drawInbox(p.canvas, l.body)
	case p.inInbox:
		p.drawMessage(l.body, p.hiddenText(), roleMuted)
	}
}

// hiddenText says how a hidden prompt comes back.
func (p *Pane) hiddenText() string {
	key := shownLine(p.onScreen().pick.settings().ToggleKey)
	if key == "" {
		key = p.keyOf(config.Global, "switchFocus")
	}
	return "The prompt is hidden. " + key + " shows it again."
}

// drawWindow draws the window of an overlay prompt over the pane, between the head and what stands above the foot.
func (p *Pane) drawWindow(l frameLayout) {
	v := p.onScreen()
	if v == nil || !v.window() || p.inInbox || v.busy() && !v.closed() {
		return
	}
	room := rect{0, 1, l.foot.w, l.foot.y - 1 - l.notices.h}
	box := overlayRect(room, p.size[1], 1<<20)
	if p.look.plain {
		box = room
	}
	f := p.layoutPrompt(v, box.w, box.h)
	box = overlayRect(room, p.size[1], f.rows())
	p.canvas.screen.HideCursor()
	blank := rect{box.x - overlayMargin, box.y, box.w + 2*overlayMargin, box.h}
	if l.inbox.w == 0 { // of the list behind it a few columns would stick out at both sides
		blank = rect{0, box.y, l.foot.w, box.h}
	}
	if p.look.plain { // nothing behind it is read out
		blank, box = room, room.rows(0, f.rows())
	}
	p.canvas.wipe(blank)
	p.drawPromptFrame(v, &f, box)
}

// promptHints are askd's own keys: those of the prompt stand in its frame.
func (p *Pane) promptHints(v *view, columns int) []hint {
	out := p.hint(config.Global, "switchFocus", "inbox", 2)
	if left, _ := p.timeLeft(v); left != "" && v.pick.bare { // else the border says it
		out = append(out, hint{left, 1})
	}
	read := readHint(v, columns)
	if read == nil && v.pick.previews {
		read = []hint{{"Ctrl+O details", 0}}
	}
	out = append(out, read...)
	if v.pick.unnamed {
		out = append(out, hint{toggleOffer(v) + " hide", 1})
	}
	does := " settings"
	if columns < narrowFoot {
		does = " keys"
	}
	out = append(out, hint{p.settingsLabel(v) + does, 1})
	out = append(out, p.hint(config.Global, "history", "history", 4)...)
	return append(out, p.quitHint(5)...)
}

// settingsLabel is a key that opens the settings now.
func (p *Pane) settingsLabel(v *view) string {
	if v.area == nil && (v.pick.Question() == nil || v.pick.Multi()) {
		if key := p.keyOf(config.Global, "settings"); key != "" {
			return key
		}
	}
	return settingsLabel
}
