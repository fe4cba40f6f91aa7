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
	return []finding{{State: fine, Text: "in order"}}
}
