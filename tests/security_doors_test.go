package tests

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"askd/broker/ask/asktest"
	"askd/config"
)

// ownSequences are the sequences that the programs write themselves; what stands in a title or a notice is looked at.
var ownSequences = regexp.MustCompile(`\x1b\[[0-9;?<>=!]*[ $]?[A-Za-z]|\x1b\][29];([^\x00-\x1f\x7f]*)(?:\x07|\x1b\\)|\x1b\]777;notify;([^\x00-\x1f\x7f]*)\x07|\x1b\]8;;\x1b\\|\x1b\]112\x07|\x1b\([B0]|\x1b[=>78]`)

// cursorSteps move the cursor as a terminal's own library does around wide characters.
var cursorSteps = strings.NewReplacer("\r", "", "\b", "")

var marks = regexp.MustCompile(`\pM`)

// clean looks for a hostile text's traces in what a program wrote, on a terminal or into a pipe.
func clean(t *testing.T, door, out string) {
	t.Helper()
	for _, trace := range []string{"\x1b[31337", "\x1b[2J\x1b[H\x1b[?1049h", "\x1b[!p", "\x1b]52", "\x1b]8;;h", "\x1b]0;"} {
		if i := strings.Index(out, trace); i >= 0 {
			t.Errorf("%s: %q in %q", door, trace, out[max(0, i-60):min(len(out), i+20)])
		}
	}
	rest := cursorSteps.Replace(ownSequences.ReplaceAllString(out, "$1$2"))
	if raw := asktest.Raw(rest); raw != "" {
		t.Errorf("%s: %s", door, raw)
	}
}

// text is JSON text of any string.
func text(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can be encoded
	return strings.TrimSpace(b.String())
}

// fill puts a hostile text into every place of a JSON text where <> stands.
func fill(template, bad string) string {
	return strings.ReplaceAll(template, "<>", strings.Trim(text(bad), `"`))
}

const (
	badSession = `{"id":"s<>","name":"n<>","cwd":"/src/<>","host":"h<>","gitBranch":"b<>","agent":{"name":"a<>","version":"v<>"},"ui":"cli","reason":"startup","branch":null,"terminal":{"kind":"tmux","id":"%1<>"},"env":{"PI_ASK_USER_X":"<>"}}`
	badForm    = `{"title":"T<>","questions":[
		{"id":"q<>.","label":"L<>","prompt":"P<>","context":"C <>","options":[{"value":"v<>.","label":"O<>","description":"D<>","recommended":true},{"value":"w","label":"<>."}]},
		{"id":"r<>.","prompt":"<>.","type":"multi","options":[{"value":"x","label":"<>."}]}]}`
	badAnswer = `{"kind":"answer","answers":{"q<>.":{"values":["v<>."],"note":"N<>","optionNotes":{"v<>.":"ON<>","w":"OW<>"}},"r<>.":{"values":["x"],"customText":"own <>","note":"<>."}}}`
)

