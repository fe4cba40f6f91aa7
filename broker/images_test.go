package broker_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"askd/broker"
	"askd/broker/ask"
	"askd/config"
)

// fullAnswer has as many images as a form takes, and so much text.
func fullAnswer(fill string, size int) ask.Response {
	c := ask.Choice{CustomText: strings.Repeat(fill, size/len(fill))}
	for i := range config.MaxFormImages / config.MaxImage {
		c.CustomImages = append(c.CustomImages, ask.Image{ID: fmt.Sprint(i), MimeType: "image/png", Data: strings.Repeat("A", config.MaxImage)})
	}
	return ask.Response{Choices: []ask.Choice{c}}
}

// TestLargeAnswersReachTheirAgent: what is accepted is a line that askd can send; what would not be one is refused, and the
// form stays open. Text counts as it has to be written: a control character takes six bytes each time.
func TestLargeAnswersReachTheirAgent(t *testing.T) {
	tests := []struct {
		fill string
		size int
		want error
	}{
		{"x", 1 << 20, nil},
		{"<", 256 << 10, nil},
		{"x", config.MaxAnswerText, broker.ErrTooLargeAnswer},
		{"\x01", 1 << 20, broker.ErrTooLargeAnswer},
		{"\x01", 128 << 10, nil},
	}
	for _, tt := range tests {
		w := newWorld(t)
		c := w.session("s")
		call := c.ask(1)
		pane := newAnswer(t, "submit")
		w.Submit(key("s", 1), fullAnswer(tt.fill, tt.size), pane.done)
		if _, err := pane.wait(); !errors.Is(err, tt.want) {
			t.Errorf("%d of %q: %v", tt.size, tt.fill, err)
			continue
		}
		if tt.want != nil {
			if rec, _ := w.stored("s", 1); rec.Outcome != nil || !call.open() {
				t.Errorf("%d of %q: a refused answer ended the form", tt.size, tt.fill)
			}
			continue
		}
		if n := len(encode(t, call.outcome())); n > config.MaxLineOut {
			t.Errorf("%d of %q: a line of %d bytes", tt.size, tt.fill, n)
		}
	}
}
