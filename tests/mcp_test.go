package tests

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpClient is an MCP client of its own with askctl as its server.
type mcpClient struct {
	*mcp.ClientSession
	t        *testing.T
	progress atomic.Int64 // notifications
}

// dialMCP starts `askctl mcp` as an MCP client would, with one root.
func dialMCP(t *testing.T, p place, args ...string) *mcpClient {
	t.Helper()
	c := &mcpClient{t: t}
	client := mcp.NewClient(&mcp.Implementation{Name: "probe", Version: "2"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { c.progress.Add(1) },
	})
	client.AddRoots(&mcp.Root{URI: "file://" + filepath.Join(p.dir, "shop")}) //nolint:staticcheck // clients have them still
	cmd := exec.Command(program(t, "askctl"), append([]string{"mcp"}, args...)...)
	cmd.Env, cmd.Stderr = p.env(), os.Stderr
	var err error
	if c.ClientSession, err = client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// mcpResult is how a call ended.
type mcpResult struct {
	*mcp.CallToolResult
	err error
}

func (r mcpResult) text(t testing.TB) string {
	t.Helper()
	if r.err != nil {
		t.Fatal(r.err)
	}
	var all []string
	for _, c := range r.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			all = append(all, text.Text)
		}
	}
	return strings.Join(all, "\n")
}

// call makes a call; meta may be nil.
func (c *mcpClient) call(ctx context.Context, tool string, arguments any, meta mcp.Meta) <-chan mcpResult {
	done := make(chan mcpResult, 1)
	go func() {
		r, err := c.CallTool(ctx, &mcp.CallToolParams{Meta: meta, Name: tool, Arguments: arguments})
		done <- mcpResult{r, err}
	}()
	return done
}

// mcpEnded waits for a call.
func mcpEnded(t testing.TB, call <-chan mcpResult) mcpResult {
	t.Helper()
	var r mcpResult
	within(t, "the result of an MCP call", func() bool {
		select {
		case r = <-call:
			return true
		default:
			return false
		}
	})
	return r
}

// taking is the meta of a client that takes progress.
func taking() mcp.Meta { return mcp.Meta{"progressToken": "p1"} }

// inQueue waits for the queue to hold n forms and gives them.
func inQueue(t testing.TB, p place, n int) []queueRow {
	t.Helper()
	var rows []queueRow
	within(t, "the queue", func() bool {
		rows = queueOf(t, p)
		return len(rows) == n
	})
	return rows
}

type queueRow struct {
	RequestID, Session, SessionName, Status string
	Background, AskerOnline                 bool
}

