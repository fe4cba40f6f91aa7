package ask_test

import (
	"strings"
	"testing"

	"askd/broker/ask"

	"github.com/google/go-cmp/cmp"
)

// release is a form of three questions: one single, one multi, one without a label.
func release(t *testing.T) *ask.Request {
	t.Helper()
	p := read(t, `{"title":"Release","questions":[
		{"id":"engine","label":"Engine","prompt":"Which?","options":[{"value":"mem","label":"In-process"},{"value":"redis","label":"Redis"}]},
		{"id":"checks","label":"Checks","prompt":"Which checks?","type":"multi","options":[{"value":"9","label":"Nine"},{"value":"unit","label":"Unit"},{"value":"2","label":"Two"}]},
		{"id":"when","prompt":"When?","options":[{"value":"mon","label":"Monday"}]}]}`)
	r := &ask.Request{ID: "r1", Tool: ask.ToolAskUser}
	r.Title, r.Questions = p.Normalise(false)
	return r
}

func images(ids ...string) []ask.Image {
	var out []ask.Image
	for _, id := range ids {
		out = append(out, ask.Image{ID: id, MimeType: "image/png", Data: "QQ=="})
	}
	return out
}

// busy is an answer with a bit of everything.
func busy() ask.Response {
	return ask.Response{Choices: []ask.Choice{
		{Type: ask.Single, Selected: []int{1}, Note: "why", NoteImages: images("n"), OptionNotes: map[int]string{0: "no disk", 1: "cheap"}},
		{
			Type: ask.Multi, Selected: []int{2, 0, 2, 7, -1}, CustomText: "Load", CustomImages: images("c", "d"),
			OptionNotes: map[int]string{1: "slow", 2: " "}, OptionNoteImages: map[int][]ask.Image{0: images("c", "e"), 1: images("f")},
		},
		{Type: ask.Single, Skipped: true, Selected: []int{0}, Note: "gone", CustomText: "gone"},
	}}
}

