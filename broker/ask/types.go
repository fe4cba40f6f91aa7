package ask

import (
	"encoding/json"
	"time"
)

// Type says how many answers a question expects.
type Type string

// The two question types of the contract, "Input rules". The zero value is no type; normalisation turns it into Single.
const (
	Single Type = "single"
	Multi  Type = "multi"
)

// Tool names, as agents call them.
const (
	ToolAskUser  = "ask_user"
	ToolWait     = "wait_for_answers"
	ToolQuestion = "ask_user_question"
)

// CustomValue and CustomLabel are the internal row that every question ends with; it is not part of Question.Options.
// Its 1-based number is len(Options)+1.
const (
	CustomValue = "__other__"
	CustomLabel = "Type your own"
)

// Option is one choice of a question, normalised: trimmed, blank optional text gone.
type Option struct {
	Value       string `json:"value"`
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
	Recommended *bool  `json:"recommended,omitempty"` // as given: nil is missing, false stays false
	Preview     string `json:"preview,omitempty"`     // ask_user_question only: Markdown for the details pane, untrimmed
}

// IsRecommended reports whether the asker marked this option.
func (o *Option) IsRecommended() bool { return o.Recommended != nil && *o.Recommended }

// Question is one normalised question of a form. ask_user_question's header is its Label, its question text the Prompt, its
// label both Value and Label of an Option, and its ids are q1 to q4 (PROTOCOL, form.respond).
type Question struct {
	ID      string `json:"id"`
	Label   string `json:"label"` // never blank: falls back to Q1, Q2, …
	Prompt  string `json:"prompt"`
	Context string `json:"context,omitempty"` // the text shown, a context file already loaded
	// Type is how the question is presented when the form opens. RequestedType and PresentedType are set only when
	// presentSingleAsMulti changed it.
	Type          Type     `json:"type"`
	RequestedType Type     `json:"requestedType,omitempty"`
	PresentedType Type     `json:"presentedType,omitempty"`
	Options       []Option `json:"options"`
	// Input marks a question that is answered in own words and may have no options; Placeholder stands in its empty editor.
	// Both are ours: the published tool has neither, and scripts use them.
	Input       bool   `json:"input,omitempty"`
	Placeholder string `json:"placeholder,omitempty"`
}

// Requested is the type that the asker asked for.
func (q *Question) Requested() Type {
	if q.RequestedType != "" {
		return q.RequestedType
	}
	return q.Type
}

// Key names one request. Request ids are unique within a session only: forks copy them.
type Key struct {
	Session string `json:"session"`
	Request string `json:"requestId"`
}

// Request is one form on its way to an outcome: what was asked, by whom. It never changes once stored.
type Request struct {
	ID               string          `json:"id"` // a UUID, made by the client or by askd
	Session          string          `json:"session"`
	Tool             string          `json:"tool"`
	ToolCallID       string          `json:"toolCallId,omitempty"`
	ParentToolCallID string          `json:"parentToolCallId,omitempty"`
	Background       bool            `json:"background,omitempty"`
	Title            string          `json:"title,omitempty"`
	Questions        []Question      `json:"questions"`
	Arguments        json.RawMessage `json:"arguments,omitempty"` // as they came, for idempotency (PROTOCOL, tool.call)
	CreatedAt        time.Time       `json:"createdAt"`
	Asker            Asker           `json:"asker"`
	// Prompt is how an ask_user_question prompt is shown; nil for other tools.
	Prompt *PromptSettings `json:"prompt,omitempty"`
	// Deadline ends the request as timed out; zero is none. It stands for the whole call, whatever the person does.
	Deadline time.Time `json:"deadline,omitzero"`
}

// PromptSettings are the preferences that an ask_user_question prompt was opened with; it keeps them while it is open.
type PromptSettings struct {
	DisplayMode string `json:"displayMode"`         // inline or overlay
	Layout      string `json:"singleSelectLayout"`  // auto or list; both selection modes, despite its name
	ToggleKey   string `json:"toggleKey,omitempty"` // hides and shows an overlay, in the words of keymaps; empty is none
}

// Key is the name under which the request is stored and found.
func (r *Request) Key() Key { return Key{Session: r.Session, Request: r.ID} }

