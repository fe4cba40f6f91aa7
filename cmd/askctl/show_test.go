package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"askd/broker/ask"
)

// shown is what askctl show prints for a form of these parts, without its times.
func shown(t *testing.T, parts string) string {
	t.Helper()
	result := `{"requests":[{"requestId":"8f14e45f","session":"s","status":"waiting","askerOnline":true,"createdAt":"2026-03-01T11:59:00Z"}],
		"request":{"id":"8f14e45f","session":"s","tool":"ask_user","createdAt":"2026-03-01T11:59:00Z","asker":{"sessionName":"shop","host":"box"},
		"questions":[
		{"id":"db","label":"Store","prompt":"Which?","type":"single","options":[{"value":"pg","label":"Postgres"},{"value":"lite","label":"SQLite"}]},
		{"id":"keep","label":"Keep","prompt":"How long?","type":"multi","options":[{"value":"2y","label":"2 years"}]}]}` + parts + `}`
	code, out, errs := runWith(canned{result: result}, nil, 0, "show", "8f14e45f")
	if code != exitOK {
		t.Fatalf("code %d: %s", code, errs)
	}
	_, after, _ := strings.Cut(out, " 1) 2 years [2y]\n")
	return after
}

func TestShowDraftAndOutcome(t *testing.T) {
	at := stamp(testNow)
	for _, row := range []struct{ name, parts, want string }{
		{"untouched", ``, ""},
		{
			"draft", `,"draft":{"savedAt":"2026-03-01T12:00:00Z","questions":[{"id":"db","selected":["lite"],"note":"n","customText":"mine"},
				{"id":"keep","skipped":true}],"editor":{"kind":"custom","question":"keep","text":"for e\u001b"}}`,
			"\nDraft so far, saved " + at + "\n  ✓ Store: SQLite\n    note: n\n  - Keep: (skipped)\n  db, typed and not chosen: mine\n  keep, still being typed: for e␛\n",
		},
		{
			"answered", `,"draft":{"questions":[{"id":"db","selected":["pg"]}]},"outcome":{"id":"o","kind":"answered","via":"remote","client":"bot","storedAt":"2026-03-01T12:00:00Z",
				"result":{"questions":[{"id":"db","label":"Store","prompt":"Which?","type":"single"}],"answers":{"db":{"values":["lite"],"labels":["SQLite"],"indices":[2]}}}}`,
			"\nAnswered (over the socket by bot, " + at + ")\n  ✓ Store: SQLite\n",
		},
		{
			"cancelled, with what had been answered", `,"outcome":{"id":"o","kind":"cancelled","via":"pane","storedAt":"2026-03-01T12:00:00Z",
				"result":{"cancelled":true,"questions":[{"id":"db","label":"Store","prompt":"Which?","type":"single"}],"answers":{"db":{"values":["lite"],"labels":["SQLite"],"indices":[2]}}}}`,
			"\nCancelled (in the pane, " + at + ")\n  ✓ Store: SQLite\n",
		},
		{
			"interrupted, its draft stays readable", `,"draft":{"savedAt":"2026-03-01T12:00:00Z","questions":[{"id":"db","selected":["pg"]}]},
				"outcome":{"id":"o","kind":"interrupted","via":"askd","error":"gone","storedAt":"2026-03-01T12:00:00Z"}`,
			"\nDraft so far, saved " + at + "\n  ✓ Store: Postgres\n  ? Keep: (no answer)\n\nInterrupted, nobody answered (by askd, " + at + ")\n  gone\n",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, shown(t, row.parts)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestResponseOfDraft: what a draft would send is what it shows, but for images.
func TestResponseOfDraft(t *testing.T) {
	r := testRequest(question("db", ask.Single, "pg", "lite"), question("keep", ask.Multi, "2y"))
	d := &ask.Draft{Questions: []ask.QuestionDraft{
		{ID: "gone", Selected: []string{"x"}},
		{ID: "db", CustomText: "mine", CustomSelected: true, OptionNotes: map[string]string{"lite": "small", "gone": "x", "pg": " "}},
	}}
	got := responseOf(r, draftResponse(r, d).Choices)
	w, ok := got.Answers.Get("db")
	note, _ := w.OptionNotes.Get("lite")
	if !ok || got.Answers.Len() != 1 || w.CustomText != "mine" || note != "small" || w.OptionNotes.Len() != 1 {
		t.Errorf("%+v", got)
	}
}
