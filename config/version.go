package config

import (
	"runtime/debug"
	"strings"
)

// unreleased is the version of a program that knows nothing of where it came from, as go run builds it.
const unreleased = "0.1.0-dev"

// Version is the release that askd and askctl were built as, without the v of its tag. A release build sets it with
// -ldflags "-X askd/config.Version=…"; without that it is the version that Go stamped the program with, as go install does in
// a clone. Nothing else may change it.
var Version = unreleased

func init() {
	info, _ := debug.ReadBuildInfo()
	Version = version(Version, info)
}

// version prefers what the build was told to what Go knows. Test binaries are stamped with neither.
func version(told string, info *debug.BuildInfo) string {
	if told == unreleased && info != nil && info.Main.Version != "" && info.Main.Version != "(devel)" {
		told = info.Main.Version
	}
	if rest, ok := strings.CutPrefix(told, "v"); ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
		return rest
	}
	return told
}
