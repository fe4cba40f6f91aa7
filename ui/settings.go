package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"askd/config"
)

// settingRow is one row of the settings list (contract, "Supported UX").
type settingRow struct {
	section, label, about string
	field                 func(*config.Settings) *bool   // nil for what is not on or off
	word                  func(*config.Settings) *string // of words, for what is one of several
	words                 []string
	seconds               func(*config.Settings) *int // for what is a time
}

// secondSteps are the numbers of seconds that a press goes through.
var secondSteps = []int{0, 3, 5, 10, 30}

// change gives the row its next value.
func (r *settingRow) change(s *config.Settings) {
	switch {
	case r.seconds != nil:
		n := r.seconds(s)
		i := slices.IndexFunc(secondSteps, func(step int) bool { return step > *n })
		*n = secondSteps[max(0, i)]
		return
	case r.word == nil:
		*r.field(s) = !*r.field(s)
		return
	}
	w := r.word(s)
	*w = r.words[(slices.Index(r.words, *w)+1)%len(r.words)]
}

var settingRows = []settingRow{
	{
		section: "Live settings", label: "Auto-submit when answered without notes",
		about: "Auto-submit completed ask flows when no question or option notes were added.",
		field: func(s *config.Settings) *bool { return &s.Behaviour.AutoSubmitWhenAnsweredWithoutNotes },
	},
	{
		section: "", label: "Confirm dismiss when dirty",
		about: "Require a second cancel or dismiss action before discarding answered or drafted ask content.",
		field: func(s *config.Settings) *bool { return &s.Behaviour.ConfirmDismissWhenDirty },
	},
	{
		section: "", label: "Double-press review shortcuts",
		about: "Require pressing 1 or 2 twice on the review tab before triggering Submit or Cancel.",
		field: func(s *config.Settings) *bool { return &s.Behaviour.DoublePressReviewShortcuts },
	},
	{
		section: "", label: "Notifications",
		about: "Emit one external notification when the ask flow opens and waits for input.",
		field: func(s *config.Settings) *bool { return &s.Notifications.Enabled },
	},
	{
		section: "", label: "Show footer hints",
		about: "Show footer keymap hints at the bottom of the ask flow.",
		field: func(s *config.Settings) *bool { return &s.Behaviour.ShowFooterHints },
	},
	{
		section: "", label: "Take back a cancel",
		about:   "For how many seconds a cancel can be taken back before its agent is told of it.",
		seconds: func(s *config.Settings) *int { return &s.Behaviour.UndoCancel },
	},
	{
		section: "Defaults for future asks", label: "Present single-select as multi-select",
		about: "Default new and replayed ask flows to render single-select questions as multi-select. This is not hot-applied to the current flow; use the type hotkey there.",
		field: func(s *config.Settings) *bool { return &s.Behaviour.PresentSingleAsMulti },
	},
	{
		section: "This pane", label: "Theme",
		about: "auto: the terminal's own colours. light, dark: colours for that background. mono: none.",
		word:  func(s *config.Settings) *string { return &s.Pane.Theme }, words: config.Themes,
	},
	{
		section: "", label: "Plain, for screen readers",
		about: "Words instead of lines, marks and columns, and the cursor at what has the focus. askd --plain always has it.",
		field: func(s *config.Settings) *bool { return &s.Pane.Plain },
	},
	{section: "Actions", about: "Reset behaviour, keymaps, and notifications to defaults. Press twice quickly to confirm."},
	{label: "All active keys", about: "List every key and what it does where."},
}

const (
	resetRow = 9
	keysRow  = 10
)

// settingsList is the settings overlay.
type settingsList struct {
	row, top int
	free     bool            // the wheel has moved the rows away from the focus
	armed    time.Time       // when reset was pressed; zero when it was not
	saving   bool            // a save is under way; what it will say is drawn already
	ahead    config.Settings // what is being saved
	failed   string
	saved    bool // a save has worked: load notices are out of date
	now      func() time.Time
}

// openSettings shows the settings, and whole what is wrong with their file.
func (p *Pane) openSettings() { p.overlay, p.noticed = &settingsList{now: p.o.Now}, true }

func (o *settingsList) settings(p *Pane) config.Settings {
	if o.saving {
		return o.ahead
	}
	return p.conf.Settings
}

func (o *settingsList) next(now time.Time) time.Duration {
	if o.armed.IsZero() {
		return never
	}
	return max(0, config.ResetWindow-now.Sub(o.armed)) + time.Millisecond
}

// confirming reports whether reset waits for its second press.
func (o *settingsList) confirming() bool {
	return !o.armed.IsZero() && o.now().Sub(o.armed) <= config.ResetWindow
}

