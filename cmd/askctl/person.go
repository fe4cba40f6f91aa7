package main

import (
	"context"
	"fmt"
	"slices"
)

// person refuses when an agent runs askctl: an agent must not answer its own questions. The setting answers.fromAgents
// allows it.
func (a *app) person(ctx context.Context, l *link, verb string) error {
	sign := a.agentSign()
	if sign == "" {
		return nil
	}
	var s struct {
		Effective struct {
			Answers struct {
				FromAgents bool `json:"fromAgents"`
			} `json:"answers"`
		} `json:"effective"`
		Path string `json:"path"`
	}
	if err := l.ask(ctx, "settings.get", struct{}{}, &s); err != nil {
		return fmt.Errorf("see whether agents may answer: %w", err)
	}
	if s.Effective.Answers.FromAgents {
		return nil
	}
	return &exitError{code: exitFailed, text: fmt.Sprintf(
		"an agent must not answer its own questions: %s says that an agent runs `askctl %s`, so nothing was done. "+
			"A person answers in askd's pane or in a terminal of their own; the setting answers.fromAgents in %s allows it to agents too", sign, verb, s.Path)}
}

// agentSign is the variable by which an agent's shell is known, empty in a person's own.
func (a *app) agentSign() string {
	switch {
	case !slices.Contains([]string{"", "0", "false"}, a.getenv("PI_CODING_AGENT")):
		return "PI_CODING_AGENT"
	case a.getenv("AI_AGENT") != "":
		return "AI_AGENT"
	}
	return ""
}
