package ui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"askd/broker"
	"askd/broker/ask"
)

// oneMux is a multiplexer of the kind tmux that notes where it was sent.
type oneMux struct {
	visits []string
	fail   error
}

func (m *oneMux) Reaches(t broker.Terminal) bool { return t.Kind == "tmux" }

func (m *oneMux) Visit(_ context.Context, t broker.Terminal) error {
	m.visits = append(m.visits, t.ID)
	return m.fail
}

// inTerminals gives the sessions of the queue terminals.
func inTerminals(s *stage) *oneMux {
	m := &oneMux{}
	s.pane.o.Multiplexer = m
	s.atOnce()
	queue(s)
	s.desk.set(func(snap *broker.Snapshot) {
		snap.Sessions = []broker.SessionView{
			{ID: "checkout-api", Name: "checkout-api", Terminal: &broker.Terminal{Kind: "tmux", ID: "%1"}},
			{ID: "docs-site", Name: "docs-site", Terminal: &broker.Terminal{Kind: "kitty", ID: "2"}},
			{ID: "billing", Name: "billing", Host: "elsewhere.example", Terminal: &broker.Terminal{Kind: "tmux", ID: "%3"}},
		}
	})
	return m
}

func TestFromTheInboxToTheAgent(t *testing.T) {
	s := newStage(t, 120, 40)
	m := inTerminals(s)
	s.keys("alt+q")
	if len(m.visits) > 0 {
		t.Fatal("the focus moved with the first key")
	}
	shows(t, s.frame(), "Alt+Q agent")
	s.keys("alt+q")
	if got := strings.Join(m.visits, " "); got != "%1" {
		t.Errorf("visited %q", got)
	}
	shows(t, s.frame(), "Which store holds the orders?", "Enter confirm")
	m.fail = errors.New("tmux has no pane %1 any more")
	s.keys("alt+q", "alt+q")
	shows(t, s.frame(), "The agent's terminal could not be reached: tmux has no pane %1 any more.", "Enter confirm")
}

// Where the agent cannot be visited the key goes back to the form, as without a multiplexer.
func TestFromTheInboxBackToTheForm(t *testing.T) {
	for name, downs := range map[string]int{"another multiplexer": 1, "asker gone": 2, "another machine": 3} {
		s := newStage(t, 120, 40)
		m := inTerminals(s)
		s.keys("alt+q")
		for range downs {
			s.keys("down")
		}
		shows(t, s.frame(), "Alt+Q back")
		s.keys("alt+q")
		if len(m.visits) > 0 {
			t.Errorf("%s: visited %v", name, m.visits)
		}
		shows(t, s.frame(), "Enter confirm")
	}
}

// With nothing asked the key goes back to the only agent there is; nothing else moves the focus.
func TestFromAnEmptyPaneToTheOnlyAgent(t *testing.T) {
	s := newStage(t, 80, 24)
	m := &oneMux{}
	s.pane.o.Multiplexer = m
	s.atOnce()
	one := broker.SessionView{ID: "a", Name: "a", Host: s.pane.host, Terminal: &broker.Terminal{Kind: "tmux", ID: "%9"}}
	s.desk.set(func(snap *broker.Snapshot) { snap.Sessions = []broker.SessionView{one} })
	shows(t, s.frame(), "Alt+Q agent")
	s.keys("alt+q")
	s.desk.ask(small(s.clock, "b", "r", "Tone", 0, false))
	s.keys("1", "1", "1")
	s.desk.set(func(snap *broker.Snapshot) { snap.Sessions = []broker.SessionView{one, {ID: "b", Name: "b"}} })
	s.keys("alt+q")
	if got := strings.Join(m.visits, " "); got != "%9" {
		t.Errorf("visited %q", got)
	}
}

// A view that is opened from outside, as /ask-queue does, never leads back to the agent.
func TestOpenQueueStaysInThePane(t *testing.T) {
	s := newStage(t, 80, 24)
	m := &oneMux{}
	s.pane.o.Multiplexer = m
	s.atOnce()
	one := broker.SessionView{ID: "a", Name: "a", Host: s.pane.host, Terminal: &broker.Terminal{Kind: "tmux", ID: "%9"}}
	s.desk.set(func(snap *broker.Snapshot) { snap.Sessions = []broker.SessionView{one} })
	shows(t, s.frame(), "Alt+Q agent")
	s.pane.Open("queue", ask.Key{})
	shows(t, s.frame(), "When an agent asks, its form appears here.")
	if len(m.visits) > 0 {
		t.Errorf("visited %v", m.visits)
	}
	s.keys("alt+q")
	if got := strings.Join(m.visits, " "); got != "%9" {
		t.Errorf("the key visited %q", got)
	}
}
