package daemon

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// tmuxLink is a place of a pane: windows can be linked into several sessions.
type tmuxLink struct{ pane, session, window string }

// tmuxClient is a terminal that shows a session.
type tmuxClient struct {
	active             int // when it was last used
	session, pane, tty string
}

// tmux moves the focus to a pane: its window and itself become the ones shown, and where the terminal at which the person
// is shows another session, it is taken to this one. Without knowing where the person is nothing is switched.
func (m *mux) tmux(ctx context.Context, to, from string) error {
	links, err := m.tmuxLinks(ctx)
	if err != nil {
		return err
	}
	clients, err := m.tmuxClients(ctx)
	if err != nil {
		return err
	}
	at := clientAt(clients, links, from)
	link, ok := linkOf(links, to, at)
	if !ok {
		return fmt.Errorf("tmux has no pane %s any more", to)
	}
	if at == nil && !shownBy(clients, link.session) {
		return errNoClient
	}
	steps := [][]string{{"select-window", "-t", link.session + ":" + link.window}, {"select-pane", "-t", to}}
	if at != nil && at.session != link.session {
		steps = append(steps, []string{"switch-client", "-c", at.tty, "-t", link.session})
	}
	for _, step := range steps {
		if _, err := m.run(ctx, "tmux", step...); err != nil {
			return err
		}
	}
	return nil
}

func (m *mux) tmuxLinks(ctx context.Context) ([]tmuxLink, error) {
	out, err := m.run(ctx, "tmux", "list-panes", "-a", "-F", "#{pane_id} #{session_id} #{window_id}")
	var links []tmuxLink
	for _, row := range strings.Split(out, "\n") {
		if f := strings.Fields(row); len(f) == 3 {
			links = append(links, tmuxLink{f[0], f[1], f[2]})
		}
	}
	return links, err
}

func (m *mux) tmuxClients(ctx context.Context) ([]tmuxClient, error) {
	out, err := m.run(ctx, "tmux", "list-clients", "-F", "#{client_activity} #{session_id} #{pane_id} #{client_name}")
	var clients []tmuxClient
	for _, row := range strings.Split(out, "\n") {
		f := strings.SplitN(row, " ", 4)
		if len(f) != 4 {
			continue
		}
		active, _ := strconv.Atoi(f[0]) // without a number it counts as long unused
		clients = append(clients, tmuxClient{active, f[1], f[2], f[3]})
	}
	return clients, err
}

// clientAt is the terminal at which the person is: the last used of those that show the pane they come from, else of those
// whose session has it. nil when there is none.
func clientAt(clients []tmuxClient, links []tmuxLink, from string) *tmuxClient {
	has := map[string]bool{}
	for _, l := range links {
		if l.pane == from {
			has[l.session] = true
		}
	}
	var best *tmuxClient
	for i := range clients {
		c := &clients[i]
		if !has[c.session] {
			continue
		}
		if shows := c.pane == from; best == nil || shows && best.pane != from || shows == (best.pane == from) && c.active > best.active {
			best = c
		}
	}
	return best
}

// linkOf is where a pane is shown: in the session that the person looks at if it is there too.
func linkOf(links []tmuxLink, pane string, at *tmuxClient) (found tmuxLink, ok bool) {
	for _, l := range links {
		if l.pane != pane {
			continue
		}
		if at != nil && l.session == at.session {
			return l, true
		}
		if !ok {
			found, ok = l, true
		}
	}
	return found, ok
}

func shownBy(clients []tmuxClient, session string) bool {
	for _, c := range clients {
		if c.session == session {
			return true
		}
	}
	return false
}
