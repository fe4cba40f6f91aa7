package ui

import (
	"fmt"

	"askd/broker"
	"askd/config"
)

// drawIdle draws what stands in the form's place while nothing is asked: never an empty screen.
func (p *Pane) drawIdle(r rect) {
	lines := append([]line{nil}, p.textLines("When an agent asks, its form appears here.", r.w-4, rolePlain)...)
	lines = append(lines, nil)
	if n := len(p.listed()); n > 0 {
		says := p.headCount() + "."
		if key := p.keyOf(config.Global, "switchFocus"); key != "" {
			says = fmt.Sprintf("%s: %s shows them.", p.headCount(), key)
		}
		lines = append(lines, text(says, roleWarning), nil)
	}
	lines = append(lines, p.sessionLines(r.w-3)...)
	if len(p.snap.Sessions) > 0 {
		lines = append(lines, nil)
	}
	lines = append(lines, p.helpLines(r.w-3)...)
	if r.h < len(lines) {
		lines = withoutBlanks(lines)
	}
	p.canvas.rest(r.x+3, r.y)
	p.idleTop = p.canvas.viewport(rect{r.x + 3, r.y, r.w - 3, r.h}, lines, p.idleTop)
}

func withoutBlanks(lines []line) []line {
	var out []line
	for _, l := range lines {
		if len(l) > 0 {
			out = append(out, l)
		}
	}
	return out
}

// sessionLines are the connected sessions, in columns where they fit.
func (p *Pane) sessionLines(columns int) []line {
	names, agents, cwds := 0, 0, 0
	for _, s := range p.snap.Sessions {
		names = max(names, width(p.sessionName(s)))
		agents = max(agents, width(shownLine(s.Agent)))
		cwds = max(cwds, width(shownLine(s.Cwd)))
	}
	names, agents, cwds = min(names, 28), min(agents, 16), min(cwds, 40)
	out := make([]line, 0, len(p.snap.Sessions))
	for _, s := range p.snap.Sessions {
		l := line{
			{text: p.look.say("● "), role: roleSuccess},
			{text: pad(cut(p.sessionName(s), names), names), role: roleStrong},
			{text: "   " + pad(cut(shownLine(s.Agent), agents), agents), role: roleMuted},
			{text: "   " + pad(cut(shownLine(s.Cwd), cwds), cwds), role: rolePlain},
			{text: "   " + p.lastQuestion(s, true), role: roleMuted},
		}
		if l.width() > columns {
			l[len(l)-1].text = "   " + p.lastQuestion(s, false)
		}
		out = append(out, fitColumns(l, columns))
	}
	return out
}

// fitColumns leaves out the columns after the first two that do not fit.
func fitColumns(l line, columns int) line {
	for len(l) > 2 && l.width() > columns {
		l = l[:len(l)-1]
	}
	return l
}

func (p *Pane) sessionName(s broker.SessionView) string {
	name := shownLine(s.Name)
	if host := p.machine(s.Host); host != "" {
		name += p.look.say(" · ") + host
	}
	return name
}

func (p *Pane) lastQuestion(s broker.SessionView, full bool) string {
	if s.LastAsked.IsZero() {
		return "no questions yet"
	}
	out := "last question " + ago(p.o.Now().Sub(s.LastAsked))
	if s.LastTook > 0 && full {
		out += " (answered in " + took(s.LastTook) + ")"
	}
	return out
}

// helpColumns holds the longest label of the help, and a gap.
const helpColumns = 19

// helpLines say how to begin: on one line where it fits, else each on its own.
func (p *Pane) helpLines(columns int) []line {
	items := [][2]string{
		{"Connect pi:", "askctl pi install"},
		{"Try it:", "askd demo"},
		{"History:", p.historyLabel()},
		{"Settings and keys:", p.keyOf(config.Global, "settings")},
	}
	var one line
	var each []line
	for i, item := range items {
		if item[1] == "" {
			continue
		}
		if i > 0 {
			one = append(one, span{text: "        "})
		}
		one = append(one, span{text: item[0] + "   ", role: roleMuted}, span{text: item[1], role: rolePlain})
		each = append(each, line{{text: pad(item[0], helpColumns), role: roleMuted}, {text: item[1], role: rolePlain}})
	}
	out := each
	if one.width() <= columns {
		out = []line{one}
	}
	out = append(out, nil)
	for _, item := range [][2]string{{"Socket:", p.o.Socket}, {"Version:", p.o.Version}} {
		if item[1] != "" {
			out = append(out, text(pad(item[0], helpColumns)+shownLine(item[1]), roleMuted))
		}
	}
	return out
}
