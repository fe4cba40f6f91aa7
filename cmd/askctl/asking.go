package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/tool"
	"askd/config"
)

// agentName is how askctl names itself as an asker.
const agentName = "askctl"

func sessionInfo(id, name, cwd string) broker.SessionInfo {
	return broker.SessionInfo{
		ID: id, Name: name, Cwd: cwd, Agent: broker.Agent{Name: agentName, Version: config.Version}, UI: "cli", Reason: "startup",
		Host: thisHost(),
	}
}

// asking is one question on its way, also over lost connections.
type asking struct {
	a          *app
	info       broker.SessionInfo
	call       broker.CallParams
	background bool // the receipt is what is wanted
	json       bool
	several    bool           // questions
	begun      bool           // the call may have reached askd
	told       bool           // the person at the terminal knows that it waits
	quick      *quickQuestion // nil for the questions of a file
	timeout    time.Duration  // 0: none
}

func (a *app) asking(arguments ask.Map[json.RawMessage], o *askOptions, wantJSON bool) (*asking, error) {
	cwd, err := a.getwd()
	if err != nil {
		cwd = "" // a folder that was removed: the question is the same
	}
	raw, err := json.Marshal(arguments)
	if err != nil {
		return nil, fmt.Errorf("write the questions: %w", err)
	}
	name := o.sessionName
	if name == "" && cwd != "" {
		name = filepath.Base(cwd)
	}
	s := &asking{a: a, info: sessionInfo(a.newID(), name, cwd), json: wantJSON}
	s.info.Instance = a.newID()
	s.call = broker.CallParams{Tool: o.tool, Arguments: raw, RequestID: a.newID()}
	s.timeout = o.timeout
	if o.quick.prompt != "" {
		s.quick, s.call.Initial = &o.quick, o.quick.initial()
	}
	flag, _ := arguments.Get("background")
	s.background = string(flag) == "true"
	questions, _ := arguments.Get("questions")
	var list []json.RawMessage
	s.several = json.Unmarshal(questions, &list) == nil && len(list) > 1
	return s, nil
}

// run asks until there is an answer. The same request id makes repeating it harmless.
func (s *asking) run(ctx context.Context) error {
	for {
		err := s.once(ctx)
		var more *again
		if errors.As(err, &more) {
			if err := s.renew(more); err != nil {
				return err
			}
			continue
		}
		if !s.begun || !gone(err) {
			return err
		}
		s.info.Reason = "reconnect"
		s.info.OpenCalls = []broker.OpenCall{{RequestID: s.call.RequestID, Tool: s.call.Tool}}
		if err := s.a.comeBack(ctx); err != nil {
			return &exitError{stopCode(ctx), "stopped while askd was away: the question is kept there, `askctl cancel " + s.call.RequestID + "` takes it back once askd runs", err}
		}
	}
}

// reply is the part of a ToolOutcome (PROTOCOL) that askctl needs.
type reply struct {
	RequestID  string              `json:"requestId"`
	OutcomeID  string              `json:"outcomeId"`
	Content    []ask.Block         `json:"content"`
	Structured json.RawMessage     `json:"structuredContent"`
	Details    json.RawMessage     `json:"details"`
	IsError    bool                `json:"isError"`
	Provenance *tool.Provenance    `json:"provenance"`
	Deliveries []broker.OutcomeRef `json:"deliveries"`
}

// called is how a call ended.
type called struct {
	reply reply
	err   error
}

// once asks on one connection.
func (s *asking) once(ctx context.Context) error {
	l, err := s.a.connect(ctx)
	if err != nil && !s.begun {
		if err := s.a.openForQuestion(ctx, err); err != nil {
			return err
		}
		l, err = s.a.connect(ctx)
	}
	if err != nil {
		return err
	}
	defer l.close()
	var opened broker.Opened
	if err := l.ask(ctx, "session.open", s.info, &opened); err != nil {
		return err
	}
	s.begun = true
	attach(&s.call, opened.Remote)
	done := make(chan called, 1)
	s.a.spawn("call", func() {
		var c called
		c.err = l.Call(context.WithoutCancel(ctx), "tool.call", s.call, &c.reply)
		done <- c
	})
	for {
		select {
		case p := <-l.accepted:
			s.tell(p.QuietUntil)
		case c := <-done:
			return s.ended(ctx, l, c)
		case <-ctx.Done():
			return s.takeBack(ctx, l, done)
		}
	}
}

