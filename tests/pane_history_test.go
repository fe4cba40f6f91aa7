package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"askd/tests/tmuxtest"
)

// TestPaneHistory asks and answers, then looks the answer up in the pane: the list, a search, the whole question and an
// export, while another form waits untouched below.
func TestPaneHistory(t *testing.T) {
	p := newPlace(t)
	s := openShell(t, tmuxtest.Start(t), p, 120, 40)
	s.askd()
	c := connect(t, p, "checkout-api")
	open := c.begin(1, twoQuestions)
	c.respond(1, `{"kind":"answer","answers":{"db":{"values":["pg"],"note":"for now"},"keep":{"values":["7y"]}}}`)
	c.ended(open)
	open = c.begin(2, `{"questions":[{"id":"q","prompt":"Which port?","options":[{"value":"1","label":"8080"},{"value":"2","label":"9090"}]}]}`)
	c.respond(2, `{"kind":"answer","answers":{"q":{"values":["2"]}}}`)
	c.ended(open)
	s.WaitFor("nothing is waiting")

	s.PressUntil("h", "3 questions")
	s.WaitFor("9090")
	s.WaitFor("Postgres · note: for now")
	s.Type("/")
	s.WaitFor("Search:")
	s.Type("AUDIT nothing")
	s.WaitFor("Nothing in the history holds this text.")
	s.Keys("Escape")
	s.WaitFor("3 questions")
	s.Type("/which DATABASE")
	s.WaitFor("1 found")
	s.Keys("Enter")
	s.WaitFor("Enter open")

	// Another form comes meanwhile: the list stays, the counter says so.
	c.begin(3, `{"questions":[{"id":"q","prompt":"Which region?","options":[{"value":"a","label":"North"},{"value":"b","label":"South"}]}]}`)
	s.WaitFor("1 waiting")
	s.WaitFor("1 found")

	s.Keys("Enter")
	screen := s.WaitFor("Note: for now")
	for _, part := range []string{"question 1 of 2", "☒ 1. Postgres", "already deployed", "after it was asked"} {
		if !strings.Contains(screen, part) {
			t.Errorf("%q is not on the screen:\n%s", part, screen)
		}
	}
	s.Keys("Escape")
	s.WaitFor("1 found")
	s.Type("e")
	s.WaitFor("Write to: ~/askd-history-")
	s.Keys("Enter")
	s.WaitFor("1 question written to " + p.dir)
	files, err := filepath.Glob(filepath.Join(p.dir, "askd-history-*.md"))
	if err != nil || len(files) != 1 {
		t.Fatalf("exported files %v, %v", files, err)
	}
	if got, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(got), "Which database?") || strings.Contains(string(got), "Which port?") {
		t.Errorf("%v, the file holds\n%s", err, got)
	}
	s.Type("e")
	s.WaitFor("Write to:")
	s.Keys("Enter")
	s.WaitFor("exists already and was left alone")
	s.Keys("Escape")
	s.WaitGone("Write to:")

	s.PressUntil("C-r", "Which region?")
	if got := c.queue(`{}`); len(got) != 1 {
		t.Errorf("the keys of the history reached the form below: %+v", got)
	}
	c.must("pane.open", `{"view":"history"}`, nil)
	s.WaitFor("4 questions")
	s.PressUntil("Escape", "Which region?")
}
