package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"askd/tests/modelserver"
)

// oldSession writes a session file as an earlier release of the question tools left it.
type oldSession struct {
	t      *testing.T
	path   string
	lines  []string
	parent any // id of the entry before
}

func newOldSession(t *testing.T, r *rig) *oldSession {
	t.Helper()
	s := &oldSession{t: t, path: filepath.Join(r.home.AgentDir, "sessions", "old", "2025-05-06_0196a4b0-0000-7000-8000-000000000001.jsonl")}
	s.line(map[string]any{"type": "session", "version": 3, "id": "0196a4b0-0000-7000-8000-000000000001", "timestamp": oldTime, "cwd": r.home.Project})
	s.message(map[string]any{"role": "user", "content": "ask me"})
	return s
}

const oldTime = "2025-05-06T07:08:09.010Z"

func (s *oldSession) line(entry map[string]any) {
	s.t.Helper()
	data, err := json.Marshal(entry)
	if err != nil {
		s.t.Fatal(err)
	}
	s.lines = append(s.lines, string(data))
}

func (s *oldSession) entry(kind string, fields map[string]any) {
	s.t.Helper()
	id := fmt.Sprintf("e%07d", len(s.lines))
	fields["type"], fields["id"], fields["parentId"], fields["timestamp"] = kind, id, s.parent, oldTime
	s.parent = id
	s.line(fields)
}

func (s *oldSession) message(m map[string]any) {
	m["timestamp"] = 1746515289010
	s.entry("message", map[string]any{"message": m})
}

func (s *oldSession) custom(kind string, data map[string]any) {
	s.entry("custom", map[string]any{"customType": kind, "data": data})
}

func oldRequest(n int) string { return fmt.Sprintf("0b5e7c1a-1111-4222-8333-%012d", n) }

// oldForm is the form number n. Earlier releases had previews an option instead of a context.
func oldForm(n int) map[string]any {
	return map[string]any{"title": fmt.Sprintf("Old %d", n), "questions": []any{map[string]any{
		"id": "db", "label": fmt.Sprintf("Label %d", n), "prompt": fmt.Sprintf("Which database, %d?", n), "type": "preview", "required": false,
		"options": []any{map[string]any{"value": "pg", "label": "Postgres", "preview": "Rock solid"}, map[string]any{"value": "lite", "label": "SQLite"}},
	}}}
}

// asks adds the call number n with what it wrote before its form opened, and the receipt of a background one.
func (s *oldSession) asks(n int, background bool) {
	call, form := fmt.Sprintf("call_%d", n), oldForm(n)
	args := map[string]any{"background": background, "title": form["title"], "questions": form["questions"]}
	usage := map[string]any{
		"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2,
		"cost": map[string]any{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0},
	}
	s.message(map[string]any{
		"role": "assistant", "api": "openai-completions", "provider": "scripted", "model": "scripted", "usage": usage, "stopReason": "toolUse",
		"content": []any{map[string]any{"type": "toolCall", "id": call, "name": "ask_user", "arguments": args}},
	})
	s.custom("ask:payload", map[string]any{"version": 1, "timestamp": 1746515289010, "params": args, "source": "tool", "sourceEntryId": call})
	s.custom("ask:history-request", map[string]any{
		"version": 1, "requestId": oldRequest(n), "toolCallId": call, "title": form["title"], "background": background, "createdAt": oldTime,
		"questions": form["questions"],
	})
	if !background {
		return
	}
	s.custom("ask:queued", map[string]any{"version": 1, "requestId": oldRequest(n), "toolCallId": call, "params": args, "presentSingleAsMulti": false})
	text := "Queued ask_user [" + oldRequest(n) + "]. 1 form(s) pending. This is not an answer."
	s.message(map[string]any{
		"role": "toolResult", "toolCallId": call, "toolName": "ask_user", "isError": false, "content": []any{map[string]any{"type": "text", "text": text}},
		"details": map[string]any{"status": "queued", "requestId": oldRequest(n), "questionIds": []any{"db"}, "pendingRequests": 1},
	})
}

// answers ends the background form number n; told says whether the agent got to hear of it.
func (s *oldSession) answers(n int, told bool) {
	label := fmt.Sprintf("Label %d", n)
	result := map[string]any{
		"title": fmt.Sprintf("Old %d", n), "cancelled": false, "mode": "submit",
		"questions": []any{map[string]any{"id": "db", "label": label, "prompt": fmt.Sprintf("Which database, %d?", n), "type": "single"}},
		"answers":   map[string]any{"db": map[string]any{"values": []any{"pg"}, "labels": []any{"Postgres"}, "indices": []any{1}}},
	}
	s.custom("ask:history-completed", map[string]any{"version": 1, "requestId": oldRequest(n), "result": result})
	s.custom("ask:queue-completed", map[string]any{"requestId": oldRequest(n), "result": result})
	if told {
		s.entry("custom_message", map[string]any{
			"customType": "ask:background-answer", "content": "Background answer: " + label + " [db]: Postgres", "display": true,
			"details": map[string]any{"requestId": oldRequest(n), "result": result},
		})
	}
}

func (s *oldSession) save() {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.path, []byte(strings.Join(s.lines, "\n")+"\n"), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// A session of an earlier release keeps what waits in it: the open form, the queue, the answers that are still to be told
// and the history.
func TestPiOpensASessionOfAnEarlierRelease(t *testing.T) {
	r := newRig(t)
	s := newOldSession(t, r)
	s.asks(1, true)
	s.answers(1, true)
	s.asks(2, true)
	s.answers(2, false)
	s.asks(3, true)
	s.asks(4, false)
	s.save()
	serve(t, r.place)
	pi := r.startPi("--session", s.path)
	r.once("Label 2 [db]: Postgres")
	r.once("Label 1 [db]: Postgres")
	waiting := r.waitPending(2, "waiting")
	if waiting[0].FlowID != "tool:call_4" || waiting[0].RequestID != oldRequest(4) || waiting[1].RequestID != oldRequest(3) {
		t.Errorf("%+v wait", waiting)
	}
	r.waitIdle()
	r.answer("call_4", "db", "lite")
	r.model.Wait(t, "the recovered answer", modelserver.User("Label 4: SQLite"))
	r.waitIdle()
	r.answer("call_3", "db", "pg")
	r.once("Label 3 [db]: Postgres")
	r.waitDelivered()
	r.wantHistory(map[string]string{oldRequest(1): "answered", oldRequest(2): "answered", oldRequest(3): "answered", oldRequest(4): "answered"})

	// Nothing of it comes a second time.
	kill(t, pi)
	r.startConnectedPi("--session", s.path)
	r.waitPending(0, "")
	r.sayAndGet("hello again")
	for n := 1; n <= 3; n++ {
		r.once(fmt.Sprintf("Label %d [db]: Postgres", n))
	}
	r.once("Label 4: SQLite")
}

// wantHistory checks how every request stands in askd's journal.
func (r *rig) wantHistory(want map[string]string) {
	r.t.Helper()
	var page struct {
		Records []struct{ RequestID, Status, CreatedAt string }
	}
	dialRaw(r.t, r.place.socket).hello().must("history.list", `{"all":true}`, &page)
	if len(page.Records) != len(want) {
		r.t.Errorf("the history holds %+v", page.Records)
	}
	for _, rec := range page.Records {
		if rec.Status != want[rec.RequestID] || rec.CreatedAt != oldTime {
			r.t.Errorf("the history says %+v", rec)
		}
	}
}
