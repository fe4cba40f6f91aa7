// Package modelserver is a scripted language model for tests that run a real coding agent: an HTTP server on the loopback
// interface that speaks the streaming OpenAI completions API, answers by rules and keeps what it was sent. That log is
// what the model saw, and so what a test asserts on.
package modelserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Patience is how long the waits of this package go on before they fail the test.
const Patience = time.Minute

// Call is a tool call that the model makes. Args is marshalled to JSON; a json.RawMessage goes as it is.
type Call struct {
	ID   string
	Name string
	Args any
}

// Reply is what the model says to one request. The zero value is an empty message.
type Reply struct {
	Text  string
	Calls []Call
	// Hold keeps the stream open, after the text and before the calls, until the channel is closed. Nil does not hold.
	Hold <-chan struct{}
}

// Rule chooses the reply to a request. The first rule that matches is used.
type Rule struct {
	Match func(Request) bool
	Reply Reply
}

// User matches a request whose newest message is the user's and contains text.
func User(text string) func(Request) bool {
	return func(r Request) bool { return r.Last().Role == "user" && strings.Contains(r.Last().Content, text) }
}

// Server is a running model. Make it with Start.
type Server struct {
	http  *httptest.Server
	rules []Rule

	mu       sync.Mutex
	requests []Request
	changed  chan struct{} // closed and replaced at each request
}

// Start runs a model until the test ends. A request that no rule matches is answered with the text "done".
func Start(t testing.TB, rules ...Rule) *Server {
	t.Helper()
	s := &Server{rules: rules, changed: make(chan struct{})}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		s.http.CloseClientConnections()
		s.http.Close()
	})
	return s
}

// URL is the base URL to give to the agent.
func (s *Server) URL() string { return s.http.URL + "/v1" }

// Requests gives what the model has been sent so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Wait gives the first request that matches, as soon as it has come. It fails the test after Patience.
func (s *Server) Wait(t testing.TB, what string, match func(Request) bool) Request {
	t.Helper()
	deadline := time.After(Patience)
	for {
		s.mu.Lock()
		changed, seen := s.changed, s.requests
		s.mu.Unlock()
		for _, r := range seen {
			if match(r) {
				return r
			}
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("the model was never sent %s; it was sent:\n%s", what, describe(seen))
		}
	}
}

// WaitToolResult gives the text of the result of a tool call, as soon as the model has been sent it.
func (s *Server) WaitToolResult(t testing.TB, callID string) string {
	t.Helper()
	r := s.Wait(t, "the result of "+callID, func(r Request) bool { return r.ToolResult(callID) != nil })
	return r.ToolResult(callID).Content
}

func describe(requests []Request) string {
	var b strings.Builder
	for i, r := range requests {
		fmt.Fprintf(&b, "request %d\n", i+1)
		for _, m := range r.Messages {
			fmt.Fprintf(&b, "  %s %s: %.300q\n", m.Role, m.ToolCallID, m.Content)
		}
	}
	return b.String()
}

func (s *Server) serve(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodPost || !strings.HasSuffix(req.URL.Path, "/chat/completions") {
		http.NotFound(w, req)
		return
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	r, err := parse(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.log(r)
	w.Header().Set("Content-Type", "text/event-stream")
	write(w, req, s.reply(r))
}

func (s *Server) log(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Server) reply(r Request) Reply {
	for _, rule := range s.rules {
		if rule.Match(r) {
			return rule.Reply
		}
	}
	return Reply{Text: "done"}
}

// write streams a reply. An agent that hangs up ends it.
func write(w http.ResponseWriter, req *http.Request, reply Reply) {
	send(w, map[string]any{"role": "assistant", "content": reply.Text}, "")
	if reply.Hold != nil {
		select {
		case <-reply.Hold:
		case <-req.Context().Done():
			return
		}
	}
	reason := "stop"
	for i, call := range reply.Calls {
		reason = "tool_calls"
		args, err := json.Marshal(call.Args)
		if err != nil {
			panic(err)
		}
		function := map[string]any{"name": call.Name, "arguments": string(args)}
		send(w, map[string]any{"tool_calls": []any{
			map[string]any{"index": i, "id": call.ID, "type": "function", "function": function},
		}}, "")
	}
	send(w, map[string]any{}, reason)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func send(w http.ResponseWriter, delta map[string]any, finish string) {
	choice := map[string]any{"index": 0, "delta": delta, "finish_reason": nil}
	if finish != "" {
		choice["finish_reason"] = finish
	}
	chunk, err := json.Marshal(map[string]any{
		"id": "reply", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": []any{choice},
	})
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(w, "data: %s\n\n", chunk)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