func TestSummaryOfEverything(t *testing.T) {
	got := ask.Summary(ask.BuildResult(release(t), busy(), false))
	want := strings.Join([]string{
		"Engine: Redis",
		"Engine note: why [1 image]",
		"Engine / Redis note: cheap",
		"Engine / mem (not selected) note: no disk",
		"Checks: Nine, Two, Load [2 images]",
		"Checks / Nine note: [2 images]",
		"Checks / unit (not selected) note: slow [1 image]",
		"Q3: (skipped)",
	}, "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTranscriptOfEverything(t *testing.T) {
	got := ask.PlainLines(ask.TranscriptLines(ask.BuildResult(release(t), busy(), false)))
	want := strings.Join([]string{
		"✓ Engine: Redis",
		"  note: why [1 image]",
		"  Redis note: cheap",
		"  mem (not selected) note: no disk",
		"✓ Checks: Nine, Two, Load [2 images]",
		"  Nine note: [2 images]",
		"  unit (not selected) note: slow [1 image]",
		"- Q3: (skipped)",
	}, "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCardOfEverything(t *testing.T) {
	r := release(t)
	got := ask.PlainLines(ask.CardLines(r, ask.BuildResult(r, busy(), false), ""))
	want := strings.Join([]string{
		"Release · ✓ Answers received",
		"",
		" Which?",
		"   → Redis",
		"     Note: cheap",
		"     Note: why [1 image]",
		"     In-process Note: no disk",
		"",
		" Which checks?",
		"   → Nine",
		"     Note: [2 images]",
		"   → Two",
		"   → Load [2 images]",
		"     Unit Note: slow [1 image]",
		"",
		" When?",
		"   → skipped",
	}, "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCardsOfOtherEnds(t *testing.T) {
	r := release(t)
	untitled := *r
	untitled.Title = ""
	for _, c := range []struct {
		r       *ask.Request
		result  *ask.Result
		failure string
		want    string
	}{
		{r, ask.PendingResult(r), "", "Release · ? Questions cancelled\nNo approval given."},
		{r, nil, "surface\x1b lost", "Release · ! Question form failed\nsurface␛ lost"},
		{&untitled, nil, "", "! Question form failed\nNo form result available."},
		{&untitled, ask.InvalidResult("", nil), "", "! Question form failed\nNo form result available."},
		{&untitled, ask.BuildResult(r, ask.Response{Choices: []ask.Choice{{CustomText: "a\nb"}, {CustomImages: images("x"), Selected: []int{0}}}}, false), "", strings.Join([]string{
			"✓ Answers received", "", " Which?", "   → a", "   b", "", " Which checks?", "   → Nine [1 image]", "", " When?", "   → unanswered",
		}, "\n")},
	} {
		if diff := cmp.Diff(c.want, ask.PlainLines(ask.CardLines(c.r, c.result, c.failure))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestCancelledKeepsTextsAndDropsImages(t *testing.T) {
	result := ask.BuildResult(release(t), busy(), true)
	raw, err := ask.Stringify(result)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"title":"Release","cancelled":true,"questions":[{"id":"engine","label":"Engine","prompt":"Which?","type":"single"},` +
		`{"id":"checks","label":"Checks","prompt":"Which checks?","type":"multi"},{"id":"when","label":"Q3","prompt":"When?","type":"single"}],` +
		`"skippedQuestionIds":["when"],"answers":{"engine":{"values":["redis"],"labels":["Redis"],"indices":[2],"note":"why","optionNotes":{"mem":"no disk","redis":"cheap"}},` +
		`"checks":{"values":["9","2","Load"],"labels":["Nine","Two","Load"],"indices":[1,3],"customText":"Load","optionNotes":{"unit":"slow"}}},"requestId":"r1"}`
	if diff := cmp.Diff(want, string(raw)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := ask.ImageBlocks(result); got != nil {
		t.Errorf("images: %v", got)
	}
}

func TestImagesOnlyAnswers(t *testing.T) {
	r := release(t)
	response := ask.Response{Choices: []ask.Choice{{CustomImages: images("a", "b")}, {OptionNoteImages: map[int][]ask.Image{1: images("c")}}}}
	result := ask.BuildResult(r, response, false)
	if got := ask.Summary(result); got != "Engine: [2 images]\nChecks: (no answer)\nChecks / unit (not selected) note: [1 image]\nQ3: (no answer)" {
		t.Errorf("summary = %q", got)
	}
	if result.Kind() != ask.Answered {
		t.Errorf("kind = %s", result.Kind())
	}
	if cancelled := ask.BuildResult(r, response, true); cancelled.Answers.Len() != 0 {
		t.Errorf("a cancelled answer of images alone stays: %+v", cancelled.Answers)
	}
}

func TestImageBlocks(t *testing.T) {
	r := release(t)
	result := ask.BuildResult(r, busy(), false)
	var texts []string
	for i, b := range ask.ImageBlocks(nil, result, result) {
		if i%2 == 0 {
			texts = append(texts, b.Text)
		} else if b.Type != "image" || b.MimeType != "image/png" || b.Data != "QQ==" {
			t.Errorf("block %d: %+v", i, b)
		}
	}
	want := []string{
		"Image for [engine] Which? — question note:",
		"Image for [checks] Which checks? — custom answer:",
		"Image for [checks] Which checks? — custom answer:",
		"Image for [checks] Which checks? — option note for Nine:",
		"Image for [checks] Which checks? — option note for unit:",
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPresentedType(t *testing.T) {
	r := release(t)
	for _, c := range []struct {
		choice  ask.Choice
		mention bool
	}{
		{ask.Choice{Type: ask.Multi, Selected: []int{0, 1}}, true},
		{ask.Choice{Type: ask.Multi, Note: "only"}, true},
		{ask.Choice{Type: ask.Multi}, false},
		{ask.Choice{Type: ask.Single, Selected: []int{0}}, false},
	} {
		result := ask.BuildResult(r, ask.Response{Choices: []ask.Choice{c.choice}}, false)
		if got := strings.HasSuffix(ask.Summary(result), "\n"+ask.TextPresented); got != c.mention {
			t.Errorf("%+v: mention %v", c.choice, got)
		}
		if presented := result.Questions[0].PresentedType; (presented == ask.Multi) != (c.choice.Type == ask.Multi) {
			t.Errorf("%+v: presented %q", c.choice, presented)
		}
	}
}

func TestResultKind(t *testing.T) {
	r := release(t)
	skip := ask.Choice{Skipped: true}
	for _, c := range []struct {
		choices   []ask.Choice
		cancelled bool
		want      ask.OutcomeKind
	}{
		{nil, false, ask.Empty},
		{nil, true, ask.Cancelled},
		{[]ask.Choice{{Note: "n"}}, false, ask.Empty},
		{[]ask.Choice{skip, skip, skip}, false, ask.Skipped},
		{[]ask.Choice{skip, skip}, false, ask.Empty},
		{[]ask.Choice{skip, {Selected: []int{0}}}, false, ask.Answered},
	} {
		if got := ask.BuildResult(r, ask.Response{Choices: c.choices}, c.cancelled).Kind(); got != c.want {
			t.Errorf("%+v: %s, want %s", c, got, c.want)
		}
	}
}

func TestCustomTextThatEqualsAValueIsNoOption(t *testing.T) {
	r := release(t)
	result := ask.BuildResult(r, ask.Response{Choices: []ask.Choice{{CustomText: "mem", OptionNotes: map[int]string{0: "x"}}}}, false)
	if got := ask.Summary(result); !strings.HasPrefix(got, "Engine: mem\nEngine / mem (not selected) note: x\n") {
		t.Errorf("summary = %q", got)
	}
}

func TestTextsOfQueueAndWait(t *testing.T) {
	for got, want := range map[string]string{
		ask.ReceiptText("r1", 2, false):                                                "Queued ask_user [r1]. 2 form(s) pending. This is not an answer. Continue independent work; call wait_for_answers when answers are needed.",
		ask.ReceiptText("r1", 1, true):                                                 "Queued ask_user [r1]. 1 form(s) pending. This is not an answer. Continue independent work; the answer will arrive as a message.",
		ask.DeferredText(ask.DeferHidden, []string{"r1", "r2"}, nil):                   "Question wait deferred (hidden by the user). 2 form(s) still pending: r1, r2. This is not an answer. Do not call wait_for_answers again until the user or an answer prompts you.",
		ask.DeferredText(ask.DeferMessage, []string{"r1"}, []string{"A", "B"}):         "A\n\nB\n\nQuestion wait deferred (the user sent a message). 1 form(s) still pending: r1. This is not an answer. Do not call wait_for_answers again until the user or an answer prompts you.",
		ask.PlainLines(ask.ReceiptLines(3, 2)):                                         "3 question(s) queued · 2 form(s) pending",
		ask.PlainLines(ask.WaitLines(2)):                                               "Received 2 answer(s).",
		ask.PlainLines(ask.DeferredLines(1)):                                           "Deferred, 1 pending.",
		ask.PlainLines(ask.TranscriptLines(ask.InvalidResult("", nil))):                "Invalid tool payload",
		ask.PlainLines(ask.TranscriptLines(&ask.Result{})):                             "Submitted",
		ask.Summary(&ask.Result{}):                                                     "User submitted the ask flow",
		ask.BackgroundText("r1", &ask.Result{Title: "T", Cancelled: true}, ""):         "Background answer [r1] — T:\nQuestions:\nResponse:\nUser cancelled the ask flow",
		ask.PlainLines(ask.ErrorLines("one\ntwo")):                                     "one\ntwo",
		ask.PlainLines(ask.Paragraph(ask.Span{"text", "a\x1b"}, ask.Span{"dim", "b"})): "a␛b",
	} {
		if got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func TestBlockJSON(t *testing.T) {
	for want, b := range map[string]ask.Block{
		`{"type":"text","text":""}`:                             ask.TextBlock(""),
		`{"type":"text","text":"<a>"}`:                          ask.TextBlock("<a>"),
		`{"type":"image","data":"QQ==","mimeType":"image/png"}`: {Type: "image", Data: "QQ==", MimeType: "image/png"},
	} {
		if got, err := ask.Stringify(b); err != nil || string(got) != want {
			t.Errorf("got %s, want %s, err %v", got, want, err)
		}
	}
	odd := "<a> & \"b\" \\u2028 \u2028 \xff\n\x01 é"
	type text struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	want, err := ask.Stringify(text{odd, odd})
	if got, fault := (ask.Block{Type: odd, Text: odd}).MarshalJSON(); err != nil || fault != nil || string(got) != string(want) {
		t.Errorf("got %s, want %s; %v, %v", got, want, fault, err)
	}
}
