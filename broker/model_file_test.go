package broker_test

import (
	"encoding/json"
	"fmt"
	"slices"

	"askd/broker"
	"askd/broker/ask"
)

// The session file of the model: what an asker's program keeps on disk, and all that is left of it after a kill.

// record is one entry of a session file. It stands behind its parent, an index into the file; -1 is the root.
type record struct {
	parent     int
	kind       string // user, call, request, result, completed, message, resume-sent, dismissed, panel
	request    string
	outcome    string
	toolCall   string
	parentCall string
	tool       string
	background bool
	failed     bool // a result: the tool call failed
	queued     bool // a result: the receipt of a background ask
	visible    bool
	taken      []broker.OutcomeRef // a result: what a wait carried
}

// sessionFile is a tree of entries. Two processes may write to one.
type sessionFile struct {
	id        string
	ancestors []string // nearest first
	records   []record
	leaf      int  // where a process that starts over it stands: at what was written last
	mode      bool // background-only, as the program of the session has it
}

func newSessionFile(id string) *sessionFile { return &sessionFile{id: id, leaf: -1} }

// add writes an entry behind parent and gives its index.
func (f *sessionFile) add(parent int, r record) int {
	r.parent = parent
	f.records = append(f.records, r)
	f.leaf = len(f.records) - 1
	return f.leaf
}

// branch gives the entries from the root to leaf.
func (f *sessionFile) branch(leaf int) []record {
	var out []record
	for i := leaf; i >= 0; i = f.records[i].parent {
		out = append(out, f.records[i])
	}
	slices.Reverse(out)
	return out
}

// fork copies the branch to leaf into a new file, ids and all.
func (f *sessionFile) fork(leaf int, id string) *sessionFile {
	g := newSessionFile(id)
	g.ancestors = append([]string{f.id}, f.ancestors...)
	for _, r := range f.branch(leaf) {
		g.add(g.leaf, r)
	}
	return g
}

func (f *sessionFile) parentSession() string {
	if len(f.ancestors) == 0 {
		return ""
	}
	return f.ancestors[0]
}

// events tells a list of entries as a client tells its branch (DESIGN, "Branches and delivery").
func events(records []record) []broker.BranchEvent {
	r := eventReader{open: map[string]bool{}, asked: map[string]record{}}
	for i, e := range records {
		if e.kind == "result" {
			delete(r.open, e.toolCall)
			r.result(e)
			continue
		}
		r.other(e, i > 0 && records[i-1].kind == "resume-sent", records[max(0, i-1)])
	}
	return slices.DeleteFunc(r.out, func(e broker.BranchEvent) bool { return e.Type == "call" && !r.open[e.ToolCallID] })
}

type eventReader struct {
	out   []broker.BranchEvent
	open  map[string]bool   // calls without a result
	asked map[string]record // by tool call
}

func (r *eventReader) add(e broker.BranchEvent) { r.out = append(r.out, e) }

func (r *eventReader) delivered(request, outcome, how string) {
	r.add(broker.BranchEvent{Type: "delivered", RequestID: request, OutcomeID: outcome, How: how})
}

// result reads a tool result. A receipt is no delivery.
func (r *eventReader) result(e record) {
	if a, ok := r.asked[e.toolCall]; ok && !e.queued {
		if e.failed {
			r.delivered(a.request, "", "aborted")
		} else {
			r.delivered(a.request, e.outcome, "result")
		}
	}
	for _, ref := range e.taken {
		r.delivered(ref.RequestID, ref.OutcomeID, "wait")
	}
	for _, a := range r.asked {
		if a.parentCall == e.toolCall && a.parentCall != "" {
			r.delivered(a.request, "", "parent")
		}
	}
}

func (r *eventReader) other(e record, marked bool, marker record) {
	switch e.kind {
	case "call":
		r.open[e.toolCall] = true
		r.add(broker.BranchEvent{Type: "call", ToolCallID: e.toolCall, Tool: e.tool, Arguments: json.RawMessage(dbForm)})
	case "request":
		r.asked[e.toolCall] = e
		r.add(broker.BranchEvent{
			Type: "asked", RequestID: e.request, ToolCallID: e.toolCall, ParentToolCallID: e.parentCall, Tool: ask.ToolAskUser,
			Background: e.background,
		})
	case "completed":
		r.add(broker.BranchEvent{Type: "completed", RequestID: e.request, OutcomeID: e.outcome})
	case "message":
		r.delivered(e.request, e.outcome, "message")
	case "user":
		if marked {
			r.delivered(marker.request, marker.outcome, "user")
		}
	case "dismissed":
		r.add(broker.BranchEvent{Type: "dismissed", ToolCallID: e.toolCall, RequestID: e.request})
	case "panel":
		r.add(broker.BranchEvent{Type: "panel", Visible: &e.visible})
	}
}

// elsewhere is what the rest of the file completed, off the branch.
func (f *sessionFile) elsewhere(branch []broker.BranchEvent) []broker.OutcomeRef {
	here := map[string]bool{}
	for _, e := range branch {
		here[e.OutcomeID] = true
	}
	var out []broker.OutcomeRef
	for _, r := range f.records {
		refs := r.taken
		if r.kind == "completed" || r.kind == "message" || r.kind == "result" {
			refs = append(slices.Clone(refs), broker.OutcomeRef{RequestID: r.request, OutcomeID: r.outcome})
		}
		for _, ref := range refs {
			if ref.OutcomeID != "" && !here[ref.OutcomeID] && !slices.Contains(out, ref) {
				out = append(out, ref)
			}
		}
	}
	return out
}

// view is what the contract says of one branch, read without the broker's help.
type view struct {
	asked     map[string]record
	order     []string          // of asked
	delivered map[string]string // request to how
	outcome   map[string]string // request to the outcome it was delivered or completed with
	dismissed map[string]bool   // tool calls and requests
	calls     []string          // unresolved tool calls, oldest first
	elsewhere map[string]bool   // outcomes
}

func (f *sessionFile) view(leaf int) view {
	v := view{
		asked: map[string]record{}, delivered: map[string]string{}, outcome: map[string]string{}, dismissed: map[string]bool{},
		elsewhere: map[string]bool{},
	}
	branch := f.branch(leaf)
	told := events(branch)
	for _, r := range branch {
		if r.kind == "request" {
			v.asked[r.request] = r
			v.order = append(v.order, r.request)
		}
	}
	for _, e := range told {
		switch e.Type {
		case "call":
			v.calls = append(v.calls, e.ToolCallID)
		case "delivered":
			v.delivered[e.RequestID] = e.How
		case "completed":
			v.outcome[e.RequestID] = e.OutcomeID
		case "dismissed":
			v.dismissed[e.ToolCallID], v.dismissed[e.RequestID] = true, true
		}
	}
	delete(v.dismissed, "")
	for _, ref := range f.elsewhere(told) {
		v.elsewhere[ref.OutcomeID] = true
	}
	return v
}

// quiet reports whether nothing more is to come of a request on the branch.
func (v view) quiet(request string) bool {
	_, delivered := v.delivered[request]
	return delivered || v.dismissed[request] || v.dismissed[v.asked[request].toolCall]
}

func (r record) String() string {
	s := r.kind
	for _, word := range []string{tail(r.request), tail(r.outcome), r.toolCall} {
		if word != "" {
			s += " " + word
		}
	}
	if len(r.taken) > 0 {
		s += fmt.Sprint(" takes ", len(r.taken))
	}
	return s
}

// tail is enough of an id to tell a few apart.
func tail(id string) string { return id[max(0, len(id)-4):] }