// poison asks, as one agent, everything that can be asked with a hostile text in it: a form that waits, one in the
// background, one that is answered, one that is cancelled and several that are refused. It gives the replies.
func poison(t *testing.T, p place, first int, bad string) []message {
	t.Helper()
	c := dialRaw(t, p.socket)
	c.must("initialize", fill(`{"protocol":1,"client":{"name":"c<>","version":"<>"}}`, bad), nil)
	c.must("session.open", fill(badSession, bad), nil)
	form := oneLine(t, fill(badForm, bad))
	call := func(n int, form string) string {
		return fmt.Sprintf(`{"tool":"ask_user","toolCallId":%s,"requestId":%q,"arguments":%s}`, text(fmt.Sprint("t", n, bad)), requestID(n), form)
	}
	for n := first; n < first+2; n++ {
		c.start("tool.call", call(n, form))
		c.notice("ask.accepted")
	}
	replies := []message{c.call("tool.call", call(first+2, background(form))), c.call("tool.call", call(first+3, background(form)))}
	answered := c.call("form.respond", fmt.Sprintf(`{"requestId":%q,"response":%s}`, requestID(first+1), fill(badAnswer, bad)))
	if !strings.Contains(string(answered.Result), `"ok":true`) {
		t.Fatalf("not answered: %s", answered)
	}
	replies = append(replies, c.call("form.respond", fmt.Sprintf(`{"requestId":%q,"response":{"kind":"cancel"}}`, requestID(first+2))))
	for _, refused := range [][2]string{
		{"method<>", `{}`},
		{"tool.call", `{"tool":"<>","arguments":{}}`},
		{"tool.call", `{"tool":"ask_user","arguments":{"questions":[{"id":"<>.","prompt":"x","type":"<>","options":[{"value":"<>","label":"x"},{"value":"<>","label":"x"}]},{"id":"<>.","prompt":"x","options":[]}]}}`},
		{"tool.call", `{"tool":"ask_user","arguments":{"background":true,"questions":[{"id":"a","prompt":"x","context":"/no/<>","options":[{"value":"a","label":"x"}]}]}}`},
		{"tool.call", `{"tool":"ask_user","arguments":{"questions":{"<>":1}}}`},
		{"tool.call", `{"tool":"ask_user","requestId":"<>","arguments":` + background(form) + `}`},
		{"tool.call", `{"tool":"ask_user","requestId":"` + requestID(first) + `","arguments":{"questions":[{"id":"<>.","prompt":"x","options":[{"value":"a","label":"x"}]}]}}`},
		{"tool.await", `{"requestId":"<>"}`},
		{"tool.abort", `{"toolCallId":"<>","reason":"<>"}`},
		{"form.respond", `{"flowId":"<>","response":{"kind":"<>"}}`},
		{"form.respond", `{"requestId":"` + requestID(first) + `","response":{"kind":"answer","answers":{"<>":{}}}}`},
		{"request.get", `{"requestId":"<>","session":"<>"}`},
		{"history.export", `{"path":"/no/<>","all":true}`},
		{"history.export", `{"path":"/tmp/x","all":true,"format":"<>"}`},
		{"history.read", `{"keys":[{"requestId":"<>","questionId":"<>"}]}`},
		{"history.list", `{"since":"<>","all":true}`},
		{"journal.backup", `{"path":"/no/<>"}`},
		{"journal.prune", `{"olderThan":"<>"}`},
		{"settings.set", `{"key":"<>","value":"<>"}`},
		{"settings.set", `{"key":"keymaps","value":{"<>":{"<>":"<>"}}}`},
		{"pane.open", `{"view":"<>"}`},
		{"queue.show", `{"session":"<>"}`},
	} {
		c.calls++
		c.line(fill(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":`, c.calls, refused[0])+refused[1]+"}", bad))
		m := c.reply(fmt.Sprint(c.calls))
		m.Method = refused[0] // what it is the reply to
		replies = append(replies, m)
	}
	return replies
}

// TestNothingComesOutRaw pushes every hostile text through a real askd, in every field, and looks at everything that comes
// out: the pane's terminal, its title and notices, the notification command, the log, askctl, error messages, exports.
func TestNothingComesOutRaw(t *testing.T) {
	p := newPlace(t)
	pane := paneOn(t, p, 120, 40)
	told := filepath.Join(p.dir, "told")
	dialRaw(t, p.socket).hello().must("settings.set", `{"key":"notifications.channels","value":["osc9","osc777",{"type":"command","command":"env -0 >> '`+told+`'; echo \"$0 $*\" >> '`+told+`.args'"}]}`, nil)
	samples := inGroups(asktest.Hostile(t, filepath.Join("..", "broker", "ask", "testdata", "hostile.json")), 7)
	for i, s := range samples {
		for _, m := range poison(t, p, 10*i, s.Text) {
			if m.Error != nil {
				clean(t, s.Name+": the error of "+m.Method, m.Error.Message+" "+m.Error.Data.Hint)
			}
		}
	}
	within(t, "the notification command", func() bool { return exists(told) })
	watched := onTerminal(t, 100, 30, askctl(t, p, "queue", "--watch"))
	within(t, "the queue", func() bool { return strings.Contains(watched.written.String(), "FORM") })
	watched.quit(syscall.SIGINT)
	clean(t, "askctl queue --watch", watched.written.String())
	for i, s := range samples {
		t.Run(s.Name, func(t *testing.T) { askctlIsClean(t, p, 10*i, s.Text) })
	}
	before := len(pane.written.String())
	pane.typed("\x12") // the history; ui's own tests look into every other view
	within(t, "a frame", func() bool { return len(pane.written.String()) > before })
	exportsKeepText(t, p, samples)
	pane.quit(syscall.SIGTERM)
	clean(t, "the pane's terminal", pane.written.String())
	commandGotItsOwn(t, p, told)
	logged, err := os.ReadFile(filepath.Join(filepath.Dir(p.data), "askd.log"))
	if err != nil || len(logged) == 0 {
		t.Fatal(err)
	}
	clean(t, "the log", string(logged))
}

// inGroups joins up to n texts to one, as far as an id has room for them: each run of a program is dear.
func inGroups(samples []asktest.Sample, n int) []asktest.Sample {
	var out []asktest.Sample
	size := n
	for _, s := range samples {
		if size == n || len(out[len(out)-1].Text)+len(s.Text) > config.MaxID/2 {
			out, size = append(out, asktest.Sample{}), 0
		}
		all := &out[len(out)-1]
		all.Name += s.Name + "; "
		all.Text += s.Text + " "
		size++
	}
	return out
}

func askctl(t *testing.T, p place, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, program(t, "askctl"), args...)
	cmd.Env = p.env("TERM=xterm-256color")
	return cmd
}

