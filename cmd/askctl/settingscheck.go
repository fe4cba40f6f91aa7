package main

import (
	"fmt"

	"askd/config"
)

// settings looks at the settings file, which askd passes over with a short word when it is at fault.
func (d *doctor) settings() []finding {
	dir, err := d.a.piDir()
	if err != nil {
		return nil // the check of Pi has said so
	}
	path := config.AskSettingsPath(dir)
	if err := config.Inspect(path); err != nil {
		return []finding{{State: wrong, Text: fmt.Sprintf("%s: %v", path, err), Next: "correct the file; askd takes it over as soon as it is saved, and the defaults stand until then"}}
	}
	var out []finding
	words := append(config.Strays(path), config.StraysOfQuestion(config.QuestionSettingsPath(dir))...)
	if cwd, err := d.a.getwd(); err == nil {
		words = append(words, config.Strays(config.ProjectSettingsPath(cwd))...)
	}
	for _, stray := range words {
		out = append(out, finding{State: wrong, Text: stray, Next: "correct the key in the file; it is kept as it is meanwhile"})
	}
	if out != nil {
		return out
	}
	return []finding{{State: fine, Text: "in order"}}
}