// tell says once on a terminal that it is the person's turn.
func (s *asking) tell(quiet *time.Time) {
	if s.told || s.background || s.a.errors.width == 0 {
		return
	}
	s.told = true
	s.a.errors.printf("Asked, request %s. Answer it in askd's pane or with `askctl answer`; Ctrl+C takes it back.\n", s.call.RequestID)
	if quiet != nil {
		s.a.errors.printf("The person has asked not to be disturbed until %s; the question is kept.\n", ask.UntilText(*quiet, s.a.now()))
	}
}

// ended prints what a call gave.
func (s *asking) ended(ctx context.Context, l *link, c called) error {
	switch {
	case isKind(c.err, broker.InvalidParams):
		return &exitError{exitUsage, "the questions were refused: " + c.err.Error() + s.refusedNext(), c.err}
	case c.err != nil:
		return fmt.Errorf("ask: %w", c.err)
	case isReceipt(c.reply.Structured) && s.background:
		return s.printReceipt(c.reply)
	case isReceipt(c.reply.Structured):
		return s.awaitQueued(ctx, l)
	}
	return s.finish(ctx, l, c.reply)
}

func isReceipt(structured json.RawMessage) bool {
	var r tool.Receipt
	return json.Unmarshal(structured, &r) == nil && r.Status == "queued"
}

func (s *asking) printReceipt(r reply) error {
	if s.json {
		return s.a.out.writeJSON(r.Structured)
	}
	s.a.out.printf("%s\n", s.a.out.line(r.RequestID))
	return nil
}

// awaitQueued waits for the answer to a question that the person's settings made a background one.
func (s *asking) awaitQueued(ctx context.Context, l *link) error {
	f, err := l.await(ctx, ask.Key{Session: s.info.ID, Request: s.call.RequestID})
	if err != nil && ctx.Err() != nil {
		if state, err := s.abort(ctx, l); err != nil || state != stateEnded {
			return s.taken(ctx, err)
		}
		ctx = context.WithoutCancel(ctx)
		f, err = l.get(ctx, s.call.RequestID, s.info.ID, nil)
	}
	if err != nil {
		return err
	}
	r := reply{RequestID: f.Request.ID, OutcomeID: f.Outcome.ID, Provenance: tool.ProvenanceOf(f.Outcome)}
	if f.Outcome.Result != nil {
		result := *f.Outcome.Result
		result.RequestID = f.Request.ID
		if r.Structured, err = json.Marshal(tool.CompactOf(&result)); err != nil {
			return fmt.Errorf("write the answer: %w", err)
		}
	}
	return s.finish(ctx, l, r)
}

// What tool.abort says of a call.
const (
	stateEnded   = "ended"   // it has an outcome, which stands
	stateUnknown = "unknown" // it is not stored, or not yet
)

func (s *asking) abort(ctx context.Context, l *link) (state string, err error) {
	var r struct {
		State string `json:"state"`
	}
	params := broker.AbortParams{RequestID: s.call.RequestID, Reason: "user"}
	err = l.ask(context.WithoutCancel(ctx), "tool.abort", params, &r)
	return r.State, err
}

// takeBack aborts the call that was interrupted here. An answer that was stored before stands.
func (s *asking) takeBack(ctx context.Context, l *link, done <-chan called) error {
	late := time.After(config.DialTimeout)
	for {
		state, err := s.abort(ctx, l)
		if err != nil || state != stateEnded && state != stateUnknown {
			return s.taken(ctx, err)
		}
		select {
		case c := <-done:
			return s.ended(context.WithoutCancel(ctx), l, c)
		case <-l.accepted: // the abort had overtaken the call
		case <-late:
			return s.taken(ctx, context.DeadlineExceeded)
		}
	}
}