var settingsKeys = map[string]func(*settingsList, *Pane){
	"close":          func(_ *settingsList, p *Pane) { p.overlay = nil },
	"nextOption":     func(o *settingsList, _ *Pane) { o.move(+1) },
	"previousOption": func(o *settingsList, _ *Pane) { o.move(-1) },
	"toggle":         (*settingsList).toggle,
}

func (o *settingsList) key(p *Pane, s stroke) {
	action, _ := p.conf.Keymaps.Action(config.SettingsModal, s.name)
	run := settingsKeys[action]
	if run == nil || s.repeats != pressed && (action == "toggle" || action == "close") {
		return
	}
	o.free = false
	run(o, p)
}

// move goes round the list; it takes a half-confirmed reset back.
func (o *settingsList) move(by int) {
	o.row = (o.row + by + len(settingRows)) % len(settingRows)
	o.armed = time.Time{}
}

func (o *settingsList) click(p *Pane, t target) {
	if t.kind != hitSetting {
		return
	}
	if t.index != o.row {
		o.armed = time.Time{}
	}
	o.row = t.index
	o.toggle(p)
}

func (o *settingsList) wheel(_ *Pane, by int) { o.top, o.free = o.top+by, true }

func (o *settingsList) toggle(p *Pane) {
	switch {
	case o.saving:
	case o.row == keysRow:
		p.overlay = &reader{title: "Keys", text: keyLines}
	case o.row == resetRow && !o.confirming():
		o.armed = o.now()
		p.nudge()
	case o.row == resetRow:
		o.armed = time.Time{}
		o.store(p, config.Defaults(), p.o.Settings.Reset)
	default:
		s := p.conf.Settings
		settingRows[o.row].change(&s)
		o.store(p, s, func() (config.Loaded, error) { return p.o.Settings.Save(s) })
	}
}

// store saves away from the event loop: disks can be slow. What was asked for is drawn at once and taken back if it fails.
func (o *settingsList) store(p *Pane, ahead config.Settings, save func() (config.Loaded, error)) {
	o.saving, o.ahead, o.failed = true, ahead, ""
	p.o.Go("save settings", func() {
		loaded, err := save()
		p.post(func() {
			o.saving = false
			if err != nil {
				o.failed = err.Error()
				return
			}
			o.saved = true
			p.reconfigure(loaded)
		})
	})
}

// draw draws the list centred over the pane: the rows in a window, what the focused one means and the keys below.
func (o *settingsList) draw(p *Pane, c *canvas, r rect) {
	foot := o.below(p, config.SettingsWidth-4, r.h)
	outer := o.frame(r, len(o.lines(p, config.SettingsWidth-5))+len(foot))
	outer = p.over(c, r, outer)
	drawRounded(c, outer)
	inner := rect{outer.x + 2, outer.y + 1, outer.w - 4, outer.h - 2}
	lines := o.lines(p, inner.w-1)
	foot = o.below(p, inner.w, inner.h)
	list := inner.rows(0, inner.h-len(foot))
	from, to := o.focusLines(lines)
	if o.row == 0 && to <= list.h {
		from = 0 // the heading too, where the row stays in sight
	}
	if !o.free {
		o.top = reveal(o.top, from, to, list.h)
	}
	o.top = c.viewport(list, lines, o.top)
	c.lines(inner.rows(list.h, len(foot)), foot)
}

// below is what stands under the list in an overlay of so many rows: it leaves the focused row its place. Where rows are few,
// what went wrong takes the place of what the row means, and the keys take one line.
func (o *settingsList) below(p *Pane, columns, rows int) []line {
	about := max(1, min(config.SettingsDescription, rows/5))
	out := o.messages(p, columns)
	if len(out) > 0 && about < config.SettingsDescription {
		about = 0
	}
	out = out[:min(len(out), max(1, rows/2))]
	keys := chunked(o.keys(p), p.look.say(" · "), columns)
	if len(out)+about+len(keys) >= rows {
		keys = []string{cut(o.shortFoot(p), columns)}
		about = max(0, min(about, rows-len(out)-len(keys)-1))
	}
	out = append(out, o.about(columns, about)...)
	for _, part := range keys {
		out = append(out, text(part, roleMuted))
	}
	return out
}

// frame is the overlay's rectangle: as high as it needs, within the screen and its margin.
func (o *settingsList) frame(r rect, wanted int) rect {
	w := min(config.SettingsWidth, max(config.SettingsMin, r.w-2*config.SettingsMargin), r.w)
	most := max(r.h*config.SettingsHeightPercent/100, min(r.h, 12))
	h := min(wanted+2, most, r.h)
	return rect{(r.w - w) / 2, (r.h - h) / 2, w, h}
}

func (o *settingsList) keys(p *Pane) (out []string) {
	for _, act := range settingsActs {
		if keys := p.look.say(p.conf.Keymaps.Label(config.SettingsModal, act[0])); keys != "" {
			out = append(out, keys+" to "+act[1])
		}
	}
	return out
}

