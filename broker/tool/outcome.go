package tool

import (
	"time"

	"askd/broker/ask"
)

// Outcome is the result of a tool call (PROTOCOL, ToolOutcome).
type Outcome struct {
	RequestID         string        `json:"requestId,omitempty"`
	OutcomeID         string        `json:"outcomeId,omitempty"`
	Content           []Block       `json:"content"`
	Details           any           `json:"details"`
	StructuredContent any           `json:"structuredContent,omitempty"`
	IsError           bool          `json:"isError,omitempty"`
	AbortOperation    bool          `json:"abortOperation,omitempty"`
	Transcript        []Line        `json:"transcript"`
	Provenance        *Provenance   `json:"provenance,omitempty"`
	Deliveries        []DeliveryRef `json:"deliveries,omitempty"`
}

// DeliveryRef names one outcome on its way to a transcript, with the card that its asker draws at the call it belongs to.
type DeliveryRef struct {
	RequestID  string `json:"requestId"`
	OutcomeID  string `json:"outcomeId"`
	Transcript []Line `json:"transcript,omitempty"`
}

// Provenance says how an outcome came about (PROTOCOL, provenance).
type Provenance struct {
	Outcome     ask.OutcomeKind `json:"outcome"`
	Via         ask.Via         `json:"via"`
	Client      string          `json:"client,omitempty"`
	StoredAt    time.Time       `json:"storedAt"`
	ShownAt     *time.Time      `json:"shownAt,omitempty"`
	AnsweredAt  *time.Time      `json:"answeredAt,omitempty"`
	DeliveredAt *time.Time      `json:"deliveredAt,omitempty"`
}

// ProvenanceOf gives an outcome's provenance, nil for nil.
func ProvenanceOf(o *ask.Outcome) *Provenance {
	if o == nil {
		return nil
	}
	return &Provenance{Outcome: o.Kind, Via: o.Via, Client: o.Client, StoredAt: o.StoredAt, ShownAt: o.ShownAt, AnsweredAt: o.AnsweredAt}
}

// Failure is a call that failed with this message.
func Failure(message string) *Outcome {
	return &Outcome{Content: []Block{ask.TextBlock(message)}, Details: struct{}{}, IsError: true, Transcript: ask.ErrorLines(message)}
}

// identify puts the ids and the provenance on a result.
func (out *Outcome) identify(r *ask.Request, o *ask.Outcome) *Outcome {
	out.RequestID, out.Provenance = r.ID, ProvenanceOf(o)
	if o != nil {
		out.OutcomeID = o.ID
	}
	return out
}

// Compact is the structured content of ask_user (contract, "Output").
type Compact struct {
	RequestID          string                 `json:"requestId,omitempty"`
	Cancelled          bool                   `json:"cancelled"`
	Answers            ask.Map[CompactAnswer] `json:"answers"`
	SkippedQuestionIDs []string               `json:"skippedQuestionIds,omitempty"`
	Error              *CompactError          `json:"error,omitempty"`
}

// CompactAnswer is one answer of Compact. Images are flat: custom answer, question note, option notes.
type CompactAnswer struct {
	Values      []string         `json:"values"`
	Labels      []string         `json:"labels"`
	CustomText  string           `json:"customText,omitempty"`
	Note        string           `json:"note,omitempty"`
	OptionNotes ask.Map[string]  `json:"optionNotes,omitzero"`
	Images      []AttachmentData `json:"images,omitempty"`
}

// AttachmentData is an image without its id.
type AttachmentData struct {
	MimeType string `json:"mimeType"`
	Data     string `json:"data"`
}

// CompactError lists the faults of a refused payload.
type CompactError struct {
	Issues []ask.Issue `json:"issues"`
}

// CompactOf shortens a result.
func CompactOf(r *ask.Result) *Compact {
	c := &Compact{RequestID: r.RequestID, Cancelled: r.Cancelled, SkippedQuestionIDs: r.SkippedQuestionIDs}
	if r.Error != nil {
		c.Error = &CompactError{Issues: r.Error.Issues}
	}
	for id, a := range r.Answers.All() {
		c.Answers.Set(id, compactAnswer(&a))
	}
	return c
}

func compactAnswer(a *ask.Answer) CompactAnswer {
	c := CompactAnswer{Values: a.Values, Labels: a.Labels, CustomText: a.CustomText, Note: a.Note, OptionNotes: a.OptionNotes}
	add := func(images []ask.Image) {
		for _, image := range images {
			c.Images = append(c.Images, AttachmentData{MimeType: image.MimeType, Data: image.Data})
		}
	}
	add(a.CustomImages)
	add(a.NoteImages)
	for _, images := range a.OptionNoteImages.All() {
		add(images)
	}
	return c
}
