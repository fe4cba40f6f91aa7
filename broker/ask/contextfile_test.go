package ask_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"askd/broker/ask"

	"github.com/google/go-cmp/cmp"
)

// withContext is a payload of one question with this context.
func withContext(t *testing.T, context string) *ask.Payload {
	t.Helper()
	quoted, err := json.Marshal(context)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, `{"questions":[{"id":"a","prompt":"A?","context":`+string(quoted)+`,"options":[{"value":"y","label":"Y"}]}]}`)
}

func read(t *testing.T, arguments string) *ask.Payload {
	t.Helper()
	p, err := ask.ReadPayload(json.RawMessage(arguments))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// load reads the files of a valid payload and gives its first context.
func load(t *testing.T, p *ask.Payload) string {
	t.Helper()
	if issues := p.Validate(); issues != nil {
		t.Fatal(issues)
	}
	if issues := p.LoadContexts(); issues != nil {
		t.Fatal(issues)
	}
	_, questions := p.Normalise(false)
	return questions[0].Context
}

func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestContextFileIsRead(t *testing.T) {
	for name, content := range map[string]string{
		"plan.md":         "# Plan\n\nShip it.\n",
		"with spaces.txt": "text",
		"bom.txt":         "\uFEFFtext",
		"limit.txt":       strings.Repeat("x", ask.MaxContextFile),
	} {
		t.Run(name, func(t *testing.T) {
			p := withContext(t, file(t, name, content))
			want := ask.Trim(strings.TrimPrefix(content, "\uFEFF"))
			if got := load(t, p); got != want {
				t.Errorf("context has %d bytes, want %d", len(got), len(want))
			}
		})
	}
}

func TestContextFileTextStandsVerbatimInArguments(t *testing.T) {
	p := withContext(t, file(t, "a.txt", "  text <b>\u2028\n"))
	load(t, p)
	got := string(p.Arguments())
	if !strings.Contains(got, `"context":"  text <b>`+"\u2028"+`\n"`) {
		t.Errorf("arguments = %s", got)
	}
}

func TestContextFollowsSymlink(t *testing.T) {
	target := file(t, "target", "linked")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if got := load(t, withContext(t, link)); got != "linked" {
		t.Errorf("context = %q", got)
	}
}

func TestContextIsText(t *testing.T) {
	existing := file(t, "a", "content")
	for _, context := range []string{
		"/v1/users returns 404",
		existing + "\nand more",
		"docs/plan.md",
		"see " + existing,
		"/no such\u00a0place",
	} {
		p := withContext(t, context)
		if got := load(t, p); got != context {
			t.Errorf("context of %q = %q", context, got)
		}
	}
}

func TestContextFileRefused(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	dangling := filepath.Join(dir, "dangling link")
	if err := os.Symlink(filepath.Join(dir, "nothing"), dangling); err != nil {
		t.Fatal(err)
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	for path, reason := range map[string]string{
		loop:                                  "no such file",
		dir + "/fifo/../../missing/x":         "no such file",
		filepath.Join(dir, "missing"):         "no such file",
		filepath.Join(fifo, "below"):          "no such file",
		"/" + strings.Repeat("x", 5000):       "no such file",
		"/a\x00b":                             "no such file",
		dangling:                              "no such file",
		dir:                                   "expected a regular text file",
		fifo:                                  "expected a regular text file",
		"/dev/zero":                           "expected a regular text file",
		file(t, "latin1", "caf\xe9"):          "expected UTF-8 text, not binary data",
		file(t, "nul", "a\x00b"):              "expected UTF-8 text, not binary data",
		file(t, "empty", ""):                  "file is empty",
		file(t, "blank", "\uFEFF \n\t\u2028"): "file is empty",
		file(t, "big", strings.Repeat("x", 1+ask.MaxContextFile)): "file is larger than 1 MiB",
	} {
		p := withContext(t, path)
		want := []ask.Issue{{Path: "questions[0].context", Message: `Cannot load context file "` + path + `": ` + reason}}
		if diff := cmp.Diff(want, p.LoadContexts()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestContextEveryFailingFileIsAnIssue(t *testing.T) {
	good := file(t, "good", "fine")
	p := read(t, `{"questions":[
		{"id":"a","prompt":"A?","context":"/nope/1","options":[{"value":"y"}]},
		{"id":"b","prompt":"B?","context":"`+good+`","options":[{"value":"y"}]},
		{"id":"c","prompt":"C?","context":"/nope/3","options":[{"value":"y"}]}]}`)
	var paths []string
	for _, issue := range p.LoadContexts() {
		paths = append(paths, issue.Path)
	}
	if diff := cmp.Diff([]string{"questions[0].context", "questions[2].context"}, paths); diff != "" {
		t.Error(diff)
	}
}

func TestSavedContextsAreText(t *testing.T) {
	path := file(t, "a", "new content")
	p := withContext(t, path)
	p.KeepContexts()
	if _, questions := p.Normalise(false); questions[0].Context != path {
		t.Errorf("context = %q", questions[0].Context)
	}
}

func TestLegacyPreviews(t *testing.T) {
	path := file(t, "b.md", "from file\n")
	for _, c := range []struct{ name, fields, options, want string }{
		{"single text", `"type":"preview"`, `{"value":"a","preview":"code"},{"value":"b"}`, "code"},
		{"single text that looks like a path", `"type":"preview"`, `{"value":"a","preview":"/etc/nothing"}`, "/etc/nothing"},
		{"single file", `"type":"preview"`, `{"value":"a","previewFile":"` + path + `"}`, "from file"},
		{"several", `"type":"preview"`, `{"value":"a-one","preview":"code"},{"value":"b","label":"Bee","previewFile":"` + path + `"}`, "## A one\n\ncode\n\n## Bee\n\nfrom file"},
		{"after a context", `"context":"look"`, `{"value":"a","preview":"code"}`, "look\n\n## A\n\ncode"},
		{"relative file", `"type":"preview"`, `{"value":"a","previewFile":"docs/b.md"}`, ""},
		{"blank and foreign", `"type":"preview"`, `{"value":"a","preview":" ","previewFile":null},{"value":"b","preview":7}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := read(t, `{"questions":[{"id":"q","prompt":"Q?",`+c.fields+`,"options":[`+c.options+`]}]}`)
			if got := load(t, p); got != c.want {
				t.Errorf("context = %q, want %q", got, c.want)
			}
			if got := string(p.Arguments()); strings.Contains(got, "preview") {
				t.Errorf("arguments keep preview fields: %s", got)
			}
		})
	}
}

func TestLegacyPreviewFileFailure(t *testing.T) {
	p := read(t, `{"questions":[{"id":"q","prompt":"Q?","options":[{"value":"a","previewFile":"/nope/a"},{"value":"b","previewFile":"/nope/b b"}]}]}`)
	want := []ask.Issue{
		{Path: "questions[0].context", Message: `Cannot load context file "/nope/a": no such file`},
		{Path: "questions[0].context", Message: `Cannot load context file "/nope/b b": no such file`},
	}
	if diff := cmp.Diff(want, p.LoadContexts()); diff != "" {
		t.Error(diff)
	}
}
