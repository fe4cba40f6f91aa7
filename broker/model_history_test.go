package broker_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The variables that replay a history, and that make a run longer.
const (
	seedVariable  = "ASKD_MODEL_SEED"
	stepsVariable = "ASKD_MODEL_STEPS"
)

// historySteps is the length of one history: many short ones reach more corners than one long one.
const historySteps = 40

// modelSteps is how many steps all histories of a run take together.
const modelSteps = 12_000

// model is a random history: people, agents' programs and askd, each of which may die at any moment.
type model struct {
	tb        testing.TB
	seed      uint64
	rng       *rand.Rand
	lives     *lives
	files     []*sessionFile
	processes []*process
	promises  []*promise
	said      map[string][]string // by request: the words of the person's answers
	decided   map[string]int      // by request, for a fork may inherit an outcome: submits
	dismissed map[string]int      // cancels
	shared    map[string]bool     // requests of one of several processes of a session: each knows the other's entries only later
	n         int                 // of ids made
	log       []string
	faults    []string
}

// TestBranchHistories runs random histories of the broker over real files. A failure names its seed; ASKD_MODEL_SEED=<seed> replays that history
// alone, ASKD_MODEL_STEPS sets how many steps a run takes.
func TestBranchHistories(t *testing.T) {
	dir := memoryDir(t)
	if s := os.Getenv(seedVariable); s != "" {
		seed, err := strconv.ParseUint(s, 10, 64)
		must(t, err)
		runHistory(t, dir, seed)
		return
	}
	steps := modelSteps
	if s := os.Getenv(stepsVariable); s != "" {
		var err error
		steps, err = strconv.Atoi(s)
		must(t, err)
	}
	start := rand.Uint64() >> 16
	for i := range steps/historySteps + 1 {
		if runHistory(t, dir, start+uint64(i)); t.Failed() {
			return
		}
	}
}

func runHistory(tb testing.TB, dir string, seed uint64) {
	m := &model{
		tb: tb, seed: seed, rng: rand.New(rand.NewPCG(seed, 1)), lives: newLives(tb, dir, fmt.Sprint(seed)),
		said: map[string][]string{}, shared: map[string]bool{}, decided: map[string]int{}, dismissed: map[string]int{},
	}
	defer func() {
		if tb.Failed() && len(m.faults) == 0 { // something gave up waiting
			tb.Logf("%s=%d after\n%s", seedVariable, seed, strings.Join(m.log, "\n"))
		}
	}()
	m.startProcess(m.newFile(), "startup")
	for range historySteps {
		m.step()
		if m.report() {
			break
		}
	}
	m.epilogue()
	m.report()
	os.Remove(m.lives.path)
}

// epilogue brings everybody back, answers everything and looks that it all arrived.
func (m *model) epilogue() {
	if len(m.faults) == 0 {
		for _, f := range m.files {
			if !slices.ContainsFunc(m.processes, func(p *process) bool { return p.file == f }) {
				m.startProcess(f, "startup")
			}
		}
		m.calm()
		for round := 0; len(m.faults) == 0 && m.answerAll(); round++ {
			if m.calm(); round > 10 {
				m.fault("an answered form comes back again and again")
			}
		}
	}
	for _, p := range m.processes {
		if p.line != nil {
			p.disconnect()
		}
	}
	m.processes = nil
	if m.lives.broker != nil {
		m.lives.kill(true)
	}
	m.checkPromises()
	m.checkOutcomes()
}

// report fails the test with what went wrong and how it came about.
func (m *model) report() bool {
	if len(m.faults) == 0 {
		return false
	}
	if !m.tb.Failed() {
		m.tb.Errorf("%s=%d\n%s\nafter\n%s", seedVariable, m.seed, strings.Join(m.faults, "\n"), strings.Join(m.log, "\n"))
	}
	return true
}

func (m *model) fault(format string, a ...any) {
	m.faults = append(m.faults, fmt.Sprintf(format, a...))
}

func (m *model) trace(format string, a ...any) { m.log = append(m.log, fmt.Sprintf(format, a...)) }

// coin is true once in n.
func (m *model) coin(n int) bool { return m.rng.IntN(n) == 0 }

// pick gives a random element; ok is false when there is none.
func pick[T any](m *model, all []T) (one T, ok bool) {
	if len(all) == 0 {
		return one, false
	}
	return all[m.rng.IntN(len(all))], true
}

// step does one random thing that can be done.
func (m *model) step() {
	total := 0
	for _, s := range steps {
		total += s.weight
	}
	for range 100 {
		n := m.rng.IntN(total)
		for _, s := range steps {
			if n -= s.weight; n >= 0 {
				continue
			}
			mark := len(m.log)
			if m.trace("-- %s", s.name); s.do(m) {
				m.rest()
				return
			}
			m.log = m.log[:mark]
			break
		}
	}
}

// rest lets askd come to rest after each step, but for a commit that is held, and everybody after some steps.
func (m *model) rest() {
	if m.lives.broker == nil {
		return
	}
	m.lives.settle()
	if m.coin(10) {
		m.calm()
	}
}

// calm lets everybody do what is left to do, and then looks whether all is as it should be.
func (m *model) calm() {
	m.trace("calm")
	m.lives.disk.release()
	if m.lives.broker == nil {
		m.lives.start()
	}
	for round := 0; ; round++ {
		did := false
		for _, p := range m.processes {
			if p.line == nil {
				p.connect()
				did = true
			}
			did = p.finish() || did
		}
		m.lives.settleCancels()
		if !did && !slices.ContainsFunc(m.processes, func(p *process) bool { return p.line.waiting() > 0 }) {
			break
		}
		if round > 1000 {
			m.fault("it never comes to rest")
			return
		}
	}
	m.checkCalm()
}
