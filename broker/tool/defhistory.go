package tool

import "askd/broker/ask"

// Names of the history tools, as agents call them.
const (
	ToolListHistory   = "list_ask_history"
	ToolReadHistory   = "read_ask_history"
	ToolExportHistory = "export_ask_history"
)

// The bounds of a list (contract, "Session question history").
const (
	defaultListLimit = 50
	maxListLimit     = 200
)

func init() { catalogue = append(catalogue, defineListHistory, defineReadHistory, defineExportHistory) }

func defineListHistory(i Interface) *Definition {
	if !i.HistoryTools {
		return nil
	}
	offset, limit := integer("How many of the found questions to leave out, 0 by default; the nextOffset of the page before"),
		integer("How many to return at most, 50 by default")
	offset.Minimum, limit.Minimum, limit.Maximum = ptr(0), ptr(1), ptr(maxListLimit)
	return &Definition{
		Name:  ToolListHistory,
		Label: "List Ask History",
		Description: "List the questions that were put to the user with ask_user on this branch of the session, with their status, in the order asked. " +
			"Use it to find a question again, for instance after the context was compacted. Follow nextOffset until it is absent. " +
			"Waiting, skipped and cancelled questions are no approval.",
		Parameters: object(
			prop{"query", true, text("Text to look for in everything recorded of a question, in any letter case")},
			prop{"answeredOnly", true, boolean("Only questions that have an answer")},
			prop{"offset", true, offset},
			prop{"limit", true, limit},
		),
		OutputSchema: object(
			prop{"total", false, integer("")},
			prop{"offset", false, integer("")},
			prop{"nextOffset", true, integer("")},
			prop{"records", false, list("", summarySchema())},
		),
		Annotations: &Annotations{ReadOnlyHint: ptr(true), OpenWorldHint: ptr(false)},
	}
}

func defineReadHistory(i Interface) *Definition {
	if !i.HistoryTools {
		return nil
	}
	return &Definition{
		Name:  ToolReadHistory,
		Label: "Read Ask History",
		Description: "Read one question that was put to the user with ask_user on this branch of the session: the question with its context and options, " +
			"and the answer with notes and images. list_ask_history gives the keys.",
		Parameters:   keySchema(),
		OutputSchema: object(prop{"record", false, recordSchema()}),
		Annotations:  &Annotations{ReadOnlyHint: ptr(true), OpenWorldHint: ptr(false)},
	}
}

func defineExportHistory(i Interface) *Definition {
	if !i.HistoryTools {
		return nil
	}
	path, keys := text("The Markdown file to make, absolute or relative to the working directory; its folder must exist and the file must not"),
		list("The questions to export; leave it out for all of this branch", keySchema())
	path.MinLength, keys.MinItems = ptr(1), ptr(1)
	return &Definition{
		Name:  ToolExportHistory,
		Label: "Export Ask History",
		Description: "Write questions that were put to the user with ask_user on this branch, with their answers, word for word into a new Markdown file. " +
			"Use it when the user asks for such a file. It never replaces a file.",
		Parameters:   object(prop{"path", false, path}, prop{"keys", true, keys}),
		OutputSchema: object(prop{"path", false, text("")}, prop{"keys", false, list("", keySchema())}),
		Annotations:  &Annotations{ReadOnlyHint: ptr(false), DestructiveHint: ptr(false), OpenWorldHint: ptr(false)},
	}
}

func keySchema() *Schema {
	request, question := text("The requestId of the form"), text("The id of the question within the form")
	request.MinLength, question.MinLength = ptr(1), ptr(1)
	return object(prop{"requestId", false, request}, prop{"questionId", false, question})
}

func summarySchema() *Schema {
	return object(
		prop{"requestId", false, text("")},
		prop{"questionId", false, text("")},
		prop{"title", true, text("")},
		prop{"createdAt", false, text("")},
		prop{"background", false, boolean("")},
		prop{"status", false, statusSchema()},
		prop{"label", false, text("")},
		prop{"prompt", false, text("")},
		prop{"hasAnswer", false, boolean("")},
	)
}

func statusSchema() *Schema {
	return choice("", string(ask.StatusWaiting), string(ask.StatusAnswered), string(ask.StatusSkipped), string(ask.StatusCancelled), string(ask.StatusError))
}

func recordSchema() *Schema {
	return object(
		prop{"requestId", false, text("")},
		prop{"questionId", false, text("")},
		prop{"title", true, text("")},
		prop{"createdAt", false, text("")},
		prop{"background", false, boolean("")},
		prop{"question", false, &Schema{Type: "object"}},
		prop{"status", false, statusSchema()},
		prop{"answer", true, &Schema{Type: "object"}},
		prop{"error", true, text("")},
	)
}

func ptr[T any](v T) *T { return &v }
