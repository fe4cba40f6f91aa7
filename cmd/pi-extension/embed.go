// Package piextension holds the extension of the Pi coding agent that forwards its questions to askd. The files are part
// of the programs, which install them; Go code never runs them.
package piextension

import (
	"embed"
	"io/fs"
)

// Version is the version of the extension, the same as in its package.json. The extension gives it to askd as its
// client version.
const Version = "0.1.0"

//go:embed package.json tools.json tools-background-only.json tools-history.json tools-question.json tsconfig.json *.js skills
var files embed.FS

// QuestionMark is a file that stands beside Files where ask_user_question was asked for at the installation: the
// extension offers the tool then, whatever the settings say.
const QuestionMark = "ask-user-question.json"

// Files is the extension as it is installed: a folder whose package.json names the entry point to Pi. It is read-only.
func Files() fs.FS { return files }
