package modelserver

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
)

// post sends messages, given as JSON, to a model.
func post(t *testing.T, s *Server, messages string) *http.Response {
	t.Helper()
	body := strings.NewReader(`{"model":"scripted","tools":[{"function":{"name":"ask_user"}}],"messages":` + messages + `}`)
	resp, err := http.Post(s.URL()+"/chat/completions", "application/json", body)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func read(t *testing.T, r io.Reader) string {
	t.Helper()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestRulesAndLog(t *testing.T) {
	s := Start(t, Rule{Match: User("go"), Reply: Reply{Calls: []Call{{ID: "c1", Name: "ask_user", Args: map[string]int{"n": 1}}}}})
	got := read(t, post(t, s, `[{"role":"user","content":[{"type":"text","text":"go"},{"type":"image_url"}]}]`).Body)
	for _, want := range []string{`"id":"c1"`, `"arguments":"{\"n\":1}"`, `"finish_reason":"tool_calls"`, "data: [DONE]"} {
		if !strings.Contains(got, want) {
			t.Errorf("the reply lacks %s:\n%s", want, got)
		}
	}
	got = read(t, post(t, s, `[{"role":"user","content":"go"},{"role":"tool","tool_call_id":"c1","content":"chosen"}]`).Body)
	if !strings.Contains(got, `"content":"done"`) || !strings.Contains(got, `"finish_reason":"stop"`) {
		t.Errorf("the reply to a result is\n%s", got)
	}
	if got := s.WaitToolResult(t, "c1"); got != "chosen" {
		t.Errorf("the log has the result %q", got)
	}
	first := s.Requests()[0]
	if first.Last().Content != "go\n[image_url]" || len(first.Tools) != 1 || first.ToolResult("c1") != nil {
		t.Errorf("the log has %+v", first)
	}
}

func TestHeldStream(t *testing.T) {
	release := make(chan struct{})
	s := Start(t, Rule{Match: User("go"), Reply: Reply{Text: "thinking", Hold: release}})
	body := bufio.NewReader(post(t, s, `[{"role":"user","content":"go"}]`).Body)
	if line, err := body.ReadString('\n'); err != nil || !strings.Contains(line, "thinking") {
		t.Fatalf("first line %q: %v", line, err)
	}
	close(release)
	if rest := read(t, body); !strings.Contains(rest, "[DONE]") {
		t.Errorf("the rest is %q", rest)
	}
}

func TestOtherRequests(t *testing.T) {
	s := Start(t)
	if resp := post(t, s, `7`); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("malformed messages got %s", resp.Status)
	}
	resp, err := http.Get(s.URL() + "/models")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("GET got %s", resp.Status)
	}
}
