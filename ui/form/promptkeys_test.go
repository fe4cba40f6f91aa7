package form

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"askd/broker/ask"
)

func TestPromptSingle(t *testing.T) {
	runPromptRows(t, alone(ask.Single, "Redis", "Postgres", "Cookies"), []promptRow{
		{"opens on the first option", "", "Store | 1. Redis", ""},
		{"focus goes round down", "down down down down", "Store | 1. Redis", ""},
		{"focus goes round up", "up", "Store | 4. Type something.", ""},
		{"ctrl+j and ctrl+k", "ctrl+j ctrl+j ctrl+k", "Store | 2. Postgres", ""},
		{"tab moves the focus", "tab tab shift+tab", "Store | 2. Postgres", ""},
		{"a digit focuses", "3", "Store | 3. Cookies", ""},
		{"the free-form row's number filters", "4", `Store | filter "4" | 1. Type something.`, ""},
		{"zero filters", "0", `Store | filter "0" | 1. Type something.`, ""},
		{"enter answers", "2 enter", "done", "1:Postgres sent"},
		{"letters filter", "=oo", `Store | filter "oo" | 1. Cookies`, ""},
		{"a digit among the filtered", "=e 2", `Store | filter "e" | 2. Cookies`, ""},
		{"a digit beyond the filtered", "=oo 2", `Store | filter "oo2" | 1. Type something.`, ""},
		{"typing goes to the first row", "down =s", `Store | filter "s" | 1. Postgres`, ""},
		{"erasing goes to the first row", "=es down backspace", `Store | filter "e" | 1. Redis`, ""},
		{"erasing nothing moves nothing", "down backspace", "Store | 2. Postgres", ""},
		{"space filters", "down space", `Store | filter " " | 1. Redis`, ""},
		{"esc clears", "=oo esc", "Store | 1. Redis", ""},
		{"esc clears white space", "space esc", "Store | 1. Redis", ""},
		{"esc then esc", "=oo esc esc", "done", "cancelled"},
		{"ctrl+c with a filter", "=oo ctrl+c", "done", "cancelled"},
		{"enter opens the editor", "up enter", `Store | editor ""`, ""},
		{"the filter is not the text", "=zz enter", `Store | editor ""`, ""},
		{"text answers trimmed", "up enter =_own_ enter", "done", `1:"own" sent`},
		{"blank text cancels", "up enter =__ enter", "done", "cancelled"},
		{"esc keeps the text", "up enter =own esc", "Store | 4. own", ""},
		{"the text comes back", "up enter =own esc enter", `Store | editor "own"`, ""},
		{"white space alone shows the placeholder", "up enter =__ esc", "Store | 4. Type something.", ""},
		{"several lines show as one", "up enter =a shift+enter =b esc", "Store | 4. a b", ""},
		{"several lines answer as they are", "up enter =a ctrl+j =b enter", "done", "1:\"a\\nb\" sent"},
		{"ctrl+c in the editor", "up enter =own ctrl+c", "done", "cancelled"},
		{"tab in the editor", "up enter =own tab shift+tab", `Store | editor "own"`, ""},
		{"text does not go with an option", "up enter =own esc down enter", "done", "1:Redis sent"},
		{"a click focuses", "row:1", "Store | 2. Postgres", ""},
		{"a click on the focused row answers", "row:1 row:1", "done", "1:Postgres sent"},
		{"a click on the free-form row", "row:3", `Store | editor ""`, ""},
		{"clicks behind the editor", "row:3 row:1 page:1", `Store | editor ""`, ""},
		{"clicks outside", "row:-1 row:9 page:1 page:0", "Store | 1. Redis", ""},
	})
}

