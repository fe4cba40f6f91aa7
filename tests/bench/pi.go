package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	piextension "askd/cmd/pi-extension"
	"askd/tests/modelserver"
	"askd/tests/pienv"
)

// insideForm is an extension whose tool shows a form of the agent's own.
//
//go:embed inside.js
var insideForm []byte

// piRig is a real agent and an askd, each in a terminal of its own, and a model that asks through either.
type piRig struct {
	b     *bench
	model *modelserver.Server
	pi    *terminal
	askd  *pane
	holds map[string]chan struct{} // by call: closed when the model is to call
	round int
}

// Calls of a rig: the floor's have a tool of their own.
const (
	askedInside = "inside"
	askedInAskd = "askd"
)

func callID(kind string, round int) string { return fmt.Sprintf("call_%s_%03d", kind, round) }

// prompt is what a form asks in a round: nothing of it is on the screen before.
func prompt(kind string, round int) string {
	return fmt.Sprintf("Which %s%c%d?", kind, 'A'+round%26, round)
}

// startPi starts everything and waits for the agent's prompt.
func startPi(t testing.TB, b *bench) (*piRig, error) {
	r := &piRig{b: b, holds: map[string]chan struct{}{}}
	var rules []modelserver.Rule
	for round := range b.rounds + 1 {
		for _, kind := range []string{askedInside, askedInAskd} {
			hold := make(chan struct{})
			r.holds[callID(kind, round)] = hold
			call := modelserver.Call{ID: callID(kind, round), Name: "ask_user", Args: map[string]any{"questions": []any{map[string]any{
				"id": "q", "prompt": prompt(kind, round), "options": []any{map[string]any{"value": "a", "label": "Alpha"}, map[string]any{"value": "b", "label": "Beta"}},
			}}}}
			if kind == askedInside {
				call.Name, call.Args = "ask_inside", map[string]any{"prompt": prompt(kind, round), "options": []string{"Alpha", "Beta"}}
			}
			rules = append(rules, modelserver.Rule{Match: modelserver.User("go " + callID(kind, round)), Reply: modelserver.Reply{Hold: hold, Calls: []modelserver.Call{call}}})
		}
	}
	r.model = modelserver.Start(t, rules...)
	current, home := pienv.Current(t), pienv.NewHome(t, r.model.URL())
	if err := os.CopyFS(filepath.Join(home.Extensions(), "askd"), piextension.Files()); err != nil {
		return nil, err
	}
	inside := filepath.Join(home.Extensions(), "inside")
	if err := os.MkdirAll(inside, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(inside, "index.js"), insideForm, 0o600); err != nil {
		return nil, err
	}
	var err error
	if r.askd, err = b.openPane("", "PI_CODING_AGENT_DIR="+home.AgentDir); err != nil {
		return nil, err
	}
	env := home.Env("ASKD_SOCKET=" + r.askd.socket)
	if r.pi, err = b.openTerminal(home.Project, env, current.Bin("node"), current.Bin("pi")); err != nil {
		return nil, err
	}
	return r, r.pi.until("scripted")
}

// key is a key and what is to be seen of it before the next.
type key struct{ press, shows string }

// ask says the word for a call, lets the model make it and waits for its form on a screen; then it answers with keys, each
// once what the one before it does is to be seen, and waits for the model to hear of it.
func (r *piRig) ask(t testing.TB, kind string, on *terminal, keys ...key) (shown, answered time.Duration, err error) {
	id := callID(kind, r.round)
	if err := r.say("go " + id); err != nil {
		return 0, 0, err
	}
	if err := r.pi.quiet(); err != nil {
		return 0, 0, err
	}
	if err := on.quiet(); err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	close(r.holds[id])
	if err := on.until(prompt(kind, r.round)); err != nil {
		return 0, 0, err
	}
	shown = time.Since(begin)
	time.Sleep(guard)
	for i, k := range keys {
		if err := on.quiet(); err != nil {
			return 0, 0, err
		}
		if i == len(keys)-1 {
			begin = time.Now()
		}
		if err := on.press(k.press, k.shows); err != nil {
			return 0, 0, err
		}
	}
	r.model.WaitToolResult(t, id)
	answered = time.Since(begin)
	if err := r.pi.until("done"); err != nil {
		return 0, 0, err
	}
	return shown, answered, r.pi.quiet()
}

// say sends the agent a message. While it still starts it takes none.
func (r *piRig) say(text string) error {
	if err := r.pi.keys(text); err != nil {
		return err
	}
	if err := r.pi.until(text); err != nil {
		return err
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		if err := r.pi.quiet(); err != nil {
			return err
		}
		if err := r.pi.keys("\r"); err != nil {
			return err
		}
		for range 50 {
			if slices.ContainsFunc(r.model.Requests(), func(m modelserver.Request) bool { return m.Last().Content == text }) {
				return nil
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	return fmt.Errorf("the agent did not take %q", text)
}

// piRatios measures both halves of a question, in turn inside the agent and in askd.
func (b *bench) piRatios(t testing.TB) (shown, answered []float64, err error) {
	r, err := startPi(t, b)
	if err != nil {
		return nil, nil, err
	}
	for ; r.round <= b.rounds; r.round++ {
		floorShown, floorAnswered, err := r.ask(t, askedInside, r.pi, key{press: "\r"})
		if err != nil {
			return nil, nil, err
		}
		askdShown, askdAnswered, err := r.ask(t, askedInAskd, r.askd.terminal, key{"1", "Submit"}, key{press: "\r"})
		if err != nil {
			return nil, nil, err
		}
		if r.round == 0 {
			continue // both are slower the first time
		}
		shown = append(shown, float64(askdShown)/float64(floorShown))
		answered = append(answered, float64(askdAnswered)/float64(floorAnswered))
	}
	return shown, answered, nil
}

func piShownRow(b *bench) (string, error) {
	return b.guarded(func(t testing.TB) (string, error) {
		shown, answered, err := b.piRatios(t)
		if err != nil {
			return "", err
		}
		b.answered = answered
		return spread(shown), nil
	})
}

// piAnsweredRow is the other half of what piShownRow has measured.
func piAnsweredRow(b *bench) (string, error) {
	if b.answered == nil {
		return "", fmt.Errorf("see the row before")
	}
	return spread(b.answered), nil
}
