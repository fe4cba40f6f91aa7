// Package export writes history to files: Markdown for people and agents (contract, "Session question history") and JSON
// Lines for programs. Records are written as they come, one at a time, so that memory does not grow with the journal.
package export