func TestPromptMulti(t *testing.T) {
	runPromptRows(t, alone(ask.Multi, "Unit", "Lint", "Fuzz"), []promptRow{
		{"space ticks", "space down space", "Store | 2. [✓] Lint +1 +2", ""},
		{"space unticks", "space space", "Store | 1. [ ] Unit", ""},
		{"a digit ticks and focuses", "3", "Store | 3. [✓] Fuzz +3", ""},
		{"further digits do nothing", "1 4 9 0", "Store | 1. [✓] Unit +1", ""},
		{"no filter", "=lint backspace", "Store | 1. [ ] Unit", ""},
		{"esc with ticks", "1 esc", "done", "cancelled"},
		{"enter sends the ticks in their order", "3 1 enter", "done", "1:Unit 1:Fuzz sent"},
		{"enter with nothing ticked", "down enter", "done", "1:Lint sent"},
		{"space on the empty row writes", "up space", `Store | editor ""`, ""},
		{"enter in the editor ticks", "up enter =own enter", "Store | 4. [✓] own +4", ""},
		{"text is kept trimmed", "up enter =_own_ enter enter", `Store | editor "own"`, ""},
		{"blank text unticks", "up enter =own enter enter backspace", `Store | editor "own"`, ""},
		{"blank text does not cancel", "up enter =__ enter", "Store | 4. [ ] Type something.", ""},
		{"esc does not tick", "up enter =own esc", "Store | 4. [ ] own", ""},
		{"esc does not untick", "up enter =own enter enter =er esc", "Store | 4. [✓] owner +4", ""},
		{"space unticks the text and keeps it", "up enter =own enter space", "Store | 4. [ ] own", ""},
		{"space ticks the text again", "up enter =own enter space space", "Store | 4. [✓] own +4", ""},
		{"enter on the free-form row never sends", "1 up enter =own enter enter", `Store | editor "own"`, ""},
		{"ticks and text", "3 down enter =own enter up enter", "done", `1:Fuzz 1:"own" sent`},
		{"text alone", "up enter =own enter down enter", "done", `1:"own" sent`},
		{"unticked text stays behind", "up enter =own esc down enter", "done", "1:Unit sent"},
		{"a click ticks", "row:1 row:1 row:2", "Store | 3. [✓] Fuzz +3", ""},
		{"a click on the free-form row", "row:3", `Store | editor ""`, ""},
		{"several lines show as one", "up enter =a shift+enter =b enter", "Store | 4. [✓] a b +4", ""},
	})
}

func TestPromptBatch(t *testing.T) {
	runPromptRows(t, batch(), []promptRow{
		{"opens on the first page", "", "Store [1] 2 3 · review | 1. Redis", ""},
		{"tab goes round", "tab tab tab tab", "Store [1] 2 3 · review | 1. Redis", ""},
		{"shift+tab from the first", "shift+tab", "1 2 3 · [review]", ""},
		{"tab never reaches the list", "tab shift+tab", "Store [1] 2 3 · review | 1. Redis", ""},
		{"an answer goes on", "enter", "Gates 1✓ [2] 3 · review | 1. [ ] Unit", ""},
		{"to the next unanswered, round the end", "tab tab enter", "Store [1] 2 3✓ · review | 1. Redis", ""},
		{"past answered ones", "tab enter shift+tab shift+tab enter", "Logs 1✓ 2✓ [3] · review | 1. JSON", ""},
		{"all answered", "enter enter enter", "1✓ 2✓ 3✓ · [review]", ""},
		{"answering again goes to review", "enter enter enter 2 2 enter", "1✓ 2✓ 3✓ · [review]", ""},
		{"answering again goes on", "enter enter tab 1 2 enter", "Logs 1✓ 2✓ [3] · review | 1. JSON", ""},
		{"review sends", "enter enter enter enter", "done", "1:Redis 2:Unit 3:JSON sent"},
		{"the last answer counts", "enter enter enter 1 3 enter enter", "done", "1:Cookies 2:Unit 3:JSON sent"},
		{"skips warn", "enter shift+tab shift+tab enter", "1✓ 2 3 · [review] | warned", ""},
		{"skips are sent the second time", "enter tab tab enter enter", "done", "1:Redis sent"},
		{"nothing at all is sent the second time", "shift+tab enter enter", "done", "sent"},
		{"the warning is forgotten", "shift+tab enter tab shift+tab", "1 2 3 · [review]", ""},
		{"other keys leave the warning", "shift+tab enter up down ctrl+j ctrl+k 0 9 space backspace =x", "1 2 3 · [review] | warned", ""},
		{"a digit jumps", "shift+tab 2", "Gates 1 [2] 3 · review | 1. [ ] Unit", ""},
		{"a digit beyond", "shift+tab 4 0", "1 2 3 · [review]", ""},
		{"ticks are no answer", "tab 1 3 tab", "Logs 1 2 [3] · review | 1. JSON", ""},
		{"ticks changed later are no answer", "enter 1 enter shift+tab 2 tab enter enter", "done", "1:Redis 2:Unit 3:JSON sent"},
		{"esc anywhere", "enter esc", "done", "cancelled"},
		{"esc on review", "enter enter enter esc", "done", "cancelled"},
		{"ctrl+c on review", "shift+tab ctrl+c", "done", "cancelled"},
		{"blank text cancels everything", "enter enter up enter enter", "done", "cancelled"},
		{"tab leaves the editor", "up enter =own tab", "Gates 1 [2] 3 · review | 1. [ ] Unit", ""},
		{"the text stays on its page", "up enter =own tab shift+tab", "Store [1] 2 3 · review | 4. own", ""},
		{"an answer in words shows on its page", "up enter =own enter shift+tab", "Store [1✓] 2 3 · review | 4. own", ""},
		{"filter and focus stay", "=es down tab shift+tab", `Store [1] 2 3 · review | filter "es" | 2. Postgres`, ""},
		{"a click turns pages", "page:2", "Logs 1 2 [3] · review | 1. JSON", ""},
		{"a click to review", "page:3", "1 2 3 · [review]", ""},
		{"a click on the open page", "up enter =x page:0", `Store [1] 2 3 · review | editor "x"`, ""},
		{"a click leaves the editor", "up enter =x page:1 page:0", "Store [1] 2 3 · review | 4. x", ""},
		{"clicks outside", "page:4 page:-1", "Store [1] 2 3 · review | 1. Redis", ""},
		{"a click answers a page", "row:0", "Gates 1✓ [2] 3 · review | 1. [ ] Unit", ""},
		{"rows on review", "shift+tab row:0", "1 2 3 · [review]", ""},
	})
}

