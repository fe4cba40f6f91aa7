package ui

import (
	"strings"
	"unicode"

	"github.com/gdamore/tcell/v2"
)

// namedKeys are tcell's keys by the names that keymaps use.
var namedKeys = map[tcell.Key]string{
	tcell.KeyEnter: "enter", tcell.KeyTab: "tab", tcell.KeyEsc: "esc", tcell.KeyBackspace: "backspace",
	tcell.KeyBackspace2: "backspace", tcell.KeyDelete: "delete", tcell.KeyInsert: "insert", tcell.KeyClear: "clear",
	tcell.KeyHome: "home", tcell.KeyEnd: "end", tcell.KeyPgUp: "pageUp", tcell.KeyPgDn: "pageDown",
	tcell.KeyUp: "up", tcell.KeyDown: "down", tcell.KeyLeft: "left", tcell.KeyRight: "right",
	tcell.KeyF1: "f1", tcell.KeyF2: "f2", tcell.KeyF3: "f3", tcell.KeyF4: "f4", tcell.KeyF5: "f5", tcell.KeyF6: "f6",
	tcell.KeyF7: "f7", tcell.KeyF8: "f8", tcell.KeyF9: "f9", tcell.KeyF10: "f10", tcell.KeyF11: "f11", tcell.KeyF12: "f12",
}

var controlSymbols = map[tcell.Key]string{
	tcell.KeyCtrlSpace: "space", tcell.KeyNUL: "space", tcell.KeyCtrlBackslash: `\`, tcell.KeyFS: `\`,
	tcell.KeyCtrlRightSq: "]", tcell.KeyGS: "]", tcell.KeyCtrlCarat: "^", tcell.KeyRS: "^",
	tcell.KeyCtrlUnderscore: "_", tcell.KeyUS: "_",
}

// keyName is a key event in the words of keymaps: a typed character as itself, "space", "ctrl+c", "shift+tab", "alt+q".
// Empty for a key that no keymap can name.
func keyName(e *tcell.EventKey) string {
	key, mods := e.Key(), e.Modifiers()
	if key == tcell.KeyRune {
		return runeName(e.Rune(), mods)
	}
	if key == tcell.KeyBacktab {
		return modified(mods|tcell.ModShift, "tab")
	}
	if name, ok := namedKeys[key]; ok {
		return modified(mods, name)
	}
	if name := controlName(key); name != "" {
		return modified(mods|tcell.ModCtrl, name)
	}
	return ""
}

func runeName(r rune, mods tcell.ModMask) string {
	name := string(r)
	if r == ' ' {
		name = "space"
	}
	if unicode.IsUpper(r) && mods&^tcell.ModShift == 0 {
		return name
	}
	if unicode.IsUpper(r) {
		mods |= tcell.ModShift
		name = strings.ToLower(name)
	}
	if r != ' ' && mods == tcell.ModShift {
		mods = 0
	}
	return modified(mods, name)
}

func controlName(key tcell.Key) string {
	switch {
	case key >= tcell.KeyCtrlA && key <= tcell.KeyCtrlZ:
		return string(rune('a' + key - tcell.KeyCtrlA))
	case key >= tcell.KeySOH && key <= tcell.KeySUB:
		return string(rune('a' + key - tcell.KeySOH))
	default:
		return controlSymbols[key]
	}
}

var modifierNames = []struct {
	mask tcell.ModMask
	name string
}{{tcell.ModCtrl, "ctrl+"}, {tcell.ModShift, "shift+"}, {tcell.ModAlt, "alt+"}, {tcell.ModMeta, "super+"}}

func modified(mods tcell.ModMask, name string) string {
	var b strings.Builder
	for _, m := range modifierNames {
		if mods&m.mask != 0 {
			b.WriteString(m.name)
		}
	}
	return b.String() + name
}
