package broker

import (
	"encoding/json"
	"time"

	"askd/broker/ask"
)

// SessionInfo is what a client says of itself and its session (PROTOCOL, Shapes). Missing optional fields take the
// daemon's own or nothing.
type SessionInfo struct {
	ID             string            `json:"id"`
	Name           string            `json:"name,omitempty"`
	Cwd            string            `json:"cwd,omitempty"`
	Host           string            `json:"host,omitempty"`
	GitBranch      string            `json:"gitBranch,omitempty"`
	Agent          Agent             `json:"agent,omitzero"`
	AgentDir       string            `json:"agentDir,omitempty"`
	ProjectTrusted bool              `json:"projectTrusted,omitempty"`
	ParentSession  string            `json:"parentSession,omitempty"` // id of the session this one was forked from
	Ancestors      []string          `json:"ancestors,omitempty"`     // ids of the sessions that one was forked from, nearest first
	UI             string            `json:"ui,omitempty"`
	Env            map[string]string `json:"env,omitempty"`
	Terminal       *Terminal         `json:"terminal,omitempty"`
	Reason         string            `json:"reason,omitempty"`
	Branch         []BranchEvent     `json:"branch"`
	Elsewhere      []OutcomeRef      `json:"elsewhere,omitempty"`
	OpenCalls      []OpenCall        `json:"openCalls,omitempty"`
	Legacy         []LegacyEntry     `json:"legacy,omitempty"` // entries of earlier releases, from the whole session file
	Instance       string            `json:"instance,omitempty"`
	Epoch          int               `json:"epoch,omitempty"`
	SessionFile    string            `json:"sessionFile,omitempty"`
	Ephemeral      bool              `json:"ephemeral,omitempty"`
	// Surfaces: the client answers ask.surface with form.respond or form.fail, however long that takes it.
	Surfaces bool `json:"surfaces,omitempty"`
}

// Agent names the asking program.
type Agent struct {
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
}

// String is the agent as a person reads it: "pi 1.6.0".
func (a Agent) String() string {
	if a.Version == "" {
		return a.Name
	}
	return a.Name + " " + a.Version
}

// Terminal is where the asking program stands in a terminal multiplexer.
type Terminal struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// BranchEvent is one event of a session's branch, in branch order (DESIGN, "Branches and delivery").
type BranchEvent struct {
	Type             string          `json:"type"`
	RequestID        string          `json:"requestId,omitempty"`
	OutcomeID        string          `json:"outcomeId,omitempty"`
	ToolCallID       string          `json:"toolCallId,omitempty"`
	ParentToolCallID string          `json:"parentToolCallId,omitempty"`
	Tool             string          `json:"tool,omitempty"`
	Arguments        json.RawMessage `json:"arguments,omitempty"`
	Background       bool            `json:"background,omitempty"`
	How              string          `json:"how,omitempty"`
	Visible          *bool           `json:"visible,omitempty"`
}

// OutcomeRef names one outcome of one request.
type OutcomeRef struct {
	RequestID string `json:"requestId"`
	OutcomeID string `json:"outcomeId"`
}

// OpenCall is a tool call that is still running in the client.
type OpenCall struct {
	RequestID  string `json:"requestId"`
	ToolCallID string `json:"toolCallId,omitempty"`
	Tool       string `json:"tool,omitempty"`
}

// Opened is the result of session.open.
type Opened struct {
	Role        string           `json:"role"` // primary or secondary
	Pending     []RequestSummary `json:"pending"`
	Undelivered []OutcomeRef     `json:"undelivered"`
	Unknown     []string         `json:"unknown"`
	Settings    any              `json:"settings"`
	// Remote: askd runs on another machine than the client and opens none of its files. The client sends the context files
	// of its calls (CallParams.Files).
	Remote bool `json:"remote,omitempty"`
}

// RequestSummary is one pending request as lists show it (PROTOCOL, Shapes).
type RequestSummary struct {
	RequestID   string     `json:"requestId"`
	FlowID      string     `json:"flowId"`
	Session     string     `json:"session"`
	SessionName string     `json:"sessionName,omitempty"`
	Host        string     `json:"host,omitempty"` // empty for askd's own machine
	Tool        string     `json:"tool"`
	Title       string     `json:"title,omitempty"`
	Background  bool       `json:"background"`
	Status      Status     `json:"status"`
	CreatedAt   time.Time  `json:"createdAt"`
	ShownAt     *time.Time `json:"shownAt,omitempty"`
	Position    int        `json:"position"` // 1-based place in the whole queue
	QuestionIDs []string   `json:"questionIds"`
	Labels      []string   `json:"labels"`
	Subject     string     `json:"subject,omitempty"` // what the form is about in a line, see ask.Request.Subject
	AskerOnline bool       `json:"askerOnline"`
	StandsStill bool       `json:"standsStill,omitempty"` // the agent does nothing else until the form has ended
	Hue         int        `json:"hue,omitempty"`         // the session's colour, 1 to Hues
	Deadline    *time.Time `json:"deadline,omitempty"`
	Cancelling  bool       `json:"cancelling,omitempty"` // the person has cancelled it, and may take that back for a moment
}

