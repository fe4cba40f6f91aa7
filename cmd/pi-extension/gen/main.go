// Command gen writes the definitions of the agent tools for the extension.
package main

import (
	"flag"
	"fmt"
	"os"

	piextension "askd/cmd/pi-extension"
)

func main() {
	out := flag.String("o", "cmd/pi-extension/tools.json", "file to write")
	backgroundOnly := flag.Bool("background-only", false, "write the tools of background-only mode")
	flag.Parse()
	if err := write(*out, *backgroundOnly); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func write(path string, backgroundOnly bool) error {
	data, err := piextension.Tools(backgroundOnly)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
