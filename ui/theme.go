package ui

import (
	"github.com/gdamore/tcell/v2"

	"askd/config"
)

// theme is what the palette's colours and dim text become. The zero value leaves them to the terminal.
type theme struct {
	colours map[tcell.Color]tcell.Color
	dim     tcell.Color // stands in for dim text, which not every terminal keeps readable
	mono    bool
}

// themes are the colours of pane.theme. Those of light and dark have a contrast of at least 4.5 to white and to black, and stand
// in the part of the palette that no terminal changes.
var themes = map[string]theme{
	config.ThemeLight: {colours: fixed(124, 22, 94, 25, 90, 23), dim: tcell.PaletteColor(240)},
	config.ThemeDark:  {colours: fixed(210, 114, 221, 111, 213, 80), dim: tcell.PaletteColor(250)},
	config.ThemeMono:  {mono: true},
}

// fixed puts other colours in the place of the palette's first six.
func fixed(instead ...int) map[tcell.Color]tcell.Color {
	out := make(map[tcell.Color]tcell.Color, len(instead))
	for i, c := range instead {
		out[tcell.PaletteColor(i+1)] = tcell.PaletteColor(c)
	}
	return out
}

// apply gives a style its colours in the theme.
func (t *theme) apply(s tcell.Style) tcell.Style {
	if t.mono {
		return colourless(s)
	}
	if t.colours == nil {
		return s
	}
	colour, _, attributes := s.Decompose()
	if other, ok := t.colours[colour]; ok {
		return s.Foreground(other)
	}
	if attributes&tcell.AttrDim != 0 {
		return s.Dim(false).Foreground(t.dim)
	}
	return s
}