// taken is the error of a question that was given up here, by a person or by --timeout.
func (s *asking) taken(ctx context.Context, err error) error {
	why := "interrupted"
	if timedOut(ctx) {
		why = "nobody answered within " + s.timeout.String()
	}
	if err != nil {
		return &exitError{stopCode(ctx), why + ", but the question could not be taken back: " + err.Error() + ": see `askctl queue`", err}
	}
	return &exitError{code: stopCode(ctx), text: why + ": the question was taken back"}
}

func timedOut(ctx context.Context) bool { return errors.Is(ctx.Err(), context.DeadlineExceeded) }

// stopCode tells a --timeout from Ctrl+C.
func stopCode(ctx context.Context) int {
	if timedOut(ctx) {
		return exitTimedOut
	}
	return exitFailed
}

// prompts reports whether the question is one of ask_user_question.
func (s *asking) prompts() bool { return s.call.Tool == ask.ToolQuestion }

// finish prints an outcome and tells askd that it has arrived.
func (s *asking) finish(ctx context.Context, l *link, r reply) error {
	if s.prompts() {
		r.Structured = r.Details // for agents alone: there is no other form of it
	}
	if r.Provenance == nil || r.IsError || r.Structured == nil {
		return s.failed(r)
	}
	answered, err := s.judge(r)
	if err != nil {
		return s.refuse(ctx, l, r, err)
	}
	if err := s.print(r); err != nil {
		return err
	}
	// A failure is harmless: the session ends with this command, and nothing asks for the outcome again.
	_ = l.ask(ctx, "delivery.ack", broker.OutcomeRef{RequestID: r.RequestID, OutcomeID: r.OutcomeID}, nil)
	if err := endError(r.Provenance.Outcome); err != nil {
		return err
	}
	return answered
}

// judge looks whether the answer to a quick question is one that the script can take, and what it says by itself.
func (s *asking) judge(r reply) (says, err error) {
	if s.quick == nil || r.Provenance.Outcome != ask.Answered {
		return nil, nil
	}
	answer, err := quickAnswer(r.Structured)
	if err != nil {
		return nil, err
	}
	return s.quick.confirmed(answer), s.quick.accept(answer)
}

// refuse lets askd forget an answer that is asked for again.
func (s *asking) refuse(ctx context.Context, l *link, r reply, err error) error {
	_ = l.ask(ctx, "delivery.ack", broker.OutcomeRef{RequestID: r.RequestID, OutcomeID: r.OutcomeID}, nil) // as in finish
	return err
}

// failed is the error of a call without a result.
func (s *asking) failed(r reply) error {
	text := "the form has no result"
	if len(r.Content) > 0 && r.Content[0].Text != "" {
		text = r.Content[0].Text
	}
	if r.Provenance == nil && (!r.IsError || s.prompts()) {
		return &exitError{code: exitUsage, text: text + s.refusedNext()} // the questions themselves were refused, before anybody saw them
	}
	return &exitError{code: exitFailed, text: text}
}

func (s *asking) print(r reply) error {
	if s.json {
		return s.a.out.writeJSON(r.Structured)
	}
	if s.quick != nil && s.quick.confirm {
		return nil // the exit code says it
	}
	if s.prompts() {
		return s.printPrompt(r.Structured)
	}
	var c struct {
		Answers ask.Map[tool.CompactAnswer] `json:"answers"`
	}
	if err := json.Unmarshal(r.Structured, &c); err != nil {
		return fmt.Errorf("read the answer: %w", tooOld(err))
	}
	for id, answer := range c.Answers.All() {
		for _, value := range answer.Values {
			s.a.out.printf("%s%s\n", s.prefix(id), s.a.out.text(value))
		}
	}
	return nil
}

// prefix names the question of a plain value; a quick question needs none.
func (s *asking) prefix(id string) string {
	if !s.several {
		return ""
	}
	return s.a.out.line(id) + "\t"
}
