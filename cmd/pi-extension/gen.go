//go:build ignore

// This program writes the definitions of the agent tools for the extension. It is no package of its own, so that installing the
// commands does not install it.
package main

import (
	"flag"
	"fmt"
	"os"

	piextension "askd/cmd/pi-extension"
)

func main() {
	out := flag.String("o", "tools.json", "file to write")
	backgroundOnly := flag.Bool("background-only", false, "write the tools of background-only mode")
	history := flag.Bool("history", false, "write the tools over the history")
	question := flag.Bool("question", false, "write ask_user_question")
	flag.Parse()
	if err := write(*out, *backgroundOnly, *history, *question); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func write(path string, backgroundOnly, history, question bool) error {
	data, err := piextension.Tools(backgroundOnly)
	if history {
		data, err = piextension.HistoryTools()
	}
	if question {
		data, err = piextension.QuestionTools()
	}
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