// Pane is the state of the panes as clients see it. The size is that of the longest attached one.
type Pane struct {
	Attached bool `json:"attached"`
	Columns  int  `json:"columns,omitempty"`
	Rows     int  `json:"rows,omitempty"`
	Panes    int  `json:"panes,omitempty"` // how many are attached
}

// Counts is the size of the desk (PROTOCOL, daemon.status).
type Counts struct {
	Pending     int `json:"pending"`
	Deferred    int `json:"deferred"`
	Undelivered int `json:"undelivered"`
	Records     int `json:"records"`
}

// SessionStatus is one connected session in daemon.status.
type SessionStatus struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Host    string `json:"host,omitempty"` // empty for askd's own machine
	Cwd     string `json:"cwd,omitempty"`
	Agent   string `json:"agent,omitempty"`
	UI      string `json:"ui,omitempty"`
	Role    string `json:"role"`
	Pending int    `json:"pending"`
}

// Report is the desk's part of daemon.status.
type Report struct {
	Pane     Pane            `json:"pane"`
	Sessions []SessionStatus `json:"sessions"`
	Counts   Counts          `json:"counts"`
	Latency  Latencies       `json:"latency"`
	Quiet    *QuietState     `json:"quiet,omitempty"` // nil when the person may be disturbed by everything
}

// Accepted is the payload of ask.accepted: the request is on disk, not yet answered.
type Accepted struct {
	Session         string     `json:"session"`
	Epoch           int        `json:"epoch"`
	RequestID       string     `json:"requestId"`
	ToolCallID      string     `json:"toolCallId,omitempty"`
	Background      bool       `json:"background"`
	Position        int        `json:"position"`
	PendingRequests int        `json:"pendingRequests"`
	Deadline        *time.Time `json:"deadline,omitempty"`
	QuietUntil      *time.Time `json:"quietUntil,omitempty"` // the person is not to be disturbed before
}

// Started is the contract's started event, version 1.
type Started struct {
	Version    int            `json:"version"`
	FlowID     string         `json:"flowId"`
	ToolCallID string         `json:"toolCallId,omitempty"`
	Source     string         `json:"source"`
	Title      string         `json:"title,omitempty"`
	Questions  []ask.Question `json:"questions"`
	CreatedAt  int64          `json:"createdAt"` // milliseconds
}

// Completed is the contract's completed event, version 1. Result has no requestId.
type Completed struct {
	Version     int         `json:"version"`
	FlowID      string      `json:"flowId"`
	ToolCallID  string      `json:"toolCallId,omitempty"`
	Source      string      `json:"source"`
	Result      *ask.Result `json:"result"`
	CompletedAt int64       `json:"completedAt"` // milliseconds
}

// SessionState is the payload of session.state: what a status line needs to know.
type SessionState struct {
	Session           string   `json:"session"`
	Epoch             int      `json:"epoch"`
	Pending           int      `json:"pending"` // background forms
	PendingRequestIDs []string `json:"pendingRequestIds"`
	PanelVisible      bool     `json:"panelVisible"`
	Hidden            bool     `json:"hidden"`     // the person hid the background forms, pane or no pane
	Waiting           int      `json:"waiting"`    // waits running
	Foreground        int      `json:"foreground"` // foreground asks open
	// QuietUntil: the person is not to be disturbed by this session before.
	QuietUntil *time.Time `json:"quietUntil,omitempty"`
}

// Responded is the result of form.respond.
type Responded struct {
	OK      bool   `json:"ok"`
	Error   string `json:"error,omitempty"`
	Message string `json:"message,omitempty"`
	Same    *Same  `json:"same,omitempty"` // where that was asked for
}

// Form is the result of request.get: the whole form as a client would draw it.
type Form struct {
	Request *ask.Request `json:"request"`
	Draft   *ask.Draft   `json:"draft,omitempty"`
	Outcome *ask.Outcome `json:"outcome,omitempty"`
}