func TestPromptReviewSummaries(t *testing.T) {
	p := NewPrompt(batch())
	playPrompt(t, p, "up enter =first shift+enter =second enter 1 3 down enter =a,_b enter up enter")
	want := []PromptReviewItem{
		{Number: 1, Question: "Where?", Summary: "first second"},
		{Number: 2, Question: "Which?", Summary: "Unit, Fuzz, a, b"},
		{Number: 3, Question: "What?"},
	}
	if diff := cmp.Diff(want, p.Review()); diff != "" {
		t.Error(diff)
	}
}

func TestPromptRowsCarryTheOption(t *testing.T) {
	r := alone(ask.Single, "Backoff", "Fixed")
	r.Questions[0].Options[1].Description, r.Questions[0].Options[1].Preview = "Short", "# Long"
	p := NewPrompt(r)
	playPrompt(t, p, "=fixed")
	want := []PromptRow{
		{Number: 1, Option: 1, Label: "Fixed", Description: "Short", Preview: "# Long", Focused: true},
		{Number: 2, Option: -1},
	}
	if diff := cmp.Diff(want, p.Rows()); diff != "" {
		t.Error(diff)
	}
}

// A tick cannot stand beside a text that is gone, whichever way the editor was left.
func TestPromptTickGoesWithItsText(t *testing.T) {
	for _, leave := range []string{"esc", "enter", "tab shift+tab", "page:3 page:1"} {
		p := NewPrompt(batch())
		playPrompt(t, p, "tab up enter =own enter enter")
		p.Apply(PromptEdit{Text: " \n"})
		playPrompt(t, p, leave)
		if got := standsAs(p); got != "Gates 1 [2] 3 · review | 4. [ ] Type something." {
			t.Errorf("%s: %s", leave, got)
		}
	}
}

// Pasted text is filter text, on one line.
func TestPromptPasteFilters(t *testing.T) {
	for _, r := range []struct{ pasted, filter string }{
		{"post", "post"},
		{"two words", "two words"},
		{"a\r\nb\n", "a b"},
		{"a\tb", "a b"},
		{"x\x1b[31my", "x [31my"},
		{"bad\xff", "bad\uFFFD"},
		{"42", "42"},
		{"\n", ""},
		{"", ""},
		{" ", " "},
	} {
		p := NewPrompt(alone(ask.Single, "Redis", "Postgres"))
		p.Apply(PromptType{Text: r.pasted})
		if p.Filter() != r.filter {
			t.Errorf("%q became %q, want %q", r.pasted, p.Filter(), r.filter)
		}
	}
	p := NewPrompt(alone(ask.Multi, "Redis", "Postgres"))
	if got := p.Apply(PromptType{Text: "post"}); got != nil || p.Filter() != "" {
		t.Errorf("a multi-select list took %q and gave %v", p.Filter(), got)
	}
}

