// Package ask is the contract of a question: what an agent may ask, what a person may answer, and the exact texts that
// stand for both. It knows no socket, no disk and no screen, and imports the standard library alone.
package ask
