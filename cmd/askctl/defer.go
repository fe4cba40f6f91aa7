package main

import (
	"context"

	"github.com/spf13/cobra"

	"askd/broker"
)

// panelVerb is one of the two verbs that hide and show a session's background forms.
type panelVerb struct {
	name, short, method string
	kind                string        // the forms it is about, in words
	nothing, done       string        // what is said
	from                broker.Status // what the forms are before
}

var panelVerbs = []panelVerb{
	{"defer", "Defer a session's background forms until you reopen them", "queue.defer", "background forms", "Nothing to defer", "Deferred", broker.Waiting},
	{"reopen", "Bring back the background forms that were deferred", "queue.show", "deferred background forms", "Nothing to reopen", "Reopened", broker.Deferred},
}

func (a *app) panelVerb(v panelVerb) *cobra.Command {
	cmd := &cobra.Command{
		Use:   v.name + " [SESSION]",
		Short: v.short,
		Long: v.short + `. SESSION is its id, its name,
or the beginning or end of its id, at least eight characters that fit no other session; it
may be left out when only one session has such forms.

An agent's shell is refused as in askctl answer.

--json prints {session, forms}: how many forms changed.`,
		Example: "askctl " + v.name + "\naskctl " + v.name + " docs",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef(cmd, "unexpected argument %q", args[1])
			}
			return nil
		},
		ValidArgsFunction: a.completeSessions,
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			defer l.close()
			return a.movePanel(cmd.Context(), l, v, append(args, "")[0])
		},
	}
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) movePanel(ctx context.Context, l *link, v panelVerb, name string) error {
	if err := a.person(ctx, l, v.name); err != nil {
		return err
	}
	wanted := func(r *broker.RequestSummary) bool { return r.Background && (name != "" || r.Status == v.from) }
	session, err := l.session(ctx, name, v.kind, wanted)
	if err != nil {
		return err
	}
	if err := l.unaskedSession(ctx, name, session); err != nil {
		return err
	}
	before, err := l.queue(ctx, session)
	if err != nil {
		return err
	}
	if err := l.ask(ctx, v.method, map[string]string{"session": session}, nil); err != nil {
		return err
	}
	moved := count(before, func(r *broker.RequestSummary) bool { return r.Background && r.Status == v.from })
	if a.json {
		return a.out.writeJSON(map[string]any{"session": session, "forms": moved})
	}
	if len(before) > 0 && before[0].SessionName != "" {
		session = before[0].SessionName
	}
	a.sayMoved(v, session, moved)
	return nil
}

func (a *app) sayMoved(v panelVerb, session string, moved int) {
	if moved == 0 {
		a.out.printf("%s in session %s.\n", v.nothing, a.out.line(session))
		return
	}
	a.out.printf("%s %s of session %s.\n", v.done, forms(moved), a.out.line(session))
}

func count(queue []broker.RequestSummary, fits func(*broker.RequestSummary) bool) int {
	n := 0
	for i := range queue {
		if fits(&queue[i]) {
			n++
		}
	}
	return n
}
