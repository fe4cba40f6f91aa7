package tests

import (
	"testing"

	"askd/tests/tmuxtest"
)

// TestSameAnswerForSeveralAgents: three agents ask the same; the person answers one in the pane, says yes once, and each gets an
// outcome of its own.
func TestSameAnswerForSeveralAgents(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := openShell(t, tmuxtest.Start(t), p, 80, 24)
	s.askd()
	calls, agents := map[int]string{}, map[int]*raw{}
	for n, name := range map[int]string{1: "docs", 2: "api", 3: "web"} {
		agents[n] = connect(t, p, name)
		calls[n] = agents[n].begin(n, dbQuestion)
	}
	s.WaitFor("Which database?")
	s.PressUntil("2", "1. Submit")
	s.PressUntil("Enter", "waits from 2 other agents")
	s.PressUntil("y", "The same answer went to 2 other agents.")
	seen := map[string]bool{}
	for n, c := range agents {
		o := c.ended(calls[n])
		if o.Provenance.Outcome != "answered" || o.Provenance.Via != "pane" || seen[o.OutcomeID] {
			t.Errorf("%d ended as %+v", n, o.Provenance)
		}
		seen[o.OutcomeID] = true
	}
}
