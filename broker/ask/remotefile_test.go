package ask_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"askd/broker/ask"

	"github.com/google/go-cmp/cmp"
)

// take fills a valid payload with what another machine sent, and gives its first context and the issues.
func take(t *testing.T, p *ask.Payload, files ...ask.File) (string, []ask.Issue) {
	t.Helper()
	if issues := p.Validate(); issues != nil {
		t.Fatal(issues)
	}
	if issues := p.TakeContexts(files); issues != nil {
		return "", issues
	}
	_, questions := p.Normalise(false)
	return questions[0].Context, nil
}

// What another machine sent counts, whatever this one has under the same name.
func TestContextOfAnotherMachine(t *testing.T) {
	path := file(t, "plan", "of this machine")
	spaced := file(t, "my plan", "of this machine")
	for name, tt := range map[string]struct {
		context string
		files   []ask.File
		want    string
		issue   string
	}{
		"sent":                  {path, []ask.File{{Path: path, Data: []byte("of the other")}}, "of the other", ""},
		"sent, with a space":    {" " + spaced + "\n", []ask.File{{Path: spaced, Data: []byte("of the other")}}, "of the other", ""},
		"not sent":              {path, nil, "", "it is on another machine than askd, and the asking program did not send it; put the text itself into context"},
		"another one sent":      {path, []ask.File{{Path: path + "2", Data: []byte("x")}}, "", "it is on another machine than askd, and the asking program did not send it; put the text itself into context"},
		"a sentence":            {spaced, nil, spaced, ""},
		"text":                  {"See " + path, []ask.File{{Path: path, Data: []byte("x")}}, "See " + path, ""},
		"missing there":         {path, []ask.File{{Path: path, Fault: "missing", Data: []byte("x")}}, "", "no such file"},
		"closed there":          {path, []ask.File{{Path: path, Fault: "denied"}}, "", "permission denied"},
		"a folder there":        {path, []ask.File{{Path: path, Fault: "irregular"}}, "", "expected a regular text file"},
		"large there":           {path, []ask.File{{Path: path, Fault: "large"}}, "", "file is larger than 1 MiB"},
		"too many":              {path, []ask.File{{Path: path, Fault: "many"}}, "", "the context files of one form are larger than 4 MiB together, the most that is sent to an askd on another machine"},
		"a reason not known":    {path, []ask.File{{Path: path, Fault: "EIO"}}, "", "it cannot be read"},
		"larger than it may be": {path, []ask.File{{Path: path, Data: make([]byte, ask.MaxContextFile+1)}}, "", "file is larger than 1 MiB"},
		"binary":                {path, []ask.File{{Path: path, Data: []byte{0xff, 0}}}, "", "expected UTF-8 text, not binary data"},
		"empty":                 {path, []ask.File{{Path: path}}, "", "file is empty"},
	} {
		got, issues := take(t, withContext(t, tt.context), tt.files...)
		if tt.issue != "" {
			want := []ask.Issue{{Path: "questions[0].context", Message: `Cannot load context file "` + path + `": ` + tt.issue}}
			if diff := cmp.Diff(want, issues); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		} else if issues != nil || got != tt.want {
			t.Errorf("%s: %q, %v", name, got, issues)
		}
	}
}

// What is gathered on one machine means on another what it means on its own.
func TestGatheredFilesMeanTheSame(t *testing.T) {
	contexts := []string{
		file(t, "plan", "# Plan\n"), file(t, "my plan", "text"), file(t, "marked", "\uFEFFtext"), file(t, "binary", "a\x00b"), file(t, "blank", " \n"),
		file(t, "large", strings.Repeat("x", ask.MaxContextFile+1)), t.TempDir(), "/no/such-file", "/no such file", "plain text",
	}
	for _, context := range contexts {
		local, far := withContext(t, context), withContext(t, context)
		files := ask.Gather(far.Arguments())
		if issues := local.Validate(); issues != nil {
			t.Fatal(issues)
		}
		want, here := "", local.LoadContexts()
		if here == nil {
			_, questions := local.Normalise(false)
			want = questions[0].Context
		}
		got, there := take(t, far, files...)
		if diff := cmp.Diff(here, there); diff != "" || got != want {
			t.Errorf("%.40q: %q instead of %q %s", context, got, want, diff)
		}
	}
	if files := ask.Gather([]byte(`{"questions":"[]"}`)); files != nil {
		t.Errorf("refused arguments give %v", files)
	}
}

func TestGatheredFilesFitIntoAMessage(t *testing.T) {
	dir := t.TempDir()
	var questions []string
	for i := range 6 {
		path := filepath.Join(dir, string(rune('a'+i)))
		if err := os.WriteFile(path, make([]byte, ask.MaxContextFile), 0o600); err != nil {
			t.Fatal(err)
		}
		q := `{"id":"` + filepath.Base(path) + `","prompt":"P","context":"` + path + `","options":[{"value":"y","label":"Y"}]}`
		questions = append(questions, q, strings.Replace(q, `"id":"`, `"id":"2`, 1))
	}
	faults := map[string]string{}
	files := ask.Gather(json.RawMessage(`{"questions":[` + strings.Join(questions, ",") + `]}`))
	for _, f := range files {
		faults[filepath.Base(f.Path)] = f.Fault
	}
	want := map[string]string{"a": "", "b": "", "c": "", "d": "", "e": "many", "f": "many"}
	if diff := cmp.Diff(want, faults); diff != "" || len(files) != len(want) {
		t.Errorf("%d files: %s", len(files), diff)
	}
}
