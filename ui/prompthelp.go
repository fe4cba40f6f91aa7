package ui

import (
	"fmt"
	"slices"
	"strings"

	"askd/config"
	"askd/ui/form"
)

// helpSign stands between the parts of a prompt's help.
const helpSign = " • "

// helpWhole is the help of a prompt with all its parts, in as many lines as they take.
func (p *Pane) helpWhole(v *view, inner int) []line {
	var parts []string
	for _, h := range p.helpParts(v) {
		parts = append(parts, p.look.say(h.text))
	}
	columns := max(1, inner-2*textPad)
	if parts == nil {
		return p.warningLines(v, columns)
	}
	return append(p.warningLines(v, columns), helpLines(wrapWords(strings.Join(parts, p.look.say(helpSign)), columns))...)
}

// helpCut is the help in so many lines: the parts that matter most.
func (p *Pane) helpCut(v *view, inner, rows int) []line {
	columns := max(1, inner-2*textPad)
	out := p.warningLines(v, columns)
	if len(out) > 0 {
		out = []line{text(cut(p.skipWarning(v), columns), roleWarning)}
	}
	if rows <= len(out) {
		return out[:rows]
	}
	hints := p.helpParts(v)
	for i := range hints {
		hints[i].text = p.look.say(hints[i].text)
	}
	kept := make([]bool, len(hints))
	fits := []string{}
	for rank := range leastRank + 1 {
		for i, h := range hints {
			if h.rank != rank {
				continue
			}
			kept[i] = true
			lines := wrapWords(p.look.joinHelp(hints, kept), columns)
			if len(lines) > rows-len(out) {
				kept[i] = false
				continue
			}
			fits = lines
		}
	}
	return append(out, helpLines(fits)...)
}

func (k *look) joinHelp(hints []hint, kept []bool) string {
	var parts []string
	for i, h := range hints {
		if kept[i] {
			parts = append(parts, h.text)
		}
	}
	return strings.Join(parts, k.say(helpSign))
}

// wrapWords breaks a text at its blanks alone: a key such as tab/shift+tab stays whole where it fits at all.
func wrapWords(s string, columns int) []string {
	var out []string
	line := ""
	for _, word := range strings.Fields(s) {
		switch {
		case line == "":
			line = word
		case width(line)+1+width(word) <= columns:
			line += " " + word
		default:
			out = append(out, wrap(line, columns)...)
			line = word
		}
	}
	return append(out, wrap(line, columns)...)
}

// names reports whether lines of help have a part, which can be broken between two of them.
func names(lines []line, part string) bool {
	var all []string
	for _, l := range lines {
		all = append(all, l.String())
	}
	return strings.Contains(strings.Join(all, " "), part)
}

func helpLines(parts []string) []line {
	out := make([]line, len(parts))
	for i, s := range parts {
		out[i] = text(s, roleMuted)
	}
	return out
}

// warningLines are the armed warning of the review page.
func (p *Pane) warningLines(v *view, columns int) []line {
	if w := p.skipWarning(v); w != "" {
		return p.textLines(w, columns, roleWarning)
	}
	return nil
}

// piNames are the names of an action's keys as the prompt's help has them: enter, escape/ctrl+c.
func (p *Pane) piNames(a config.PiAction) string { return keyNames(p.conf.Pi.Keys(a)) }

func keyNames(keys []string) string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = helpNames[k]
		if names[i] == "" {
			names[i] = k
		}
	}
	return strings.Join(names, "/")
}

// helpNames are keys that the help calls otherwise than keymaps do.
var helpNames = map[string]string{"esc": "escape", "pageUp": "PgUp", "pageDown": "PgDn"}

// helpParts are the keys that act, the published words in the published order. The rank says which stay longest.
func (p *Pane) helpParts(v *view) []hint {
	parts := map[form.PromptMode]func(*Pane, *view) []hint{
		form.PromptList: (*Pane).listHelp, form.PromptEditor: (*Pane).editorHelp, form.PromptReview: (*Pane).reviewHelp,
	}[v.pick.Mode()]
	if parts == nil || v.closed() { // the foot has the keys of a prompt that can only be read
		return nil
	}
	return slices.DeleteFunc(parts(p, v), func(h hint) bool { return h.text == "" })
}

func (p *Pane) listHelp(v *view) []hint {
	if v.pick.Multi() {
		return []hint{
			pagesHelp(v),
			{p.moveNames() + " navigate", 4},
			{"space toggle", 1},
			promptHelp(v), hideHelp(v),
			keysHelp(p.piNames(config.PiConfirm), "submit", 1), keysHelp(p.piNames(config.PiCancel), "cancel", 3),
		}
	}
	return []hint{
		pagesHelp(v),
		{"type filter", 4},
		promptHelp(v), keysHelp(p.piNames(config.PiBackspace), "erase", 7),
		{p.moveNames() + " navigate", 6},
		hideHelp(v), keysHelp(p.piNames(config.PiConfirm), "select", 1),
		{"esc clear/cancel", 2},
		keysHelp(p.otherCancel(), "cancel", 8),
	}
}

func (p *Pane) editorHelp(v *view) []hint {
	return []hint{
		pagesHelp(v), keysHelp(p.piNames(config.PiSubmit), "submit", 1), keysHelp(p.piNames(config.PiNewLine), "newline", 4),
		{"esc back", 2},
		hideHelp(v), keysHelp(p.otherCancel(), "cancel", 3),
	}
}

func (p *Pane) reviewHelp(v *view) []hint {
	does := "submit"
	if v.pick.Unanswered() > 0 {
		does = "submit with skips"
	}
	return []hint{
		keysHelp(p.piNames(config.PiConfirm), does, 1),
		{fmt.Sprintf("1-%d edit", len(v.pick.Pages())), 3},
		{"tab/shift+tab questions", 4},
		hideHelp(v), keysHelp(p.piNames(config.PiCancel), "cancel", 2),
	}
}

// keysHelp is a part of the help, none for an action without a key.
func keysHelp(keys, does string, rank int) hint {
	if keys == "" {
		return hint{}
	}
	return hint{keys + " " + does, rank}
}

func pagesHelp(v *view) hint {
	if !v.pick.Batch() {
		return hint{}
	}
	return hint{"tab/shift+tab questions", 5}
}

// promptHelp is always there over the pane, as published; in the body only when there is something to scroll.
func promptHelp(v *view) hint {
	switch {
	case v.pick.scrolls:
		return hint{"PgUp/PgDn prompt", 3}
	case v.window():
		return hint{"PgUp/PgDn prompt", 8}
	}
	return hint{}
}

func hideHelp(v *view) hint {
	if key := toggleOffer(v); key != "" {
		return hint{key + " hide", 3}
	}
	return hint{}
}

// moveNames are the keys that move the focus.
func (p *Pane) moveNames() string {
	up, down := p.piNames(config.PiSelectUp), p.piNames(config.PiSelectDown)
	if up == "up" && down == "down" || up == "" || down == "" {
		return "↑↓"
	}
	return up + "/" + down
}

// otherCancel are the cancel keys besides esc, which means something of its own.
func (p *Pane) otherCancel() string {
	return keyNames(slices.DeleteFunc(p.conf.Pi.Keys(config.PiCancel), func(k string) bool { return k == "esc" }))
}
