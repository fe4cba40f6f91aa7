package tests

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// crashSteps are the named steps of askd (package daemon, Steps) at which a process without a pane can be killed.
var crashSteps = []string{
	"received", "validated", "before-request-committed", "request-committed", "before-accepted-sent", "half-accepted-sent", "accepted-sent",
	"submitted", "before-outcome-committed", "outcome-committed", "before-outcome-sent", "half-outcome-sent", "outcome-sent",
	"ack-received", "before-ack-committed", "ack-committed",
}

// crashRounds is how often askd is killed in one test: each step twice, or as often as ASKD_CRASH_ROUNDS says.
func crashRounds(t testing.TB, short int) int {
	t.Helper()
	text := os.Getenv("ASKD_CRASH_ROUNDS")
	if text == "" {
		return short
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("ASKD_CRASH_ROUNDS: %v", err)
	}
	return n
}

// form is one question as a client asks it.
type form struct {
	id, session, title string
	background         bool
}

func (f form) params() map[string]any {
	var arguments map[string]any
	_ = json.Unmarshal([]byte(dbQuestion), &arguments)
	arguments["title"] = f.title
	if f.background {
		arguments["background"] = true
	}
	return map[string]any{"tool": "ask_user", "requestId": f.id, "toolCallId": "t" + f.id, "arguments": arguments}
}

// crashed is one data file over many lives of askd, and everything that any of them has promised.
type crashed struct {
	t      *testing.T
	place  place
	rng    *rand.Rand
	askers []*asker
	person *asker
	at     string // the round and its step, for failures
	dead   bool   // the running askd has gone

	asked    map[string]form
	accepted map[string]bool
	tried    map[string]map[string]bool // request -> what the person has tried to answer
	answered map[string]string          // request -> what the person was told is stored
	outcomes map[string]string          // request -> the outcome that somebody was told
}

func newCrashed(t *testing.T, seed uint64) *crashed {
	w := &crashed{
		t: t, place: newPlace(t), rng: rand.New(rand.NewPCG(seed, 0)), asked: map[string]form{}, accepted: map[string]bool{},
		tried: map[string]map[string]bool{}, answered: map[string]string{}, outcomes: map[string]string{},
	}
	for i := range 3 {
		w.askers = append(w.askers, newAsker(w, fmt.Sprintf("session-%d", i)))
	}
	w.person = newAsker(w, "person")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	})
	return w
}

// form makes a new question.
func (w *crashed) form(session string) form {
	n := len(w.asked)
	f := form{id: requestID(n), session: session, title: fmt.Sprintf("Form %d", n), background: w.rng.IntN(3) > 0}
	w.asked[f.id] = f
	return f
}

// result decodes a reply; an error is a fault of the test or of askd, but for what a dying askd may say.
func (w *crashed) result(m message, into any) bool {
	w.t.Helper()
	if m.Error != nil {
		w.t.Errorf("%s: %v", w.at, m)
		return false
	}
	if into == nil {
		return true
	}
	if err := json.Unmarshal(m.Result, into); err != nil {
		w.t.Errorf("%s: %v in %s", w.at, err, m.Result)
	}
	return true
}

// told notes an outcome that a client was told: it never changes again, and is what the person chose.
func (w *crashed) told(id, outcome, text string) {
	if known := w.outcomes[id]; known != "" && known != outcome {
		w.t.Errorf("%s: the outcome of %s was %s and is %s", w.at, id, known, outcome)
	}
	w.outcomes[id] = outcome
	if choice := w.answered[id]; choice != "" && !strings.Contains(text, choice) {
		w.t.Errorf("%s: %s was answered %s, and its agent told %q", w.at, id, choice, text)
	}
	if len(w.tried[id]) == 0 {
		w.t.Errorf("%s: nobody has answered %s, and its agent was told %q", w.at, id, text)
	}
}

// start runs askd, which halts at a step, and lets everybody connect.
func (w *crashed) start(halt string) *process {
	w.t.Helper()
	if halt != "" {
		halt = "ASKD_HALT=" + halt
	}
	w.dead = false
	proc := launchWith(w.t, w.place, []string{halt})
	within(w.t, "askd's socket", func() bool {
		select {
		case <-proc.ended:
			w.t.Fatalf("%s: askd ended: %v\n%s", w.at, proc.err, proc.stderr)
		default:
		}
		return answers(w.place.socket)
	})
	for _, a := range w.askers {
		a.come()
	}
	w.person.come()
	return proc
}

// tryDial is nil when askd has gone already.
func tryDial(t testing.TB, socket string) *raw {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return nil
	}
	c := &raw{t: t, conn: conn, lines: make(chan message, 4096)}
	t.Cleanup(func() { conn.Close() })
	go c.read()
	return c
}

// work does random things until askd has died or enough was done.
func (w *crashed) work(enough int) {
	for range enough {
		a := w.askers[w.rng.IntN(len(w.askers))]
		switch n := w.rng.IntN(6); {
		case w.dead:
			return
		case n < 3 && a.conn != nil:
			a.fresh()
		case n < 5:
			w.decide()
		}
		w.pump(0)
		if w.rng.IntN(4) == 0 {
			w.pump(5 * time.Millisecond)
		}
	}
}

func (w *crashed) pump(wait time.Duration) {
	for _, a := range append(w.askers, w.person) {
		a.pump(wait)
	}
}