func queueOf(t testing.TB, p place) []queueRow {
	t.Helper()
	var rows []queueRow
	if err := json.Unmarshal([]byte(askctlOf(t, p, "queue", "--json")), &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// askctlOf runs a verb that has to succeed and gives what it prints.
func askctlOf(t testing.TB, p place, args ...string) string {
	t.Helper()
	cmd := exec.Command(program(t, "askctl"), args...)
	cmd.Env = p.env()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("askctl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestMCPTools: the tools, named and worded as every agent gets them.
func TestMCPTools(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{nil, []string{"ask_user", "wait_for_answers"}},
		{[]string{"--ask-user-question"}, []string{"ask_user", "ask_user_question", "wait_for_answers"}},
	} {
		c := dialMCP(t, newPlace(t), tt.args...)
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			if tool.Description == "" || tool.InputSchema == nil {
				t.Errorf("%s is not described", tool.Name)
			}
		}
		if slices.Sort(names); !slices.Equal(names, tt.want) {
			t.Errorf("tools %v, want %v", names, tt.want)
		}
		if i := c.InitializeResult(); i.ServerInfo.Name != "askd" || !strings.Contains(i.Instructions, "no decision") {
			t.Errorf("server %+v", i)
		}
	}
}

// TestMCPAnswer: a call is held with progress until the person answers, its session is the client's root.
func TestMCPAnswer(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	serve(t, p)
	c := dialMCP(t, p)
	call := c.call(t.Context(), "ask_user", database(), taking())
	row := inQueue(t, p, 1)[0]
	if row.SessionName != "shop" || row.Background || !row.AskerOnline {
		t.Errorf("the question stands as %+v", row)
	}
	within(t, "progress", func() bool { return c.progress.Load() > 0 })
	askctlOf(t, p, "answer", row.RequestID, "--value", "lite")
	r := mcpEnded(t, call)
	if got := r.text(t); got != "ask_user ["+row.RequestID+"]\nDatabase: SQLite" || r.IsError {
		t.Errorf("result %q", got)
	}
	var structured struct {
		Answers map[string]struct{ Values []string }
	}
	if raw, err := json.Marshal(r.StructuredContent); err != nil || json.Unmarshal(raw, &structured) != nil || !slices.Equal(structured.Answers["db"].Values, []string{"lite"}) {
		t.Errorf("structured content %v", r.StructuredContent)
	}
	within(t, "the answer in the history as delivered", func() bool {
		return strings.Contains(askctlOf(t, p, "status", "--json"), `"undelivered": 0`)
	})
}

// TestMCPCancel: the client's cancel takes the question back, the person's ends the call.
func TestMCPCancel(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	serve(t, p)
	c := dialMCP(t, p)
	for _, meta := range []mcp.Meta{taking(), nil} {
		ctx, cancel := context.WithCancel(t.Context())
		call := c.call(ctx, "ask_user", database(), meta)
		inQueue(t, p, 1)
		cancel()
		if r := mcpEnded(t, call); r.err == nil {
			t.Errorf("a cancelled call gave %q", r.text(t))
		}
		inQueue(t, p, 0)
		call = c.call(t.Context(), "ask_user", database(), meta)
		askctlOf(t, p, "cancel", inQueue(t, p, 1)[0].RequestID)
		if got := mcpEnded(t, call).text(t); !strings.Contains(got, "User cancelled the ask flow") {
			t.Errorf("the person's cancel reads %q", got)
		}
	}
}

// TestMCPPatience: a client without progress gets a receipt in time, collects the answer with a wait that may be repeated,
// and gets it once.
func TestMCPPatience(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	serve(t, p)
	c := dialMCP(t, p, "--patience", "50ms")
	if got := mcpEnded(t, c.call(t.Context(), "ask_user", database(), nil)).text(t); !strings.Contains(got, "This is not an answer.") {
		t.Fatalf("instead of a receipt: %q", got)
	}
	wait := func() string {
		return mcpEnded(t, c.call(t.Context(), "wait_for_answers", map[string]any{}, nil)).text(t)
	}
	if got := wait(); !strings.HasPrefix(got, "No answer yet. This is not an answer.") {
		t.Errorf("a wait before the answer: %q", got)
	}
	askctlOf(t, p, "answer", inQueue(t, p, 1)[0].RequestID, "--value", "pg")
	if got := wait(); !strings.Contains(got, "Database [db]: Postgres") {
		t.Errorf("a wait after the answer: %q", got)
	}
	within(t, "the acknowledgement", func() bool { return strings.Contains(askctlOf(t, p, "status", "--json"), `"undelivered": 0`) })
	if got := wait(); strings.Contains(got, "Postgres") {
		t.Errorf("the answer came twice: %q", got)
	}
}

// TestMCPAnswerWithinPatience: an answer that comes in time is the call's own result, and no wait repeats it.
func TestMCPAnswerWithinPatience(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	serve(t, p)
	c := dialMCP(t, p)
	call := c.call(t.Context(), "ask_user", database(), nil)
	askctlOf(t, p, "answer", inQueue(t, p, 1)[0].RequestID, "--value", "pg")
	if got := mcpEnded(t, call).text(t); !strings.HasSuffix(got, "\nDatabase: Postgres") {
		t.Errorf("result %q", got)
	}
	within(t, "the acknowledgement", func() bool { return strings.Contains(askctlOf(t, p, "status", "--json"), `"undelivered": 0`) })
	if got := mcpEnded(t, c.call(t.Context(), "wait_for_answers", map[string]any{}, nil)).text(t); strings.Contains(got, "Postgres") {
		t.Errorf("a wait repeats it: %q", got)
	}
}

// TestMCPRetry: the same request id joins the question that is there and gives its answer again, also to another run.
func TestMCPRetry(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	serve(t, p)
	meta := mcp.Meta{"progressToken": "p1", "askd/requestId": "8f14e45f-ceea-467f-a8d3-9f1c2b7e0a11"}
	first := dialMCP(t, p, "--session", "s1")
	call := first.call(t.Context(), "ask_user", database(), meta)
	inQueue(t, p, 1)
	again := first.call(t.Context(), "ask_user", database(), meta)
	askctlOf(t, p, "answer", inQueue(t, p, 1)[0].RequestID, "--value", "pg")
	for _, c := range []<-chan mcpResult{call, again} {
		if got := mcpEnded(t, c).text(t); !strings.HasSuffix(got, "\nDatabase: Postgres") {
			t.Errorf("result %q", got)
		}
	}
	_ = first.Close()
	if got := mcpEnded(t, dialMCP(t, p, "--session", "s1").call(t.Context(), "ask_user", database(), meta)).text(t); !strings.HasSuffix(got, "\nDatabase: Postgres") {
		t.Errorf("in another run: %q", got)
	}
}

// TestMCPFaults: bad arguments, a tool that is not there and a missing askd are said in words; the next call works.
func TestMCPFaults(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	c := dialMCP(t, p)
	if r := mcpEnded(t, c.call(t.Context(), "ask_user", database(), taking())); !r.IsError || !strings.Contains(r.text(t), "start it with `askd`") {
		t.Errorf("without an askd: %q", r.text(t))
	}
	askd := serve(t, p)
	if r := mcpEnded(t, c.call(t.Context(), "ask_user", map[string]any{"questions": []any{}}, taking())); !strings.Contains(r.text(t), "questions") {
		t.Errorf("without questions: %q", r.text(t))
	}
	if r := mcpEnded(t, c.call(t.Context(), "ask_user", map[string]any{"questions": "?"}, taking())); !r.IsError || !strings.Contains(r.text(t), "questions") {
		t.Errorf("with questions of a wrong type: %q", r.text(t))
	}
	call := c.call(t.Context(), "ask_user", database(), taking())
	id := inQueue(t, p, 1)[0].RequestID
	askd.stop(t, syscall.SIGTERM) // the call goes on when another is there
	serve(t, p)
	askctlOf(t, p, "answer", id, "--value", "pg")
	if got := mcpEnded(t, call).text(t); !strings.HasSuffix(got, "\nDatabase: Postgres") {
		t.Errorf("over a restart of askd: %q", got)
	}
}

// TestMCPClientLeaves: what is still queued when the client has gone is taken back, unless its session goes on.
func TestMCPClientLeaves(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		left int
	}{{nil, 0}, {[]string{"--session", "s1"}, 1}} {
		p := newPlace(t)
		serve(t, p)
		c := dialMCP(t, p, append(tt.args, "--patience", "10ms")...)
		mcpEnded(t, c.call(t.Context(), "ask_user", database(), nil))
		inQueue(t, p, 1)
		_ = c.Close()
		inQueue(t, p, tt.left)
	}
}

// TestMCPCancelWithoutAskd: a call that is cancelled while askd is away is taken back when it returns.
func TestMCPCancelWithoutAskd(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, meta := range []mcp.Meta{taking(), nil} {
		askd := serve(t, p)
		c := dialMCP(t, p)
		ctx, cancel := context.WithCancel(t.Context())
		call := c.call(ctx, "ask_user", database(), meta)
		inQueue(t, p, 1)
		askd.stop(t, syscall.SIGKILL)
		cancel()
		if r := mcpEnded(t, call); r.err == nil {
			t.Errorf("a cancelled call gave %q", r.text(t))
		}
		askd = serve(t, p)
		inQueue(t, p, 0)
		askd.stop(t, syscall.SIGKILL)
	}
}

// TestMCPCancelAtOnce: a cancel that comes right behind its call leaves no question.
func TestMCPCancelAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	serve(t, p)
	c := dialMCP(t, p)
	for range 50 {
		for _, meta := range []mcp.Meta{taking(), nil} {
			ctx, cancel := context.WithCancel(t.Context())
			call := c.call(ctx, "ask_user", database(), meta)
			cancel()
			mcpEnded(t, call)
		}
	}
	// Calls are taken in order, so that by the receipt of this one all have been seen.
	last := database()
	last["background"] = true
	if got := mcpEnded(t, c.call(t.Context(), "ask_user", last, nil)).text(t); !strings.Contains(got, "This is not an answer.") {
		t.Fatalf("instead of a receipt: %q", got)
	}
	inQueue(t, p, 1)
}