// askctlIsClean runs the verbs that show an agent's text, into a pipe and on a terminal.
func askctlIsClean(t *testing.T, p place, first int, bad string) {
	bad = strings.ReplaceAll(bad, "\x00", "") // no argument can hold one
	waits, answered, cancelled := requestID(first), requestID(first+1), requestID(first+2)
	session := "--session=s" + bad
	verbs := [][]string{
		{"queue"},
		{"queue", session},
		{"show", waits},
		{"show", answered},
		{"show", cancelled},
		{"history", "--limit=400"},
		{"history", session},
		{"read", answered, "q" + bad + "."},
		{"read", answered, "none" + bad},
		{"status"},
		{"show", bad},
		{"answer", waits, "--question", "q" + bad + ".", "--value", bad},
		{"answer", waits, "--question", bad, "--value", "x"},
		{"cancel", bad},
		{"defer", bad},
		{"wait", answered},
		{"queue", "--all", session},
		{"export", "/no/" + bad},
		{"backup", "/no/" + bad},
		{bad},
		{"queue", "--" + bad},
		{"history", "--since", bad},
		{"export", "x", "--keys", bad},
		{"--socket", "/no/" + bad, "status"},
		{"ask", "--prompt", bad, "--option", bad, "--option", bad},
	}
	if first == 0 {
		verbs = append(verbs, []string{"doctor"}, []string{"queue", "--json"}, []string{"status", "--json"}, []string{"history", "--json"}, []string{"__complete", "read", ""}, []string{"__complete", "show", ""}, []string{"__complete", "queue", "--session", ""})
	}
	for _, args := range verbs {
		out, err := askctl(t, p, args...).CombinedOutput()
		var refused *exec.ExitError // many are
		if len(out) == 0 || err != nil && (!errors.As(err, &refused) || refused.ExitCode() < 0) {
			t.Errorf("askctl %q says %q, %v", args, out, err)
		}
		text := string(out)
		if slices.Contains(args, "--json") { // values stay as they came, but for what a terminal acts on
			text = marks.ReplaceAllString(text, "")
		}
		if args[0] == "__complete" {
			text = strings.ReplaceAll(text, "\t", " ")
		}
		clean(t, fmt.Sprintf("askctl %.40q", args), text)
	}
	for _, args := range [][]string{{"queue", "--all"}, {"show", answered}, {"history"}, {"status"}} {
		on := onTerminal(t, 60, 30, askctl(t, p, args...))
		within(t, "askctl to end", func() bool {
			select {
			case <-on.ended:
				return true
			default:
				return false
			}
		})
		clean(t, fmt.Sprintf("askctl %.40q on a terminal", args), on.written.String())
	}
}

