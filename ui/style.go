package ui

import (
	"github.com/gdamore/tcell/v2"

	"askd/broker"
)

// role is what a piece of text is, not how it looks.
type role uint8

// The roles. Each differs from plain text by more than its colour, or stands beside a mark that says the same.
const (
	rolePlain role = iota
	roleAccent
	roleTitle // bold accent
	roleStrong
	roleMuted
	roleSuccess
	roleWarning
	roleError
	roleTab      // a tab that is neither open nor answered
	roleTabDone  // an answered tab
	roleOpenTab  // the open tab
	roleFocused  // the focused row's label
	roleSelected // a selected row's label
	roleBoth     // focused and selected
	roleTyped    // text that the person has typed and saved
	roleEmphasis // emphasised in Markdown
	roleCode     // code in Markdown
	roleHue      // the mark of a session, in the first of its colours; the others follow
)

// hueMark stands before the name of a session in its colour. Without colours there is none.
const hueMark = "▎"

// hue is the mark before a session's name, which takes the place of a blank.
func hue(e *broker.Entry) span {
	if e.Hue < 1 || e.Hue > broker.Hues {
		return span{text: " ", role: rolePlain}
	}
	return span{text: hueMark, role: roleHue + role(e.Hue-1)}
}

// The palette's own colours follow the person's theme, light or dark; no background is ever set.
var (
	accent  = tcell.PaletteColor(6)
	green   = tcell.PaletteColor(2)
	yellow  = tcell.PaletteColor(3)
	red     = tcell.PaletteColor(1)
	blue    = tcell.PaletteColor(4)
	magenta = tcell.PaletteColor(5)
	regular = tcell.StyleDefault
)

var styles = map[role]tcell.Style{
	rolePlain:    regular,
	roleAccent:   regular.Foreground(accent),
	roleTitle:    regular.Foreground(accent).Bold(true),
	roleStrong:   regular.Bold(true),
	roleMuted:    regular.Dim(true),
	roleSuccess:  regular.Foreground(green),
	roleWarning:  regular.Foreground(yellow),
	roleError:    regular.Foreground(red).Bold(true),
	roleTab:      regular.Dim(true),
	roleTabDone:  regular.Foreground(green),
	roleOpenTab:  regular.Reverse(true),
	roleFocused:  regular.Foreground(accent).Bold(true),
	roleSelected: regular.Foreground(green),
	roleBoth:     regular.Foreground(green).Bold(true),
	roleTyped:    regular.Dim(true),
	roleEmphasis: regular.Italic(true),
	roleCode:     regular.Foreground(accent),
	// The colours of sessions are those that every theme keeps apart from its foreground and background.
	roleHue:     regular.Foreground(green),
	roleHue + 1: regular.Foreground(yellow),
	roleHue + 2: regular.Foreground(blue),
	roleHue + 3: regular.Foreground(magenta),
	roleHue + 4: regular.Foreground(accent),
	roleHue + 5: regular.Foreground(red),
}

// colourless keeps what a style says without colour.
func colourless(s tcell.Style) tcell.Style {
	_, _, attrs := s.Decompose()
	return tcell.StyleDefault.Attributes(attrs)
}

// asciiMarks stand in for the pane's own marks where the locale is not UTF-8.
var asciiMarks = map[string]string{
	"❯": ">", "─": "-", "│": "|", "┌": "+", "┐": "+", "└": "+", "┘": "+", "┬": "+", "┴": "+",
	"╭": "+", "╮": "+", "╰": "+", "╯": "+", "☐": "o", "☒": "x", "☰": "=", "⊘": "/", "←": "<", "→": ">", "↑": "^", "↓": "v",
	"●": "*", "○": "o", "⏸": "=", "·": "-", "…": "~", "▴": "^", "▾": "v", "✓": "+", "✗": "x", "—": "-", "•": "*", "↕": "|", hueMark: "|",
}
