package tests

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// opened is what the tests need of a session.open's result.
type opened struct {
	Remote bool `json:"remote"`
}

// from opens a session that says it is on this machine, on a connection that a relay brings from another.
func from(t testing.TB, p place, relay, session string) (*raw, opened) {
	t.Helper()
	c := dialRaw(t, p.socket)
	c.line(fmt.Sprintf(`{"jsonrpc":"2.0","method":"connection.origin","params":{"host":%q}}`, relay))
	return c, c.hello().openOn(session, thisHost(t))
}

// openOn opens a session that says on which machine it is.
func (c *raw) openOn(session, host string) (o opened) {
	c.t.Helper()
	c.must("session.open", fmt.Sprintf(`{"id":%q,"name":%q,"cwd":"/src/app","host":%q,"ui":"cli","reason":"startup","branch":null}`, session, session, host), &o)
	return o
}

func thisHost(t testing.TB) string {
	t.Helper()
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// contextQuestion is a form whose context is a path.
func contextQuestion(path string) string {
	return fmt.Sprintf(`{"questions":[{"id":"db","prompt":"Which database?","context":%q,"options":[{"value":"pg","label":"Postgres"}]}]}`, path)
}

// shownContext is the context of form n as a person sees it.
func (c *raw) shownContext(n int) string {
	c.t.Helper()
	var f struct {
		Request struct {
			Questions []struct {
				Context string `json:"context"`
			} `json:"questions"`
		} `json:"request"`
	}
	c.must("request.get", fmt.Sprintf(`{"requestId":%q}`, requestID(n)), &f)
	return f.Request.Questions[0].Context
}

// TestFilesOfAnotherMachine: a path of an agent on another machine never opens the file of that name here, however the agent
// names its machine; what the agent sends is shown.
func TestFilesOfAnotherMachine(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	serve(t, p)
	path := filepath.Join(p.dir, "secret")
	if err := os.WriteFile(path, []byte("of this machine"), 0o600); err != nil {
		t.Fatal(err)
	}
	home := dialRaw(t, p.socket).hello()
	if o := home.openOn("home", thisHost(t)); o.Remote {
		t.Error("this machine counts as another")
	}
	home.begin(1, contextQuestion(path))
	if got := home.shownContext(1); got != "of this machine" {
		t.Errorf("this machine's file reads %q", got)
	}
	far := dialRaw(t, p.socket).hello()
	relayed, o := from(t, p, "devbox", "relayed")
	if named := far.openOn("far", "box-7"); !o.Remote || !named.Remote {
		t.Errorf("another machine counts as this one: %v, %v", o, named)
	}
	for i, c := range []*raw{far, relayed} {
		n := 10 * (i + 1)
		var refused outcome
		c.must("tool.call", askParams(n, contextQuestion(path)), &refused)
		if text := refused.text(); !strings.Contains(text, "did not send it") || strings.Contains(text, "of this machine") {
			t.Errorf("a file that was not sent: %q", text)
		}
		sent := fmt.Sprintf(`,"files":[{"path":%q,"data":%q}]}`, path, base64.StdEncoding.EncodeToString([]byte("of the other")))
		c.start("tool.call", strings.TrimSuffix(askParams(n+1, contextQuestion(path)), "}")+sent)
		c.notice("ask.accepted")
		if got := c.shownContext(n + 1); got != "of the other" {
			t.Errorf("the file that was sent reads %q", got)
		}
	}
	wide := fmt.Sprintf(`{"all":true,"path":%q}`, filepath.Join(p.dir, "far.md"))
	for _, params := range []string{wide, `{"path":"far.md"}`} {
		if m := far.call("history.export", params); m.Error == nil || !strings.Contains(m.Error.Message, "another machine") || exists(filepath.Join(p.dir, "far.md")) {
			t.Errorf("history.export %s from another machine: %v", params, m)
		}
	}
	hosts := map[string]string{}
	for _, r := range home.queue(`{}`) {
		hosts[r.Session] = r.Host
	}
	if want := map[string]string{"home": "", "far": "box-7", "relayed": "devbox"}; fmt.Sprint(hosts) != fmt.Sprint(want) {
		t.Errorf("the queue names the machines %v, not %v", hosts, want)
	}
	for verb, want := range map[string]string{"queue": "relayed@devbox", "status": "far@box-7", "show " + requestID(21): "on devbox"} {
		if out := askctlOf(t, p, strings.Fields(verb)...); !strings.Contains(out, want) || strings.Contains(out, "home@") {
			t.Errorf("askctl %s: %s", verb, out)
		}
	}
	out := filepath.Join(p.dir, "all.md")
	askctlOf(t, p, "export", out)
	if text, err := os.ReadFile(out); err != nil || strings.Count(string(text), "### Machine") != 2 || !strings.Contains(string(text), "box-7") {
		t.Errorf("%v, exported: %s", err, text)
	}
}

// TestRelayReachesNoFile: what comes through a relay changes nothing on this machine but the queue, and its first word on where
// it comes from is the last.
func TestRelayReachesNoFile(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	serve(t, p)
	c, _ := from(t, p, thisHost(t), "s")
	c.begin(1, dbQuestion)
	if q := c.queue(`{}`); len(q) != 1 || q[0].Host != thisHost(t)+" (relayed)" {
		t.Errorf("a machine of the same name: %+v", q)
	}
	for _, call := range [][3]string{
		{"connection.origin", `{"host":"laptop"}`, "came late"},
		{"journal.backup", fmt.Sprintf(`{"path":%q}`, filepath.Join(p.dir, "copy.db")), "another machine"},
		{"pane.attach", `{"columns":80,"rows":24,"term":"xterm"}`, "is for the user who runs askd, on its machine"},
		{"settings.set", `{"key":"notifications.channels","value":[{"type":"command","command":"touch /tmp/x"}]}`, "askd's own machine"},
		{"settings.set", `{"key":"answers.fromAgents","value":true}`, "askd's own machine"},
	} {
		if m := c.call(call[0], call[1]); m.Error == nil || !strings.Contains(m.Error.Message, call[2]) {
			t.Errorf("%s %s: %v", call[0], call[1], m)
		}
	}
	var set struct{ Saved bool }
	if c.must("settings.set", `{"key":"behaviour.backgroundOnly","value":true}`, &set); !set.Saved {
		t.Error("the question mode cannot be set from another machine")
	}
	if exists(filepath.Join(p.dir, "copy.db")) {
		t.Error("a copy was written")
	}
	for _, params := range []string{`{}`, `{"host":" "}`, `{"host":7}`, fmt.Sprintf(`{"host":%q}`, strings.Repeat("x", 256))} {
		if m := dialRaw(t, p.socket).call("connection.origin", params); m.Error == nil || m.Error.Data.Path != "host" {
			t.Errorf("connection.origin %.40s: %v", params, m)
		}
	}
}

// TestOtherUserIsAnotherMachine: a process of another user that --allow-uid admits, root in a container for instance, asks like
// any other, and reaches no file of the person's.
func TestOtherUserIsAnotherMachine(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	askd := filepath.Join(p.dir, "askd")
	if err := os.Link(program(t, "askd"), askd); err != nil {
		t.Fatal(err)
	}
	serveAs := func(args ...string) *process {
		cmd := exec.Command(askd, append([]string{"--headless"}, args...)...)
		cmd.Env = p.env()
		if os.Getuid() == 0 { // else the other user is left to TestAdmit
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		proc := started(t, cmd)
		within(t, "askd's socket", func() bool { return answers(p.socket) })
		return proc
	}
	if err := os.Chown(p.dir, 65534, 65534); os.Getuid() == 0 && err != nil {
		t.Fatal(err)
	}
	serveAs().stop(t, syscall.SIGTERM)
	if os.Getuid() == 0 {
		proc := serveAs()
		if m := dialRaw(t, p.socket).find("a refusal", func(m message) bool { return m.Error != nil }); !strings.Contains(m.Error.Message, "--allow-uid 0 would allow it") {
			t.Errorf("root was refused with: %v", m)
		}
		proc.stop(t, syscall.SIGTERM)
	}
	serveAs("--allow-uid", "0")
	c := dialRaw(t, p.socket).hello()
	o := c.openOn("s", thisHost(t))
	c.begin(1, dbQuestion)
	q := c.queue(`{}`)
	want := opened{Remote: os.Getuid() == 0}
	if o != want || len(q) != 1 || (q[0].Host == "uid 0") != want.Remote {
		t.Errorf("opened %+v, queue %+v", o, q)
	}
}

// TestAskFromAContainer asks out of namespaces of its own, with another host name and other files, through the mounted socket.
func TestAskFromAContainer(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	serve(t, p)
	plan, theirs, form := filepath.Join(p.dir, "plan"), filepath.Join(p.dir, "theirs"), filepath.Join(p.dir, "form.json")
	for path, text := range map[string]string{plan: "of this machine", theirs: "of the container", form: contextQuestion(plan)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inside := `hostname box-7 && mount --bind "$1" "$2" && exec "$3" ask "$4"`
	cmd := exec.Command("unshare", "--user", "--map-root-user", "--uts", "--mount", "sh", "-c", inside, "sh", theirs, plan, program(t, "askctl"), form)
	cmd.Env = p.env()
	asker := started(t, cmd)
	probe := dialRaw(t, p.socket).hello()
	within(t, "the question", func() bool { return len(probe.queue(`{}`)) == 1 })
	q := probe.queue(`{}`)[0]
	var f struct {
		Request json.RawMessage `json:"request"`
	}
	probe.must("request.get", fmt.Sprintf(`{"requestId":%q,"session":%q}`, q.RequestID, q.Session), &f)
	if q.Host != "box-7" || !strings.Contains(string(f.Request), `"context":"of the container"`) {
		t.Errorf("from %q: %s", q.Host, f.Request)
	}
	askctlOf(t, p, "answer", q.RequestID, "--question", "db", "--value", "pg")
	if code := asker.wait(t); code != 0 || !strings.Contains(asker.stderr.String(), `"pg"`) {
		t.Errorf("askctl ask ended with %d: %s", code, asker.stderr)
	}
}
