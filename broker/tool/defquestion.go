package tool

import (
	"encoding/json"

	"askd/broker/ask"
)

// questionGuidelines are the rules that go with the tool wherever an agent has it.
var questionGuidelines = []string{
	"Call ask_user_question only when your next step depends on a decision of the user's that neither the task nor the code settles.",
	"Give ask_user_question its question, header, options and multiSelect inside each entry of questions, never at the top level, also for a single question.",
	"ask_user_question adds a row for a free-form answer by itself: never label an option `Other`, `Type something.` or `Next`.",
	"Put one decision into each question of ask_user_question. Questions of one call must not depend on each other's answers; ask a dependent one in a later call.",
}

func defineQuestion(i Interface) *Definition {
	if !i.AskUserQuestion {
		return nil
	}
	return &Definition{
		Name:             ask.ToolQuestion,
		Label:            "Ask User Question",
		Description:      "Ask the user 1-4 focused multiple-choice questions and wait until they have chosen. The user may also write an answer of their own.",
		PromptSnippet:    "Ask the user a focused multiple-choice question",
		PromptGuidelines: questionGuidelines,
		Parameters:       questionParameters(),
		Exposure:         modelOnly,
		ExecutionMode:    sequential,
	}
}

// questionParameters is flat, without unions, which some proxies strip.
func questionParameters() *Schema {
	option := object(
		prop{"label", false, text("Short text of the choice, which is returned when it is picked; unique in its question. Other, Type something. and Next are reserved")},
		prop{"description", false, text("One line on what choosing it means; may be empty")},
		prop{"preview", true, text("Longer Markdown text about the choice for the details pane of a wide screen")},
	)
	multi := boolean("true only when several options may be chosen together")
	multi.Default = json.RawMessage("false")
	entry := object(
		prop{"question", false, text("The question: one decision for the user")},
		prop{"header", false, text("Short label that is shown above the question")},
		prop{"options", false, bounded(list("The choices, distinct from each other; a row for a free-form answer is added by itself", option), minQuestionOptions, maxQuestionOptions)},
		prop{"multiSelect", true, multi},
	)
	out := object(prop{"questions", false, bounded(list("One entry for each question, also for a single one", entry), 1, maxQuestions)})
	out.AdditionalProperties = false
	return out
}

func bounded(s *Schema, low, high int) *Schema {
	s.MinItems, s.MaxItems = &low, &high
	return s
}
