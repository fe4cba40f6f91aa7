package tool

import "askd/broker/ask"

func defineWait(i Interface) *Definition {
	if !i.Background || i.BackgroundOnly {
		return nil
	}
	return &Definition{
		Name:          ask.ToolWait,
		Label:         "Wait for Answers",
		PromptSnippet: "Wait for the pending background answers of ask_user",
		Description: "Wait until every form queued with ask_user in the background has ended, and return the answers that have not arrived yet. " +
			"Use it when no other work is left and the answers are needed to go on. It returns at once when nothing is pending.",
		Parameters:    object(),
		OutputSchema:  &Schema{Type: "object", AnyOf: []*Schema{waitSchema("complete"), waitSchema("deferred")}},
		Exposure:      modelOnly,
		ExecutionMode: sequential,
	}
}

func waitSchema(status string) *Schema {
	props := []prop{{"status", false, &Schema{Type: "string", Const: status}}}
	if status == "deferred" {
		props = append(props, prop{"reason", false, choice("", string(ask.DeferHidden), string(ask.DeferMessage))})
	}
	props = append(props, prop{"requestIds", false, list("", text(""))})
	if status == "deferred" {
		props = append(props, prop{"pendingRequestIds", false, list("", text(""))})
	}
	return object(append(props, prop{"results", false, list("", finishedSchema())})...)
}

func finishedSchema() *Schema {
	return object(
		prop{"requestId", false, text("")},
		prop{"parentToolCallId", true, text("")},
		prop{"result", true, &Schema{Type: "object"}},
		prop{"error", true, text("")},
	)
}
