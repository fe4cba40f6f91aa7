package wire

import (
	"encoding/json"
	"errors"
	"slices"

	"askd/broker"
	"askd/broker/ask"
	"askd/config"
)

// Settings is what the socket needs of the settings file. Its methods may read and write the disk.
type Settings interface {
	// Current is what the file means now.
	Current() config.Loaded
	// Set changes one key; null puts its default back. A failed save is a *config.SaveError and leaves the old value.
	Set(key string, value json.RawMessage) (config.Loaded, error)
	// Question is what the settings of ask_user_question mean for an asker with this Pi folder (empty: the daemon's own) and
	// these variables.
	Question(agentDir string, env map[string]string) config.QuestionLoaded
	// SetQuestion changes one of them; text is as a person types it. Errors are *config.QuestionSaveError or
	// config.ErrUnknownKey.
	SetQuestion(agentDir, key, text string) error
	// SetProject writes the word of a project's own file on background-only questions, nil to take it back.
	SetProject(project string, backgroundOnly *bool) error
}

// SettingsResult is the result of settings.get and settings.set.
type SettingsResult struct {
	Settings  config.Settings `json:"settings"`
	Effective config.Settings `json:"effective"`
	Path      string          `json:"path"`
	Notices   []config.Notice `json:"notices"`
	Saved     *bool           `json:"saved,omitempty"` // settings.set only
	Message   string          `json:"message,omitempty"`
}

type settingsParams struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
	File  string          `json:"file"`
	Scope string          `json:"scope"`
}

var errNoSettings = &broker.Error{Kind: broker.Unavailable, Message: "this daemon has no settings file"}

func settingsResult(l config.Loaded) SettingsResult {
	notices := l.Notices
	if notices == nil {
		notices = []config.Notice{}
	}
	return SettingsResult{Settings: l.Settings, Effective: l.Settings, Path: l.Path, Notices: notices}
}

// settingsFile is what can be done with one file in one scope.
type settingsFile struct {
	get func(c *Conn) (any, error)
	set func(c *Conn, p settingsParams, reply broker.Reply)
}

// settingsFiles are the files by name and scope; the empty words stand for the first.
var settingsFiles = map[[2]string]settingsFile{
	{"ask", "global"}:      {func(c *Conn) (any, error) { return settingsResult(c.server.o.Settings.Current()), nil }, setAsk},
	{"ask", "project"}:     {getProject, setProject},
	{"question", "global"}: {getQuestion, setQuestion},
}

// fileOf reads the parameters of both methods and finds their file.
func fileOf(c *Conn, raw json.RawMessage) (p settingsParams, f settingsFile, err error) {
	if c.server.o.Settings == nil {
		return p, f, errNoSettings
	}
	if err = decodeParams(raw, &p); err != nil {
		return p, f, err
	}
	if p.File == "" {
		p.File = "ask"
	}
	if p.Scope == "" {
		p.Scope = "global"
	}
	f, ok := settingsFiles[[2]string{p.File, p.Scope}]
	if !ok {
		path := "file"
		if _, named := settingsFiles[[2]string{p.File, "global"}]; named {
			path = "scope"
		}
		return p, f, &broker.Error{
			Kind: broker.InvalidParams, Path: path, Message: "there are no settings of the file \"" + p.File + "\" in the scope \"" + p.Scope + "\"",
			Hint: "use the file ask in the scope global or project, or the file question in the scope global",
		}
	}
	return p, f, nil
}

func settingsGet(c *Conn, raw json.RawMessage, reply broker.Reply) {
	_, f, err := fileOf(c, raw)
	if err != nil {
		reply(nil, err)
		return
	}
	reply(f.get(c))
}

func settingsSet(c *Conn, raw json.RawMessage, reply broker.Reply) {
	p, f, err := fileOf(c, raw)
	switch {
	case err != nil:
		reply(nil, err)
	case c.origin.Foreign() && !settableFromAfar(p):
		reply(nil, &broker.Error{
			Kind: broker.Unavailable, Path: "key", Message: "this setting is changed on askd's own machine alone",
			Hint: "it can make askd run commands or let agents answer; change it in askd's pane",
		})
	case len(p.Value) == 0:
		reply(nil, &broker.Error{Kind: broker.InvalidParams, Path: "value", Message: "value is missing", Hint: "send a value, or null for the default"})
	default:
		f.set(c, p, reply)
	}
}

func setAsk(c *Conn, p settingsParams, reply broker.Reply) {
	loaded, err := c.server.o.Settings.Set(p.Key, p.Value)
	var failed *config.SaveError
	switch {
	case errors.As(err, &failed):
		reply(savedResult(loaded, false, failed.Error()), nil)
	case errors.Is(err, config.ErrInvalidValue):
		reply(nil, &broker.Error{Kind: broker.InvalidParams, Path: "value", Message: err.Error()})
	case err != nil:
		reply(nil, &broker.Error{Kind: broker.InvalidParams, Path: "key", Message: err.Error()})
	default:
		reply(savedResult(loaded, true, ""), nil)
	}
}

func savedResult(l config.Loaded, saved bool, message string) SettingsResult {
	r := settingsResult(l)
	r.Saved, r.Message = &saved, message
	return r
}

type paneOpenParams struct {
	View      string `json:"view"`
	RequestID string `json:"requestId"`
	Session   string `json:"session"`
}

// paneViews are the views that pane.open knows.
var paneViews = []string{"settings", "queue", "history", "form"}

func paneOpen(c *Conn, raw json.RawMessage, reply broker.Reply) {
	var p paneOpenParams
	if err := decodeParams(raw, &p); err != nil {
		reply(nil, err)
		return
	}
	if !slices.Contains(paneViews, p.View) {
		reply(nil, &broker.Error{Kind: broker.InvalidParams, Path: "view", Message: "view: unknown value \"" + p.View + "\"", Hint: "use settings, queue, history or form"})
		return
	}
	if c.server.o.OpenPane == nil || !c.server.o.OpenPane(p.View, ask.Key{Session: p.Session, Request: p.RequestID}) {
		reply(nil, &broker.Error{Kind: broker.Unavailable, Message: "no pane is attached to askd", Hint: "run askctl attach in a terminal"})
		return
	}
	reply(struct{}{}, nil)
}

// focused is the result of pane.focus.
type focused struct {
	Moved bool `json:"moved"`
}

// paneFocus runs the multiplexer's commands on a goroutine of its own.
func paneFocus(c *Conn, reply broker.Reply) {
	focus := c.server.o.FocusPane
	if focus == nil {
		reply(focused{}, nil)
		return
	}
	c.client.Whereabouts(func(result any, err error) {
		if err != nil {
			reply(nil, err)
			return
		}
		c.server.o.Go("pane focus", func() { reply(focused{focus(result.(*broker.Terminal))}, nil) })
	})
}