// choices are what the person may choose, and how the agent reads it.
var choices = map[string]string{"pg": "Postgres", "lite": "SQLite"}

// decide answers a form of which the person knows, once or twice.
func (w *crashed) decide() {
	if w.person.conn == nil {
		return
	}
	for id := range w.accepted {
		if w.answered[id] == "" && w.outcomes[id] == "" {
			w.respond(id)
			return
		}
	}
}

func (w *crashed) respond(id string) {
	value := []string{"pg", "lite"}[w.rng.IntN(2)]
	if w.tried[id] == nil {
		w.tried[id] = map[string]bool{}
	}
	w.tried[id][choices[value]] = true
	w.person.send("form.respond", map[string]any{
		"requestId": id, "session": w.asked[id].session,
		"response": map[string]any{"kind": "answer", "answers": map[string]any{"db": map[string]any{"values": []string{value}}}},
	}, func(m message) {
		var r responded
		if w.result(m, &r); r.OK {
			w.answered[id] = choices[value]
		} else if r.Error != "flow_not_found" { // answered already
			w.t.Errorf("%s: answer to %s: %v", w.at, id, m)
		}
	})
}

// settle lets askd come to rest: every form answered, every answer in its session file.
func (w *crashed) settle() {
	w.t.Helper()
	within(w.t, "every form to be answered and delivered", func() bool {
		open := 0
		for id, f := range w.asked {
			if w.outcomes[id] != "" {
				continue
			}
			if open++; w.accepted[id] && w.answered[id] == "" {
				w.respond(id)
			} else if !w.accepted[id] && w.person.conn != nil {
				w.accepted[id] = w.known(f) // it was, and the word of it was lost
			}
		}
		w.pump(tick)
		return open == 0 || w.t.Failed() || w.dead
	})
	if w.dead {
		w.t.Fatalf("%s: askd has died by itself", w.at)
	}
}

// known asks askd for a request.
func (w *crashed) known(f form) bool {
	return dialRaw(w.t, w.place.socket).hello().call("request.get", fmt.Sprintf(`{"requestId":%q,"session":%q}`, f.id, f.session)).Error == nil
}

// verify compares what askd has with everything that was promised.
func (w *crashed) verify() {
	w.t.Helper()
	c := dialRaw(w.t, w.place.socket).hello()
	defer c.conn.Close()
	for id, f := range w.asked {
		var got struct {
			Request struct{ Title string }
			Outcome *struct{ ID string }
		}
		m := c.call("request.get", fmt.Sprintf(`{"requestId":%q,"session":%q}`, id, f.session))
		if m.Error != nil {
			if w.accepted[id] || w.outcomes[id] != "" {
				w.t.Errorf("%s: %s was accepted and is lost: %v", w.at, id, m)
			}
			continue
		}
		w.result(m, &got)
		if got.Request.Title != f.title {
			w.t.Errorf("%s: %s is %q, it was %q", w.at, id, got.Request.Title, f.title)
		}
		switch told := w.outcomes[id]; {
		case got.Outcome == nil && (told != "" || w.answered[id] != ""):
			w.t.Errorf("%s: the outcome of %s is lost", w.at, id)
		case told != "" && got.Outcome.ID != told:
			w.t.Errorf("%s: the outcome of %s was %s and is %s", w.at, id, told, got.Outcome.ID)
		}
	}
	var report struct{ Problems []string }
	c.must("journal.check", `{}`, &report)
	for _, p := range report.Problems {
		w.t.Errorf("%s: the data file: %s", w.at, p)
	}
}

// TestAskdDiesAtEachStep kills the real askd at each of its steps, and at random moments, again and again over one data
// file, while three agents ask and a person answers. What comes back is what was promised: accepted requests are there,
// outcomes that somebody was told are there and unchanged, each enters its session file once, and the file is sound.
func TestAskdDiesAtEachStep(t *testing.T) {
	t.Parallel()
	w := newCrashed(t, uint64(time.Now().UnixNano()))
	for round := range crashRounds(t, len(crashSteps)+4) {
		step, halt := "random", ""
		if n := round % (len(crashSteps) + 2); n < len(crashSteps) {
			step = crashSteps[n]
			halt = fmt.Sprintf("%s#%d", step, 1+w.rng.IntN(8))
		}
		w.at = fmt.Sprintf("round %d, %s", round, step)
		askd := w.start(halt)
		if halt == "" {
			w.work(10 + w.rng.IntN(60))
			askd.signal(syscall.SIGKILL)
		} else if w.work(5000); !w.dead {
			t.Errorf("%s: askd has not come to the step", w.at)
		}
		askd.wait(t)
		w.hangUp()
		if round%4 == 3 {
			w.rest()
		}
		if t.Failed() {
			return
		}
	}
	w.rest()
	t.Logf("%d requests, %d outcomes", len(w.accepted), len(w.outcomes))
}

// hangUp takes what had been sent before askd died.
func (w *crashed) hangUp() {
	for _, a := range append(w.askers, w.person) {
		for a.conn != nil {
			a.pump(tick)
		}
	}
}

// rest gives askd one life in peace and looks at everything.
func (w *crashed) rest() {
	w.t.Helper()
	w.at += ", afterwards"
	askd := w.start("")
	w.verify()
	w.settle()
	w.verify()
	if code := askd.stop(w.t, syscall.SIGTERM); code != 0 {
		w.t.Errorf("%s: exit code %d\n%s", w.at, code, askd.stderr)
	}
	w.hangUp()
}
