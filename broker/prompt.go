package broker

import (
	"time"

	"askd/broker/ask"
	"askd/broker/tool"
	"askd/config"
)

// asker is what a connection's last session.open said that calls need to know before they come on the desk. It is never
// changed.
type asker struct {
	session  string
	agentDir string
	env      map[string]string
	cwd      string
	trusted  bool
	remote   bool // what these name is on another machine
}

// Asker tells where the client's session lives: its Pi folder, its variables and, when the project is trusted, the
// project's folder. All are empty before session.open, and the folders of a client on another machine. Any goroutine may call it.
func (c *Client) Asker() (agentDir string, env map[string]string, project string) {
	a := c.asker.Load()
	if a == nil {
		return "", nil, ""
	}
	if a.remote {
		return "", a.env, "" // this machine has files of the same names, but they are others
	}
	if a.trusted {
		project = a.cwd
	}
	return a.agentDir, a.env, project
}

// prompt is how a prompt is to be shown, and for how long. It is settled once a call and never changes.
type prompt struct {
	settings ask.PromptSettings
	timeout  time.Duration // zero is none
	warning  string        // for the person at the agent's program
}

// prompt reads the settings for a call of a tool, nil for tools without. It reads the disk and so belongs on the caller's
// goroutine.
func (c *Client) prompt(t tool.Tool) *prompt {
	if !t.Prompted {
		return nil
	}
	dir, env, _ := c.Asker()
	return promptOf(c.b.o.Question(dir, env))
}

func promptOf(l config.QuestionLoaded) *prompt {
	s := l.Settings
	// A key that only looks like one is none: nothing can be pressed for it.
	key, _ := config.NormaliseKey(s.OverlayToggleKey)
	return &prompt{
		settings: ask.PromptSettings{DisplayMode: s.DisplayMode, Layout: s.SingleSelectLayout, ToggleKey: key},
		timeout:  s.Timeout, warning: l.Warning,
	}
}

// open notes on a new request how its prompt is shown and until when.
func (p *prompt) open(r *ask.Request) {
	settings := p.settings
	r.Prompt = &settings
	if p.timeout > 0 {
		r.Deadline = r.CreatedAt.Add(p.timeout)
	}
}

// questionWithoutFile is what the variables and the defaults say.
func questionWithoutFile(_ string, env map[string]string) config.QuestionLoaded {
	return config.LoadQuestion("", func(name string) (string, bool) {
		v, ok := env[name]
		return v, ok
	})
}