// FlowID is the id that the contract's remote events know the form by (PROTOCOL, flowId).
func (r *Request) FlowID() string {
	if r.ToolCallID != "" {
		return "tool:" + r.ToolCallID
	}
	return "request:" + r.ID
}

// Asker is what was known of the asking session when it asked. Every field may be empty.
type Asker struct {
	SessionName string `json:"sessionName,omitempty"`
	Cwd         string `json:"cwd,omitempty"`
	Host        string `json:"host,omitempty"`
	GitBranch   string `json:"gitBranch,omitempty"`
	Agent       string `json:"agent,omitempty"` // "pi 1.6.0"
	UI          string `json:"ui,omitempty"`    // tui, rpc, json, print, cli, mcp
}

// Image is one attachment of an answer. Data is base64 without a data URI prefix.
type Image struct {
	ID       string `json:"id"`
	MimeType string `json:"mimeType"`
	Data     string `json:"data"`
}

// Choice is what the person did with one question, before it becomes an Answer.
type Choice struct {
	// Type is how the question stood when the form was finished: single or multi.
	Type Type
	// Selected are 0-based option indices, in any order; results report them in form order.
	Selected []int
	// Literal are answers that are no option of the form, as ask_user_question takes them from a client's own dialogs. They
	// count as selected and have no index.
	Literal []string
	// CustomText is the free-form answer when it is selected; blank means none.
	CustomText       string
	CustomImages     []Image
	Note             string
	NoteImages       []Image
	OptionNotes      map[int]string  // by 0-based option index; blank texts count as none
	OptionNoteImages map[int][]Image // by 0-based option index
	Skipped          bool            // explicitly skipped: everything else of the choice is dropped
}

// Response is a whole form as the person left it: one Choice a question, in form order.
type Response struct {
	Choices []Choice
}

// Answer is one entry of Result.Answers (contract, "Output"). Indices are 1-based option positions.
type Answer struct {
	Values           []string     `json:"values"`
	Labels           []string     `json:"labels"`
	Indices          []int        `json:"indices"`
	CustomText       string       `json:"customText,omitempty"`
	Note             string       `json:"note,omitempty"`
	OptionNotes      Map[string]  `json:"optionNotes,omitzero"` // by option value
	CustomImages     []Image      `json:"customImages,omitempty"`
	NoteImages       []Image      `json:"noteImages,omitempty"`
	OptionNoteImages Map[[]Image] `json:"optionNoteImages,omitzero"` // by option value
}

// ResultQuestion is a question as results repeat it: Type is the requested one, PresentedType only when it differs.
type ResultQuestion struct {
	ID            string `json:"id"`
	Label         string `json:"label"`
	Prompt        string `json:"prompt"`
	Type          Type   `json:"type"`
	PresentedType Type   `json:"presentedType,omitempty"`
}

// Issue is one fault of a payload. Path is like questions[0].options[1].value.
type Issue struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// ResultError is set when a payload was refused before any form opened. Kind is always "invalid_input".
type ResultError struct {
	Kind   string  `json:"kind"`
	Issues []Issue `json:"issues"`
}

// Result is the contract's `details`: what a finished form means.
type Result struct {
	Title              string           `json:"title,omitempty"`
	Cancelled          bool             `json:"cancelled"`
	Error              *ResultError     `json:"error,omitempty"`
	Questions          []ResultQuestion `json:"questions"`
	SkippedQuestionIDs []string         `json:"skippedQuestionIds,omitempty"`
	Answers            Map[Answer]      `json:"answers"` // by question id, in form order
	RequestID          string           `json:"requestId,omitempty"`
}

// OutcomeKind is how a request ended. No kind but Answered, Skipped and Empty follows a submit, and none looks like it.
type OutcomeKind string

// The ways a request can end (PROTOCOL, provenance).
const (
	Answered    OutcomeKind = "answered"    // submitted with at least one answer
	Skipped     OutcomeKind = "skipped"     // submitted, every question explicitly skipped
	Empty       OutcomeKind = "empty"       // submitted without an answer
	Cancelled   OutcomeKind = "cancelled"   // the person dismissed it
	TimedOut    OutcomeKind = "timed_out"   // a deadline passed
	Interrupted OutcomeKind = "interrupted" // the asking operation was aborted
	Withdrawn   OutcomeKind = "withdrawn"   // the asker took it back or lost its session
	Failed      OutcomeKind = "failed"      // the surface that showed it broke
	NoUI        OutcomeKind = "no_ui"       // nobody could be asked
)

