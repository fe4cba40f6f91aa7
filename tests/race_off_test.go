//go:build !race

package tests

// buildFlags: without the race detector the programs are built as a user builds them.
var buildFlags []string
