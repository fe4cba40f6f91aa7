package main

import "strings"

// indent moves every line two columns to the right.
func indent(s string) string { return "  " + strings.ReplaceAll(s, "\n", "\n  ") }