// settingsActs are the actions that the overlay names, and what they do.
var settingsActs = [][2]string{{"toggle", "change"}, {"close", "close"}}

// shortFoot names one key each.
func (o *settingsList) shortFoot(p *Pane) string {
	var parts []string
	for _, act := range settingsActs {
		if key := p.keyOf(config.SettingsModal, act[0]); key != "" {
			parts = append(parts, key+" "+act[1])
		}
	}
	return strings.Join(parts, p.look.say(" · "))
}

// focusLines is where the focused row lies among the lines.
func (o *settingsList) focusLines(lines []line) (from, to int) {
	for i, l := range lines {
		for _, s := range l {
			if s.target.kind == hitSetting && s.target.index == o.row {
				return i, i + 1
			}
		}
	}
	return 0, 1
}

func (o *settingsList) lines(p *Pane, columns int) []line {
	out := []line{centred("pi-agent-ask", columns, roleTitle), nil}
	for _, part := range wrap("Edit this config file to customize keymaps and notifications:", columns) {
		out = append(out, centred(part, columns, rolePlain))
	}
	for _, part := range wrap(shownLine(p.conf.Path), columns) {
		out = append(out, centred(part, columns, roleMuted))
	}
	compact := columns < config.SettingsCompact && p.size[1] >= roomyRows
	for i, row := range settingRows {
		if row.section != "" {
			out = append(out, nil, text(row.section, roleStrong))
		} else if compact {
			out = append(out, nil)
		}
		out = append(out, o.rowLine(p, i, columns))
	}
	return append(out, nil)
}

// rowLine is a row with its value at the right end.
func (o *settingsList) rowLine(p *Pane, i, columns int) line {
	row := settingRows[i]
	pointer, r := p.look.pointing(i == o.row), rolePlain
	if i == o.row {
		r = roleFocused
	}
	value, valueRole := o.value(p, i)
	label := cut(row.label, max(1, columns-3-width(value)))
	gap := max(1, columns-2-width(label)-width(value))
	l := line{
		{text: pointer, role: roleAccent},
		{text: label, role: r, caret: i == o.row},
		{text: strings.Repeat(" ", gap)},
		{text: value, role: valueRole},
	}
	if row.label == "" {
		l = line{{text: pointer, role: roleAccent}, {text: value, role: valueRole, caret: i == o.row}}
	}
	return l.with(target{kind: hitSetting, index: i})
}

func (o *settingsList) value(p *Pane, i int) (string, role) {
	switch {
	case i == keysRow:
		return "[show]", rolePlain
	case i == resetRow && o.confirming():
		return "[confirm reset]", roleWarning
	case i == resetRow:
		return "[reset all]", rolePlain
	}
	s := o.settings(p)
	if word := settingRows[i].word; word != nil {
		return "[" + *word(&s) + "]", rolePlain
	}
	if seconds := settingRows[i].seconds; seconds != nil && *seconds(&s) > 0 {
		return fmt.Sprintf("[%d s]", *seconds(&s)), roleSuccess
	}
	if field := settingRows[i].field; field != nil && *field(&s) {
		return "[on]", roleSuccess
	}
	return "[off]", roleMuted
}

// about is the focused row's description, always as high, so that the list does not jump.
func (o *settingsList) about(columns, height int) []line {
	out := make([]line, height)
	parts := wrap(settingRows[o.row].about, columns)
	for i, part := range parts[:min(len(parts), height)] {
		if i == height-1 && len(parts) > height {
			part = cut(part+"…", columns)
		}
		out[i] = text(part, roleMuted)
	}
	return out
}

// messages are a failed save, or what was wrong with the file when it was read.
func (o *settingsList) messages(p *Pane, columns int) []line {
	var out []line
	say := func(s string, r role) {
		for _, part := range wrap(shownLine(s), columns) {
			out = append(out, text(part, r))
		}
	}
	if o.failed != "" {
		say(o.failed, roleError)
		return out
	}
	for _, n := range p.conf.Notices {
		if !o.saved {
			say(n.Text, roleWarning)
		}
	}
	return out
}

func centred(s string, columns int, r role) line {
	return text(strings.Repeat(" ", max(0, (columns-width(s))/2))+s, r)
}

func drawRounded(c *canvas, r rect) {
	inner := strings.Repeat("─", max(0, r.w-2))
	c.line(r, text(c.look.say("╭"+inner+"╮"), roleMuted))
	for y := 1; y < r.h-1; y++ {
		c.stroke(r.x, r.y+y, "│", roleMuted)
		c.stroke(r.x+r.w-1, r.y+y, "│", roleMuted)
	}
	c.line(r.rows(r.h-1, 1), text(c.look.say("╰"+inner+"╯"), roleMuted))
}
