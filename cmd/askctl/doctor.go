package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

// gravity says how much a finding matters.
type gravity string

const (
	fine  gravity = "ok"
	note  gravity = "note"  // as it is, some things are not possible
	wrong gravity = "wrong" // something does not work
)

// gravityStyles say how they look on a terminal.
var gravityStyles = map[gravity]style{fine: green, note: yellow, wrong: red}

// finding is one thing that doctor has looked at.
type finding struct {
	Check string  `json:"check"`
	State gravity `json:"state"`
	Text  string  `json:"text"`
	Next  string  `json:"next,omitempty"` // what to do; empty when it is fine
}

// doctor is what the checks look at.
type doctor struct {
	ctx    context.Context // of the run
	a      *app
	socket string
	fault  error   // why askd does not answer, nil when it does
	status *status // nil when it does not answer
}

// afar is the machine that askd runs on when it is another one than this, empty otherwise.
func (d *doctor) afar() string {
	if d.status == nil {
		return ""
	}
	if d.a.relayed {
		return d.status.Host
	}
	return machine(d.status.Host, thisHost())
}

// checks are what doctor looks at, in the order in which it tells.
var checks = []struct {
	name string
	look func(d *doctor) []finding
}{
	{"askd", (*doctor).askd},
	{"socket", (*doctor).socketFile},
	{"data file", (*doctor).dataFile},
	{"data file", (*doctor).records},
	{"speed", (*doctor).speed},
	{"clients", (*doctor).clients},
	{"pane", (*doctor).pane},
	{"pi", (*doctor).pi},
	{"settings", (*doctor).settings},
	{"multiplexer", (*doctor).multiplexer},
	{"locale", (*doctor).locale},
	{"terminal", (*doctor).terminal},
}

func (a *app) doctorVerb() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is wrong and say what to do about it",
		Long: `Look for what is wrong and say what to do about it: whether askd runs and is of this
version, the permissions of its files and whether the data holds together, how fast it is and which clients were too
slow for it, the extension in Pi, the pane, the terminal.
Nothing is changed.

--json prints an array of {check, state, text, next}, state being ok, note or wrong.
Exit codes: 0 nothing is wrong, 1 something is.`,
		Example: `askctl doctor`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.examine(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&a.agentDir, "agent-dir", "", "`PATH` of Pi's folder (default $PI_CODING_AGENT_DIR, else ~/.pi/agent)")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) examine(ctx context.Context) error {
	d := &doctor{ctx: ctx, a: a}
	if d.socket, d.fault = a.socketPath(); d.fault == nil {
		var s status
		if d.fault = a.look(ctx, &s); d.fault == nil {
			d.status = &s
		}
	}
	var all []finding
	for _, c := range checks {
		for _, f := range c.look(d) {
			f.Check = c.name
			all = append(all, f)
		}
	}
	return a.tellFindings(all)
}

func (a *app) tellFindings(all []finding) error {
	bad := 0
	for _, f := range all {
		if f.State == wrong {
			bad++
		}
	}
	if a.json {
		if err := a.out.writeJSON(all); err != nil {
			return err
		}
	} else {
		a.drawFindings(all)
	}
	switch bad {
	case 0:
		return nil
	case 1:
		return &exitError{code: exitFailed, text: "1 thing is wrong, see above for what to do"}
	}
	return &exitError{code: exitFailed, text: fmt.Sprintf("%d things are wrong, see above for what to do", bad)}
}

func (a *app) drawFindings(all []finding) {
	for _, f := range all {
		state := a.out.paint(gravityStyles[f.State], fmt.Sprintf("%-5s", f.State))
		a.out.printf("%s  %-11s  %s\n", state, f.Check, a.out.line(f.Text))
		if f.Next != "" {
			a.out.printf("%20s→ %s\n", "", a.out.line(f.Next))
		}
	}
}
