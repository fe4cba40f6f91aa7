package ask

import (
	"strings"
	"testing"
)

func TestSubject(t *testing.T) {
	t.Parallel()
	one := func(label, prompt string) Question { return Question{Label: label, Prompt: prompt} }
	for name, c := range map[string]struct {
		r    Request
		want string
	}{
		"labels":                {Request{Title: "Storage", Questions: []Question{one("Store", "Which?"), one("Q2", "How long?")}}, "Store · Q2"},
		"numbers and a title":   {Request{Title: "Storage", Questions: []Question{one("Q1", "Which?"), one("Q2", "How long?")}}, "Storage"},
		"numbers and no title":  {Request{Questions: []Question{one("Q1", "Which?"), one("Q2", "How long?")}}, "Which?"},
		"a number out of place": {Request{Questions: []Question{one("Q2", "Which?")}}, "Q2"},
		"nothing":               {Request{}, ""},
		"as long as it may be":  {Request{Questions: []Question{one("Q1", strings.Repeat("ä", SubjectRunes))}}, strings.Repeat("ä", SubjectRunes)},
		"longer than it may be": {Request{Questions: []Question{one("Q1", strings.Repeat("ä", SubjectRunes+1))}}, strings.Repeat("ä", SubjectRunes-1) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.r.Subject(); got != c.want {
				t.Errorf("subject is %q, want %q", got, c.want)
			}
		})
	}
}
