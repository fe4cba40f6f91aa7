package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"askd/broker"
	"askd/broker/ask"
	"askd/broker/tool"
)

// again is an answer that the script cannot take: the question is put once more, with the answer in it and the reason as
// its title. The form itself knows no limit; its person may always answer in own words or change its type.
type again struct {
	words   string
	initial broker.Initial
}

func (e *again) Error() string { return e.words }

// errNo is the answer no to --confirm: an exit code and no words.
var errNo = &exitError{code: exitNo}

// quickAnswer is the answer to a quick question. The zero value is none.
func quickAnswer(structured json.RawMessage) (tool.CompactAnswer, error) {
	var c struct {
		Answers ask.Map[tool.CompactAnswer] `json:"answers"`
	}
	if err := json.Unmarshal(structured, &c); err != nil {
		return tool.CompactAnswer{}, fmt.Errorf("read the answer: %w", tooOld(err))
	}
	answer, _ := c.Answers.Get(quickID)
	return answer, nil
}

// accept gives an *again for an answer that breaks what the command line asks for.
func (q *quickQuestion) accept(answer tool.CompactAnswer) error {
	in := broker.Initial{Values: answer.Values}
	if answer.CustomText != "" {
		in.Values = answer.Values[:len(answer.Values)-1]
	}
	switch {
	case q.input && strings.ContainsAny(answer.CustomText, "\r\n"):
		joined := strings.Join(strings.Fields(answer.CustomText), " ")
		in.CustomText = &joined
		return &again{"One line is wanted", in}
	case q.confirm && (len(answer.Values) != 1 || answer.CustomText != ""):
		return &again{"Yes or no is wanted", broker.Initial{}}
	case q.strict && answer.CustomText != "":
		return &again{"One of the options is wanted", in}
	case q.limit > 0 && len(answer.Values) > q.limit:
		return &again{fmt.Sprintf("At most %d can be chosen, not %d", q.limit, len(answer.Values)), in}
	}
	return nil
}

// confirmed turns the answer to --confirm into an exit code.
func (q *quickQuestion) confirmed(answer tool.CompactAnswer) error {
	if q.confirm && !slices.Equal(answer.Values, []string{yes}) {
		return errNo
	}
	return nil
}

// apart keeps the exit code of no from meaning two things: with --confirm what failed has another.
func (q *quickQuestion) apart(err error) error {
	var own *exitError
	if !q.confirm || errors.As(err, &own) && own == errNo || exitCode(err) != exitFailed {
		return err
	}
	return &exitError{exitUndecided, err.Error(), err}
}

// renew makes the next question of one that has to be put again.
func (s *asking) renew(e *again) error {
	var arguments ask.Map[json.RawMessage]
	if err := json.Unmarshal(s.call.Arguments, &arguments); err != nil {
		return fmt.Errorf("write the question again: %w", err)
	}
	title := e.words
	if s.quick.title != "" {
		title = s.quick.title + ": " + title
	}
	raw, err := json.Marshal(title)
	if err != nil {
		return fmt.Errorf("write the question again: %w", err)
	}
	arguments.Set("title", raw)
	if s.call.Arguments, err = json.Marshal(arguments); err != nil {
		return fmt.Errorf("write the question again: %w", err)
	}
	s.call.RequestID = s.a.newID()
	s.call.Initial = map[string]broker.Initial{quickID: e.initial}
	s.info.Reason, s.info.OpenCalls = "reconnect", nil
	s.begun, s.told = false, false
	return nil
}