// commandGotItsOwn: a notification command runs with askd's own environment and three variables more, and no arguments.
func commandGotItsOwn(t *testing.T, p place, told string) {
	t.Helper()
	raw, err := os.ReadFile(told)
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]bool{"PWD": true, "OLDPWD": true, "SHLVL": true, "_": true} // a shell's own
	for _, v := range append(p.env("TERM=xterm-256color"), "ASK_NOTIFY_EVENT=", "ASK_NOTIFY_TITLE=", "ASK_NOTIFY_MESSAGE=") {
		name, _, _ := strings.Cut(v, "=")
		allowed[name] = true
	}
	messages := 0
	for v := range strings.SplitSeq(strings.TrimSuffix(string(raw), "\x00"), "\x00") {
		name, value, _ := strings.Cut(v, "=")
		if !allowed[name] {
			t.Errorf("the command's environment has %q", v)
		}
		if fixed, ok := map[string]string{"ASK_NOTIFY_EVENT": "question.waiting", "ASK_NOTIFY_TITLE": "pi-agent-ask"}[name]; ok && value != fixed {
			t.Errorf("%s is %q", name, value)
		}
		if name == "ASK_NOTIFY_MESSAGE" {
			messages++
			clean(t, "the notification command", value)
			if !strings.HasPrefix(value, "Question waiting: h") || !strings.Contains(value, " · L") || strings.Contains(value, "\n") {
				t.Errorf("the message is %q", value)
			}
		}
	}
	if args, err := os.ReadFile(told + ".args"); messages == 0 || err != nil || strings.Trim(string(args), "/binsh \n") != "" {
		t.Errorf("%d messages; arguments %q, %v", messages, args, err)
	}
	if found, _ := filepath.Glob(filepath.Join(p.dir, "hijack*")); found != nil || exists("hijack") {
		t.Error("a shell obeyed the text")
	}
}

// exportsKeepText: in files an agent's text stays as it came, in JSON Lines as JSON and in Markdown inside literal blocks.
func exportsKeepText(t *testing.T, p place, samples []asktest.Sample) {
	t.Helper()
	md, lines := filepath.Join(p.dir, "out.md"), filepath.Join(p.dir, "out.jsonl")
	for _, args := range [][]string{{"export", md}, {"export", lines, "--format", "jsonl"}} {
		out, err := askctl(t, p, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		clean(t, "askctl export", string(out))
		if info, err := os.Stat(args[1]); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", args[1], info.Mode(), err)
		}
	}
	page, err := os.ReadFile(md)
	if err != nil {
		t.Fatal(err)
	}
	records, err := os.ReadFile(lines)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		kept := strings.TrimSpace("C " + s.Text)
		if !bytes.Contains(page, []byte(kept)) {
			t.Errorf("%s is not in the Markdown as it came", s.Name)
		}
	}
	for line := range bytes.SplitSeq(bytes.TrimSpace(records), []byte("\n")) {
		if !json.Valid(line) || bytes.ContainsFunc(line, func(r rune) bool { return r < ' ' }) {
			t.Errorf("a line of the JSON Lines is %q", line)
		}
	}
}
