package ui

import (
	"math"
	"testing"

	"github.com/gdamore/tcell/v2"

	"askd/config"
)

// brightness is the relative luminance of a colour.
func brightness(c tcell.Color) float64 {
	r, g, b := c.RGB()
	channel := func(v int32) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(r) + 0.7152*channel(g) + 0.0722*channel(b)
}

func contrast(a, b tcell.Color) float64 {
	x, y := brightness(a), brightness(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// TestThemesCanBeRead: whatever a role is drawn with can be read on the theme's background, and no theme sets one.
func TestThemesCanBeRead(t *testing.T) {
	for name, paper := range map[string]tcell.Color{config.ThemeLight: tcell.NewRGBColor(255, 255, 255), config.ThemeDark: tcell.NewRGBColor(0, 0, 0)} {
		th := themes[name]
		for r, s := range styles {
			ink, background, attributes := th.apply(s).Decompose()
			if background != tcell.ColorDefault {
				t.Errorf("%s: role %d sets a background", name, r)
			}
			if attributes&tcell.AttrDim != 0 {
				t.Errorf("%s: role %d is dim", name, r)
			}
			if ink != tcell.ColorDefault && contrast(ink, paper) < 4.5 {
				t.Errorf("%s: role %d has a contrast of %.1f", name, r, contrast(ink, paper))
			}
		}
	}
	mono, auto := themes[config.ThemeMono], themes[config.ThemeAuto]
	for r, s := range styles {
		if ink, _, _ := mono.apply(s).Decompose(); ink != tcell.ColorDefault {
			t.Errorf("mono: role %d has a colour", r)
		}
		if auto.apply(s) != s {
			t.Errorf("auto: role %d is changed", r)
		}
		if ink, _, _ := s.Decompose(); ink != tcell.ColorDefault && (ink < tcell.PaletteColor(0) || ink > tcell.PaletteColor(15)) {
			t.Errorf("role %d is outside the terminal's own colours", r)
		}
	}
}

// TestThemeIsDrawn: the setting reaches the screen, and takes the marks of sessions along that are nothing but colour.
func TestThemeIsDrawn(t *testing.T) {
	for name, want := range map[string]string{config.ThemeAuto: hueMark, config.ThemeLight: hueMark, config.ThemeMono: " "} {
		s := newStage(t, 80, 24)
		s.settings.loaded.Settings.Pane.Theme = name
		e := small(s.clock, "shop", "r", "Tone", 0, false)
		e.Hue = 1
		s.desk.ask(e)
		s.frame()
		found := " "
		for x := range 80 {
			if what, _, _ := s.pane.screen.Load().Get(x, 0); what == hueMark {
				found = what
			}
		}
		if found != want {
			t.Errorf("%s: %q before the name", name, found)
		}
	}
}
