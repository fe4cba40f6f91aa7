package ui

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rivo/tview"

	"askd/config"
)

// prompt is one line to type, above the list of past questions.
type prompt struct {
	label  string
	area   *tview.TextArea
	export bool
}

func newPrompt(label, text string, changed func(string)) *prompt {
	return &prompt{label: label, area: newArea(text, changed).SetWrap(false)}
}

// askSearch begins or goes on with a search; it looks for what is typed at once.
func (o *history) askSearch(p *Pane) {
	o.prompt = newPrompt("Search: ", o.query.Text, func(text string) { o.search(p, text) })
}

// askPath asks for the file that the list is written to.
func (o *history) askPath(p *Pane) {
	if o.total <= 0 || o.wrote {
		return
	}
	name := "askd-history-" + p.o.Now().Format("2006-01-02") + ".md"
	o.prompt = newPrompt("Write to: ", filepath.Join("~", name), func(string) {})
	o.prompt.export = true
}

func (o *history) promptKey(p *Pane, s stroke) {
	action, _ := p.conf.Keymaps.Action(config.Editor, s.name)
	switch {
	case action == "submit" || s.name == "enter":
		if s.repeats == pressed {
			o.finishPrompt(p)
		}
	case action == "close" || s.name == "esc" || p.global(s.name) == "dismiss":
		if s.repeats == pressed {
			o.dropPrompt(p)
		}
	case historyMoves[s.name] != nil && !o.prompt.export:
		o.move(historyMoves[s.name](o))
	case newlineKeys[s.name] || s.name == "tab" || s.name == "shift+tab":
	default:
		o.said = ""
		o.prompt.area.InputHandler()(s.event, nowhere)
	}
}

// finishPrompt keeps the search, or writes the file.
func (o *history) finishPrompt(p *Pane) {
	if !o.prompt.export {
		o.prompt = nil
		return
	}
	path, err := exportPath(o.prompt.area.GetText())
	if err != nil {
		o.say(err.Error(), roleError)
		return
	}
	o.prompt = nil
	o.export(p, path)
}

// dropPrompt takes back what was being typed.
func (o *history) dropPrompt(p *Pane) {
	search := !o.prompt.export
	o.prompt, o.said = nil, ""
	if search {
		o.search(p, "")
	}
}

// paste puts a pasted text into the line that is being typed; anywhere else in the list it does nothing.
func (o *history) paste(text string) {
	if o.prompt != nil {
		o.prompt.area.PasteHandler()(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }), " "), nowhere)
	}
}

// exportPath is the file that a person means: in the home folder unless they name another.
func exportPath(typed string) (string, error) {
	typed = strings.TrimSpace(typed)
	if typed == "" {
		return "", errors.New("Name a file to write to.")
	}
	if filepath.IsAbs(typed) {
		return filepath.Clean(typed), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("Your home folder is not known here. Name the file with its whole path.")
	}
	if rest, ok := strings.CutPrefix(typed, "~/"); ok {
		typed = rest
	}
	return filepath.Join(home, typed), nil
}

// export writes the list as it is searched now, away from the event loop. It goes on when the person closes the list; then
// the pane says what came of it.
func (o *history) export(p *Pane, path string) {
	o.wrote = true
	o.say("Writing to "+shownLine(path)+"…", rolePlain)
	q := o.query
	p.o.Go("history export", func() {
		n, err := p.o.History.Export(context.Background(), path, q)
		p.post(func() {
			o.wrote = false
			says, r := p.look.exported(path, n, err)
			o.say(says, r)
			if err != nil && !o.shown(p.overlay) {
				p.fault = says
			}
			if errors.Is(err, fs.ErrExist) && o.prompt == nil && p.overlay == overlay(o) {
				o.askPath(p)
				o.prompt.area.SetText(path, true)
			}
		})
	})
}

// exported says what came of an export.
func (k *look) exported(path string, n int, err error) (string, role) {
	switch {
	case errors.Is(err, fs.ErrExist):
		return shownLine(path) + " exists already and was left alone. Choose another name.", roleError
	case err != nil:
		return fmt.Sprintf("The file was not written: %s. Choose another place, or free some space.", shownLine(err.Error())), roleError
	}
	return fmt.Sprintf(k.say("✓ %s written to %s"), questions(n), shownLine(path)), roleSuccess
}

// questions counts questions in words.
func questions(n int) string {
	if n == 1 {
		return "1 question"
	}
	return grouped(n) + " questions"
}

// grouped writes a number with a comma before every three digits.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
