package broker

import "askd/broker/ask"

// branch is what a session's own entries say of its requests (DESIGN, "Branches and delivery"). A nil branch belongs to a
// session without branches: all it asked counts.
type branch struct {
	asked     []string // request ids in branch order
	on        map[string]BranchEvent
	completed map[string]string // request id to outcome id
	delivered map[string]string // request id to how
	dismissed map[string]bool   // tool call ids and request ids
	elsewhere map[string]bool   // outcome ids that other branches completed
	calls     []BranchEvent     // ask tool calls without a result
	hidden    bool              // the last panel event said so
}

// branchEvents says how each type of event enters a branch; unknown types are none of ours.
var branchEvents = map[string]func(*branch, BranchEvent){
	"call":      func(b *branch, e BranchEvent) { b.calls = append(b.calls, e) },
	"asked":     (*branch).add,
	"completed": func(b *branch, e BranchEvent) { b.completed[e.RequestID] = e.OutcomeID },
	"delivered": func(b *branch, e BranchEvent) { b.delivered[e.RequestID] = how(e) },
	"panel":     func(b *branch, e BranchEvent) { b.hidden = e.Visible != nil && !*e.Visible },
	"dismissed": (*branch).dismiss,
}

// ofRequest are the events that say nothing without a request.
var ofRequest = map[string]bool{"asked": true, "completed": true, "delivered": true}

// newBranch reads what a client sent; nil stays nil.
func newBranch(info SessionInfo) *branch {
	if info.Branch == nil {
		return nil
	}
	b := &branch{
		on: map[string]BranchEvent{}, completed: map[string]string{}, delivered: map[string]string{}, dismissed: map[string]bool{},
		elsewhere: map[string]bool{},
	}
	for _, ref := range info.Elsewhere {
		b.elsewhere[ref.OutcomeID] = true
	}
	for _, e := range info.Branch {
		if f := branchEvents[e.Type]; f != nil && (e.RequestID != "" || !ofRequest[e.Type]) {
			f(b, e)
		}
	}
	return b
}

func how(e BranchEvent) string {
	if e.How == "" {
		return "message"
	}
	return e.How
}

func (b *branch) add(e BranchEvent) {
	if _, ok := b.on[e.RequestID]; !ok {
		b.asked = append(b.asked, e.RequestID)
	}
	b.on[e.RequestID] = e
}

func (b *branch) dismiss(e BranchEvent) {
	for _, id := range []string{e.ToolCallID, e.RequestID} {
		if id != "" {
			b.dismissed[id] = true
		}
	}
}

// unanswered are the ask tool calls that have no result, in branch order.
func (b *branch) unanswered() []BranchEvent {
	if b == nil {
		return nil
	}
	return b.calls
}

// nests reports whether a request was made within another call, which is never taken up again.
func (b *branch) nests(r *ask.Request) bool {
	return r.ParentToolCallID != "" || b != nil && b.on[r.ID].ParentToolCallID != ""
}

// has reports whether a request was asked on the branch.
func (b *branch) has(id string) bool {
	if b == nil {
		return true
	}
	_, ok := b.on[id]
	return ok
}

// askedBy is the newest request that a tool call has made on the branch, empty for none.
func (b *branch) askedBy(toolCall string) string {
	for i := len(b.asked) - 1; i >= 0; i-- {
		if id := b.asked[i]; toolCall != "" && b.on[id].ToolCallID == toolCall {
			return id
		}
	}
	return ""
}

// closed reports whether the branch says that nothing more is to come of a request.
func (b *branch) closed(id, toolCall string) bool {
	_, delivered := b.delivered[id]
	return delivered || b.dismissed[id] || toolCall != "" && b.dismissed[toolCall]
}

// note takes in a request that the session has just asked.
func (b *branch) note(r *ask.Request) {
	if b != nil {
		b.add(BranchEvent{
			Type: "asked", RequestID: r.ID, ToolCallID: r.ToolCallID, ParentToolCallID: r.ParentToolCallID, Tool: r.Tool, Background: r.Background,
		})
	}
}

// abort notes that a call which its process said it still runs has been told of its end: the aborted result is about to be
// written, and a session.open that came before it cannot have it.
func (b *branch) abort(id string) {
	if b != nil && b.has(id) {
		b.delivered[id] = "aborted"
	}
}

// place is where a request stands on a branch.
type place int

const (
	placeParked      place = iota // not on this branch
	placePending                  // asked, not answered here
	placeUndelivered              // answered, not in the transcript
	placeQuiet                    // delivered or dismissed
	placeAborted                  // its result says that the operation was aborted
)

// place reads the table of DESIGN, "Branches and delivery". outcomes are all that the session has stored for the request,
// oldest first; the one that counts on this branch comes back, nil for none.
func (b *branch) place(r *ask.Request, outcomes []*ask.Outcome) (place, *ask.Outcome) {
	if b == nil {
		return placeNewest(outcomes)
	}
	if !b.has(r.ID) {
		return placeParked, nil
	}
	if how, ok := b.delivered[r.ID]; ok {
		if how == "aborted" {
			return placeAborted, nil
		}
		return placeQuiet, nil
	}
	if b.closed(r.ID, r.ToolCallID) {
		return placeQuiet, nil
	}
	return b.undelivered(r, outcomes)
}

// lacks reports whether an item's outcome still has to enter the branch.
func (b *branch) lacks(it *item) bool {
	where, o := b.place(it.req, it.outcomes)
	return where == placeUndelivered && o == it.outcome
}

// undelivered picks the outcome that this branch still lacks: the one it names as completed, else the newest that belongs
// to no other branch. Without one the request waits, unless its asker has taken it back.
func (b *branch) undelivered(r *ask.Request, outcomes []*ask.Outcome) (place, *ask.Outcome) {
	for _, o := range outcomes {
		if b.completed[r.ID] == o.ID && o.Kind != ask.Interrupted {
			return placeUndelivered, o
		}
	}
	for i := len(outcomes) - 1; i >= 0; i-- {
		if outcomes[i].Kind == ask.Withdrawn {
			return placeQuiet, nil
		}
		if o := outcomes[i]; o.Kind != ask.Interrupted && !b.elsewhere[o.ID] {
			return placeUndelivered, o
		}
	}
	return placePending, nil
}

func placeNewest(outcomes []*ask.Outcome) (place, *ask.Outcome) {
	if len(outcomes) == 0 {
		return placePending, nil
	}
	return placeUndelivered, outcomes[len(outcomes)-1]
}
