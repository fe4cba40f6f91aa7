package daemon

import (
	"askd/broker"
	"askd/broker/ask"
)

// waits hears of a form that waits for input. It is called by the broker and does not wait.
func (d *daemon) waits(r *ask.Request) {
	d.notifier.announce(r)
	if d.settings.Current().Settings.Pane.FocusOnAsk {
		d.guard.Go("focus", func() { d.focusPane(d.terminalOf(r.Session)) })
	}
}

// terminalOf is where the agent of a connected session runs, nil when that is unknown.
func (d *daemon) terminalOf(session string) *broker.Terminal {
	for _, s := range d.broker.Snapshot().Sessions {
		if s.ID == session {
			return s.Terminal
		}
	}
	return nil
}