func TestPromptEraseTakesWholeCharacters(t *testing.T) {
	for _, r := range []struct{ text, want string }{
		{"ab", "a"},
		{"日本", "日"},
		{"xe\u0301", "x"},
		{"x👩‍👧", "x"},
		{"x👍🏽", "x"},
		{"x❤️", "x"},
		{"🇩🇪🇫🇷", "🇩🇪"},
		{"x🇩", "x"},
		{"\u0301", ""},
	} {
		if got := withoutLast(r.text); got != r.want {
			t.Errorf("%q without its last is %q, want %q", r.text, got, r.want)
		}
	}
}

func TestPromptSerialGrowsWithEachEditor(t *testing.T) {
	p := NewPrompt(alone(ask.Single, "a", "b"))
	for i, script := range []string{"", "up enter", "=x esc", "enter"} {
		playPrompt(t, p, script)
		if want := []int{0, 1, 1, 2}[i]; p.Serial() != want {
			t.Errorf("after %q serial is %d, want %d", script, p.Serial(), want)
		}
	}
}

func TestPromptDirty(t *testing.T) {
	for script, want := range map[string]bool{
		"": false, "down =es": false, "tab 1": true, "tab 1 1": false, "enter": true, "up enter": false, "up enter =x": true,
		"up enter =x esc": true, "up enter =_ esc": false,
	} {
		p := NewPrompt(batch())
		playPrompt(t, p, script)
		if p.Dirty() != want {
			t.Errorf("%q: dirty is %v", script, p.Dirty())
		}
	}
}

// An outcome that could not be stored brings everything back as it stood before the key.
func TestPromptReopen(t *testing.T) {
	for _, script := range []string{
		"esc", "up enter =own enter", "up enter enter", "=re enter", "=re ctrl+c", "up enter =x ctrl+c",
	} {
		p := NewPrompt(alone(ask.Single, "Redis", "Postgres"))
		words := strings.Fields(script)
		playPrompt(t, p, strings.Join(words[:len(words)-1], " "))
		was, draft := standsAs(p), p.Draft()
		playPrompt(t, p, words[len(words)-1])
		if p.Mode() != PromptDone {
			t.Fatalf("%q did not end", script)
		}
		if got := p.Apply(PromptDo{Command: PromptConfirm}); got != nil {
			t.Errorf("%q: after the end came %v", script, got)
		}
		p.Reopen()
		if diff := cmp.Diff(draft, p.Draft()); standsAs(p) != was || diff != "" {
			t.Errorf("%q: was %s, is %s\n%s", script, was, standsAs(p), diff)
		}
		if len(p.Response().Choices[0].Selected) != 0 {
			t.Errorf("%q left an answer: %v", script, p.Response())
		}
	}
	p := NewPrompt(batch())
	playPrompt(t, p, "enter")
	p.Reopen()
	if got := standsAs(p); got != "Gates 1✓ [2] 3 · review | 1. [ ] Unit" {
		t.Errorf("reopening an open prompt changed it: %s", got)
	}
}

func TestPromptResponseSharesNothing(t *testing.T) {
	p := NewPrompt(batch())
	playPrompt(t, p, "enter")
	p.Response().Choices[0].Selected[0] = 2
	if got := p.Response().Choices[0].Selected[0]; got != 0 {
		t.Errorf("the prompt's answer became %d", got)
	}
}

// A stored request may be damaged: a prompt without questions can still be left.
func TestPromptWithoutQuestions(t *testing.T) {
	p := NewPrompt(&ask.Request{})
	playPrompt(t, p, "tab up 1 row:0 page:0 =x")
	if p.Mode() != PromptReview || p.Rows() != nil || p.Question() != nil {
		t.Errorf("mode %d", p.Mode())
	}
	if got := playPrompt(t, p, "esc"); len(got) != 1 {
		t.Errorf("gave %v", got)
	}
}
