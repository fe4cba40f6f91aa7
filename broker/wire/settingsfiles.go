package wire

import (
	"encoding/json"
	"errors"

	"askd/broker"
	"askd/config"
)

// QuestionResult is the result of settings.get and settings.set for the file question. Settings has the saved values alone.
type QuestionResult struct {
	Settings  map[string]any  `json:"settings"`
	Effective questionValues  `json:"effective"`
	Path      string          `json:"path"`
	Notices   []config.Notice `json:"notices"`
	Saved     *bool           `json:"saved,omitempty"`   // settings.set only
	Message   string          `json:"message,omitempty"` // why nothing was or can be saved
}

// questionValues are the settings of ask_user_question in the words of their file.
type questionValues struct {
	DisplayMode        string `json:"displayMode"`
	SingleSelectLayout string `json:"singleSelectLayout"`
	OverlayToggleKey   string `json:"overlayToggleKey"` // off when there is none
	Timeout            int64  `json:"timeout"`          // milliseconds
}

func (v *questionValues) of(key string) any {
	return map[string]any{
		"displayMode": v.DisplayMode, "singleSelectLayout": v.SingleSelectLayout, "overlayToggleKey": v.OverlayToggleKey, "timeout": v.Timeout,
	}[key]
}

func getQuestion(c *Conn) (any, error) { return questionResult(c), nil }

// questionResult reads the file afresh. Of a file that cannot be used Message says why nothing can be saved in it.
func questionResult(c *Conn) *QuestionResult {
	dir, env, _ := c.client.Asker()
	l := c.server.o.Settings.Question(dir, env)
	s := l.Settings
	out := &QuestionResult{Settings: map[string]any{}, Path: l.Path, Notices: []config.Notice{}}
	out.Effective = questionValues{s.DisplayMode, s.SingleSelectLayout, s.OverlayToggleKey, s.Timeout.Milliseconds()}
	if s.OverlayToggleKey == "" {
		out.Effective.OverlayToggleKey = "off"
	}
	for key := range l.Saved {
		out.Settings[key] = out.Effective.of(key)
	}
	if l.Warning != "" {
		out.Notices = append(out.Notices, config.Notice{Level: config.Warning, Text: l.Warning})
		out.Message = (&config.QuestionSaveError{Path: l.Path, Err: l.Fault}).Error()
	}
	return out
}

func setQuestion(c *Conn, p settingsParams, reply broker.Reply) {
	dir, _, _ := c.client.Asker()
	err := c.server.o.Settings.SetQuestion(dir, p.Key, typed(p.Value))
	if errors.Is(err, config.ErrUnknownKey) {
		reply(nil, &broker.Error{Kind: broker.InvalidParams, Path: "key", Message: err.Error()})
		return
	}
	out, saved := questionResult(c), err == nil
	out.Saved = &saved
	if err != nil {
		out.Message = err.Error()
	}
	reply(out, nil)
}

// typed is a value as a person types it: a string's text, null for the default, else the JSON itself.
func typed(value json.RawMessage) string {
	var text *string
	switch {
	case json.Unmarshal(value, &text) != nil:
		return string(value)
	case text == nil:
		return "default"
	}
	return *text
}

// ProjectResult is the result of settings.get and settings.set in the scope project. Settings has what the project says,
// Effective what holds in it.
type ProjectResult struct {
	Settings struct {
		Behaviour struct {
			BackgroundOnly *bool `json:"backgroundOnly,omitempty"`
		} `json:"behaviour"`
	} `json:"settings"`
	Effective config.Settings `json:"effective"`
	Path      string          `json:"path"`
	Notices   []config.Notice `json:"notices"`
	Saved     *bool           `json:"saved,omitempty"` // settings.set only
	Message   string          `json:"message,omitempty"`
}

// project is the trusted project that the connection's session works in.
func (c *Conn) project() (string, error) {
	_, _, project := c.client.Asker()
	if project == "" {
		return "", &broker.Error{
			Kind: broker.Unavailable, Path: "scope", Message: "the session has no trusted project",
			Hint: "send session.open with cwd and projectTrusted first",
		}
	}
	return project, nil
}

func getProject(c *Conn) (any, error) {
	project, err := c.project()
	if err != nil {
		return nil, err
	}
	return projectResult(c, project), nil
}

func projectResult(c *Conn, project string) *ProjectResult {
	out := &ProjectResult{Effective: c.server.o.Settings.Current().Settings, Path: config.ProjectSettingsPath(project), Notices: []config.Notice{}}
	word, err := config.ProjectBackgroundOnly(out.Path)
	if err != nil {
		out.Notices = append(out.Notices, config.Notice{Level: config.Warning, Text: err.Error()})
	}
	out.Settings.Behaviour.BackgroundOnly = word
	if word != nil {
		out.Effective.Behaviour.BackgroundOnly = *word
	}
	return out
}

// setProject knows the one key that projects have.
func setProject(c *Conn, p settingsParams, reply broker.Reply) {
	project, err := c.project()
	if err != nil {
		reply(nil, err)
		return
	}
	var word *bool
	switch {
	case p.Key != "behaviour.backgroundOnly":
		err = &broker.Error{Kind: broker.InvalidParams, Path: "key", Message: "a project has no setting \"" + p.Key + "\"", Hint: "use behaviour.backgroundOnly"}
	case json.Unmarshal(p.Value, &word) != nil:
		err = &broker.Error{Kind: broker.InvalidParams, Path: "value", Message: "value: must be true, false or null"}
	}
	if err != nil {
		reply(nil, err)
		return
	}
	err = c.server.o.Settings.SetProject(project, word)
	out, saved := projectResult(c, project), err == nil
	out.Saved = &saved
	if err != nil {
		out.Message = err.Error()
	}
	reply(out, nil)
}
