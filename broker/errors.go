package broker

import (
	"errors"
	"fmt"

	"askd/broker/ask"
	"askd/config"
)

// Kind is the kind of an error that a client is told (PROTOCOL, Transport).
type Kind string

// The kinds of error.
const (
	InvalidParams      Kind = "invalid_params"
	NotFound           Kind = "not_found"
	Unavailable        Kind = "unavailable"
	Conflict           Kind = "conflict"
	TooLarge           Kind = "too_large"
	UnsupportedVersion Kind = "unsupported_version"
	ShuttingDown       Kind = "shutting_down"
	Storage            Kind = "storage"
)

// Error is an error that a client is told as it stands: Message says what is wrong, Hint what to do next, Path which
// field it is about.
type Error struct {
	Kind    Kind
	Message string
	Hint    string
	Path    string
}

// Error gives the message and the hint as one sentence.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + ": " + e.Hint
}

// Sentinels of the desk's own methods.
var (
	// ErrClosed: the broker has stopped. Nothing was stored.
	ErrClosed = errors.New("askd is stopping: try again when it runs")
	// ErrDraftMoved: another pane has kept a draft that the form does not have yet.
	ErrDraftMoved = errors.New("the form was changed in another pane")
	// ErrNotPending: the request has an outcome already or was never asked.
	ErrNotPending = errors.New("this form is no longer open: nothing was changed")
	// ErrTakenBack: the person took this cancel back before it was stored.
	ErrTakenBack = errors.New("the cancel was taken back: the form waits as before")
	// ErrTooLargeAnswer: the answer with its images does not fit into config.MaxLineOut. The form stays open and nothing was
	// stored.
	ErrTooLargeAnswer = fmt.Errorf("the answer with its images is more than an agent can be sent at once, %d MiB: remove an image or shorten the text", config.MaxLineOut>>20)
	// ErrTooMuchText: the answer is longer than config.MaxAnswerText. The form stays open and nothing was stored.
	ErrTooMuchText = fmt.Errorf("the answer has more than %d MiB of text, which is too much for an agent: shorten it, or name a file that holds it", config.MaxAnswerText>>20)
)

var errClosing = &Error{Kind: ShuttingDown, Message: "askd is stopping", Hint: "connect again when it is back; what was accepted is kept"}

// storageError is the error of what the disk or the data file would not do.
func storageError(what string, err error) *Error {
	if met, next, ok := ask.Damaged(err); ok {
		return &Error{Kind: Storage, Message: what + ": " + met, Hint: next}
	}
	return &Error{Kind: Storage, Message: what + ": " + err.Error(), Hint: "free disk space or fix the data file's permissions, then ask again"}
}

// ExportError is the error of an export that could not be written, in a file or of what it was to hold.
func ExportError(err error) *Error {
	if met, next, ok := ask.Damaged(err); ok {
		return &Error{Kind: Storage, Message: met + "; nothing was left behind", Hint: next}
	}
	return &Error{Kind: Storage, Path: "path", Message: err.Error(), Hint: "nothing was left behind; choose another path"}
}

var errLeft = &Error{Kind: Unavailable, Message: "the session is no longer open on this connection", Hint: "open it again and send tool.await"}
