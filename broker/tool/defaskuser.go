package tool

import "askd/broker/ask"

// sequential keeps a blocking call alone in its turn: what stands behind it must not run before the answer.
const sequential = "sequential"

// modelOnly keeps a blocking call out of scripts.
const modelOnly = "model-only"

const askUserDescription = "Ask the user one or more questions in a form and return their answers. Use it when you need something that only the user " +
	"can provide: information that you looked for and could not find, an opinion or a preference, or a choice between options. " +
	"The user picks from your options, writes an answer of their own, adds notes, or skips. A skipped, empty or cancelled answer is not approval."

// askUserQueues is added where every call is queued.
const askUserQueues = " The form is queued and the call returns a request id at once; go on with work that does not depend on the answers, which arrive as messages."

func defineAskUser(i Interface) *Definition {
	description := askUserDescription
	if i.BackgroundOnly {
		description += askUserQueues
	}
	return &Definition{
		Name:          ask.ToolAskUser,
		Label:         "Ask User",
		PromptSnippet: "Put a short form of questions to the user and get their answers",
		Description:   description,
		Parameters:    askUserParameters(i.Background && !i.BackgroundOnly),
		OutputSchema:  askUserOutput(i),
		ExecutionMode: sequential,
	}
}

func askUserParameters(background bool) *Schema {
	props := []prop{{"title", true, text("Short title above the form")}}
	if background {
		props = append(props, prop{"background", true, boolean("Queue the form and return a request id at once instead of waiting. Go on only with work " +
			"that does not depend on the answers; they arrive between turns, or call wait_for_answers when nothing else is left to do")})
	}
	return object(append(props, prop{"questions", false, list("The questions of the form", questionSchema())})...)
}

func questionSchema() *Schema {
	return object(
		prop{"id", false, text("Stable key under which the answer is returned, unique within the form")},
		prop{"label", true, text("Short label of the question's tab, such as Goal, Audience, Tone or Scope")},
		prop{"prompt", false, text("The question itself, about one decision")},
		prop{"type", true, choice("single when one answer is expected, multi when several may apply; single by default", string(ask.Single), string(ask.Multi))},
		prop{"context", true, text("What the user should see to decide, shown beside the options: text, or one line that is the absolute path of a UTF-8 text file to show instead")},
		prop{"options", false, list("Clear and distinct choices, at least one and no filler; the user can always write an answer of their own", optionSchema())},
	)
}

func optionSchema() *Schema {
	return object(
		prop{"value", false, text("Value returned when this option is chosen, unique within the question")},
		prop{"label", false, text("Short text that the user sees")},
		prop{"description", true, text("One line of help under the label")},
		prop{"recommended", true, boolean("Marks an option that you have grounds to prefer, without selecting it; give the reason in the description")},
	)
}

func askUserOutput(i Interface) *Schema {
	answers := compactSchema()
	if !i.Background && !i.BackgroundOnly {
		return answers
	}
	return &Schema{Type: "object", AnyOf: []*Schema{answers, receiptSchema()}}
}

func compactSchema() *Schema {
	return object(
		prop{"requestId", true, text("")},
		prop{"cancelled", false, boolean("")},
		prop{"answers", false, record(compactAnswerSchema())},
		prop{"skippedQuestionIds", true, list("", text(""))},
		prop{"error", true, object(prop{"issues", false, list("", issueSchema())})},
	)
}

func compactAnswerSchema() *Schema {
	image := object(prop{"mimeType", false, text("")}, prop{"data", false, text("Base64")})
	return object(
		prop{"values", false, list("", text(""))},
		prop{"labels", false, list("", text(""))},
		prop{"customText", true, text("")},
		prop{"note", true, text("")},
		prop{"optionNotes", true, record(text(""))},
		prop{"images", true, list("", image)},
	)
}

func issueSchema() *Schema {
	return object(prop{"path", false, text("")}, prop{"message", false, text("")})
}

func receiptSchema() *Schema {
	return object(
		prop{"status", false, &Schema{Type: "string", Const: "queued"}},
		prop{"requestId", false, text("")},
		prop{"questionIds", false, list("", text(""))},
		prop{"pendingRequests", false, integer("")},
	)
}
