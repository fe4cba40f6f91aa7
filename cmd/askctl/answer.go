package main

import (
	"context"

	"github.com/spf13/cobra"
)

func (a *app) answerVerb() *cobra.Command {
	var session string
	var same bool
	given := &answerFlags{}
	cmd := &cobra.Command{
		Use:   "answer ID",
		Short: "Answer a form, with flags or in a plain dialog",
		Long: `Answer a form. --question begins the answer to one question; the flags after it say
what the answer is. A form with a single question needs no --question. What is neither answered nor
skipped is sent as unanswered. Everything typed into the form's draft before is
replaced by the answers given here.

For a prompt of ask_user_question the questions are q1 to q4, a value is the label of
an option, and there are no notes.

Without any of these flags, and on a terminal, askctl goes through the questions
line by line, shows what it is about to send and asks before it sends. Ctrl+C at
any time sends nothing.

With flags ID is the whole request id, or at least eight characters of its beginning or end
that fit no other form, not even one that has ended.

With --same every other form that waits with the same questions, options and context
gets this answer too, whichever agent asks; askctl says how many did.

An agent's shell (PI_CODING_AGENT or AI_AGENT is set) is refused, unless the
setting answers.fromAgents is on: an agent must not answer its own questions.

--json prints the outcome.`,
		Example: `askctl answer 2b7e0a11
askctl answer 2b7e0a11 --value pg --same
askctl answer 2b7e0a11 --question db --value pg --note 'as discussed' \
  --question name --text shop --skip colour`,
		Args:              a.oneID,
		ValidArgsFunction: a.completeRequests,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := given.check(); err != nil {
				return usagef(cmd, "%s", err.Error())
			}
			if given.none() && !a.dialogPossible() {
				return usagef(cmd, "no answer given, and this is no terminal to ask on: use --value, --text or --skip")
			}
			return a.answer(cmd, args[0], session, given, same)
		},
	}
	given.add(cmd.Flags())
	cmd.Flags().BoolVar(&same, "same", false, "give the same answer to all other forms that wait and ask the same")
	a.sessionFlag(cmd, &session)
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) dialogPossible() bool { return a.in.terminal && a.out.width > 0 }

func (a *app) answer(cmd *cobra.Command, id, session string, given *answerFlags, same bool) error {
	ctx := cmd.Context()
	l, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	if err := a.person(ctx, l, "answer"); err != nil {
		return err
	}
	find := l.unasked
	if given.none() {
		find = l.form // the dialog shows it, and asks
	}
	f, err := find(ctx, id, session)
	if err != nil {
		return err
	}
	if f.Outcome != nil {
		return &exitError{code: exitFailed, text: "this form has ended already (" + endWords(f.Outcome.Kind) + "), nothing was changed: `askctl show " + f.Request.ID + "` shows it"}
	}
	answers, err := a.answersFor(ctx, cmd, f, given)
	if err != nil {
		return err
	}
	return a.respondAndShow(ctx, l, f.key(), answers, same)
}

func (a *app) answersFor(ctx context.Context, cmd *cobra.Command, f *form, given *answerFlags) (response, error) {
	if given.none() {
		return a.dialog(ctx, f)
	}
	r, err := given.response(f.Request)
	if err != nil {
		return response{}, usagef(cmd, "%s", err.Error())
	}
	return r, nil
}
