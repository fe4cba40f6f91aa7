//go:build race

package tests

// buildFlags make the built programs carry the race detector whenever the tests do.
var buildFlags = []string{"-race"}