// Submitted reports whether a person's explicit submit made this outcome.
func (k OutcomeKind) Submitted() bool { return k == Answered || k == Skipped || k == Empty }

// Via says by which way an outcome came (PROTOCOL, provenance).
type Via string

// The ways an outcome can come.
const (
	ViaPane     Via = "pane"
	ViaAskctl   Via = "askctl"
	ViaRemote   Via = "remote"
	ViaExternal Via = "external"
	ViaDialog   Via = "dialog"
	ViaAskd     Via = "askd"
)

// Outcome is the end of a request. It never changes once stored. Result is nil when Error says why there is none.
type Outcome struct {
	ID         string      `json:"id"` // a UUID made by askd
	RequestID  string      `json:"requestId"`
	Session    string      `json:"session"`
	Kind       OutcomeKind `json:"kind"`
	Result     *Result     `json:"result,omitempty"`
	Error      string      `json:"error,omitempty"`
	Via        Via         `json:"via"`
	Client     string      `json:"client,omitempty"` // name of the answering program, when it was not the pane
	StoredAt   time.Time   `json:"storedAt"`
	ShownAt    *time.Time  `json:"shownAt,omitempty"`
	AnsweredAt *time.Time  `json:"answeredAt,omitempty"`
}

// Key is the key of the request that ended.
func (o *Outcome) Key() Key { return Key{Session: o.Session, Request: o.RequestID} }

// Draft is what the person has done with a form so far: enough to put the form back as it was. The zero value is an
// untouched form. Options are named by value so that a draft fits a copy of the same request.
type Draft struct {
	Tab       int             `json:"tab,omitempty"`    // index of the open tab; len(questions) is Review
	Row       int             `json:"row,omitempty"`    // focused row on that tab
	Action    int             `json:"action,omitempty"` // focused Review action
	Questions []QuestionDraft `json:"questions,omitempty"`
	Editor    *EditorDraft    `json:"editor,omitempty"` // an open editor with its unsaved text
	SavedAt   time.Time       `json:"savedAt,omitzero"`
}

// QuestionDraft is the part of a Draft that belongs to one question.
type QuestionDraft struct {
	ID               string             `json:"id"`
	Type             Type               `json:"type,omitempty"` // as last changed by the person; empty is the form's own
	Selected         []string           `json:"selected,omitempty"`
	CustomText       string             `json:"customText,omitempty"`
	CustomSelected   bool               `json:"customSelected,omitempty"`
	CustomImages     []Image            `json:"customImages,omitempty"`
	Note             string             `json:"note,omitempty"`
	NoteImages       []Image            `json:"noteImages,omitempty"`
	OptionNotes      map[string]string  `json:"optionNotes,omitempty"`
	OptionNoteImages map[string][]Image `json:"optionNoteImages,omitempty"`
	Skipped          bool               `json:"skipped,omitempty"`
	// The rest belongs to ask_user_question prompts: what was typed to filter the options, the focused row, and what the page
	// was confirmed with. Selected and CustomText are the ticks and the text as they stand, confirmed or not.
	Filter    string     `json:"filter,omitempty"`
	Row       int        `json:"row,omitempty"`
	Confirmed *Confirmed `json:"confirmed,omitempty"`
}

// Confirmed is the recorded answer of one page of a batch prompt.
type Confirmed struct {
	Selected   []string `json:"selected,omitempty"` // option labels
	CustomText string   `json:"customText,omitempty"`
}

// EditCustom is the kind of an EditorDraft that holds an answer in own words.
const EditCustom = "custom"

// EditorDraft is an editor that was open. Kind is custom, questionNote or optionNote.
type EditorDraft struct {
	Kind     string `json:"kind"`
	Question string `json:"question"`
	Option   string `json:"option,omitempty"`
	Text     string `json:"text"`
}

// Record is a stored request with what has become of it so far.
type Record struct {
	Request *Request
	Outcome *Outcome // nil while it waits, also when it waits again
	// Earlier are the outcomes that the request had before it was opened again for another branch, oldest first.
	Earlier []*Outcome
	Draft   *Draft // nil while untouched
	// Delivered is set once the outcome is settled for good and the record stands in the history.
	Delivered bool
}
