package broker

import (
	"cmp"
	"encoding/json"
	"time"

	"askd/broker/ask"
	"askd/broker/tool"
)

// LegacyEntry is an entry of a session file that an earlier release of the question tools wrote, as it stands there
// (PROTOCOL, SessionInfo.legacy). Entries that are not what those releases wrote are passed over.
type LegacyEntry struct {
	Type      string          `json:"type"` // the entry's customType
	Data      json.RawMessage `json:"data"`
	EntryID   string          `json:"entryId,omitempty"`
	Timestamp string          `json:"timestamp,omitempty"` // when it was written, RFC 3339
}

// legacyBook is what the entries of one session file say, put together. Nil says nothing.
type legacyBook struct {
	forms    []*legacyForm // in the order asked
	byID     map[string]*legacyForm
	payloads map[string]legacyPayload // by tool call: what a form that is shown again is made of
	multi    bool                     // single questions are presented as multi now
}

// legacyPayload is the arguments of a call as they were saved before its form opened.
type legacyPayload struct {
	arguments json.RawMessage
	at        time.Time
}

// legacyForm is one request. Saved and queued are its two descriptions, at least one of which is there.
type legacyForm struct {
	id         string
	toolCall   string
	background bool
	at         time.Time
	saved      *tool.Parsed // its questions as they were normalised
	queued     *tool.Parsed // its arguments as they were queued
	ending     *legacyEnding
}

// legacyEnding is how a request ended: with a result, or with the reason why there is none.
type legacyEnding struct {
	result *ask.Result
	err    string
	at     time.Time
}

// legacyVersion is the version that the entries carry, those that carry one.
const legacyVersion = 1

// legacyEntries says what each type of entry adds. A wrong entry adds nothing.
var legacyEntries = map[string]func(*legacyBook, LegacyEntry){
	"ask:payload":           (*legacyBook).payload,
	"ask:history-request":   (*legacyBook).request,
	"ask:queued":            (*legacyBook).queue,
	"ask:history-completed": (*legacyBook).completed,
	"ask:queue-completed":   (*legacyBook).completed,
}

// readLegacy puts entries together. It takes as long as there is to read and touches nothing else, so it runs on the
// caller's goroutine.
func readLegacy(entries []LegacyEntry, presentSingleAsMulti bool) *legacyBook {
	if len(entries) == 0 {
		return nil
	}
	b := &legacyBook{byID: map[string]*legacyForm{}, payloads: map[string]legacyPayload{}, multi: presentSingleAsMulti}
	for _, e := range entries {
		if read := legacyEntries[e.Type]; read != nil {
			read(b, e)
		}
	}
	return b
}

func (e LegacyEntry) at() time.Time {
	at, _ := time.Parse(time.RFC3339, e.Timestamp)
	return at
}

// parseSaved reads a saved form. It is nil when the form is not valid.
func parseSaved(arguments json.RawMessage, presentSingleAsMulti bool) *tool.Parsed {
	t, _ := tool.Lookup(ask.ToolAskUser)
	p, err := t.Parse(arguments, tool.Env{Saved: true, PresentSingleAsMulti: presentSingleAsMulti})
	if err != nil || len(p.Issues) > 0 {
		return nil
	}
	return p
}

func (b *legacyBook) payload(e LegacyEntry) {
	var p struct {
		Version   int             `json:"version"`
		Timestamp int64           `json:"timestamp"` // milliseconds
		Params    json.RawMessage `json:"params"`
		Source    string          `json:"source"`
		ToolCall  string          `json:"sourceEntryId"`
	}
	if json.Unmarshal(e.Data, &p) != nil || p.Version != legacyVersion || p.Source != "tool" || p.ToolCall == "" {
		return
	}
	if parseSaved(p.Params, b.multi) != nil {
		b.payloads[p.ToolCall] = legacyPayload{p.Params, time.UnixMilli(p.Timestamp)}
	}
}

func (b *legacyBook) request(e LegacyEntry) {
	var r struct {
		Version    int             `json:"version"`
		RequestID  string          `json:"requestId"`
		ToolCallID string          `json:"toolCallId"`
		Title      string          `json:"title,omitempty"`
		Background *bool           `json:"background"`
		CreatedAt  string          `json:"createdAt"`
		Questions  json.RawMessage `json:"questions"`
	}
	if json.Unmarshal(e.Data, &r) != nil || r.Version != legacyVersion || r.RequestID == "" || r.Background == nil {
		return
	}
	created, err := time.Parse(time.RFC3339, r.CreatedAt)
	if err != nil {
		return
	}
	arguments, err := ask.Stringify(struct {
		Title     string          `json:"title,omitempty"`
		Questions json.RawMessage `json:"questions"`
	}{r.Title, r.Questions})
	if err != nil {
		return
	}
	if p := parseSaved(arguments, false); p != nil {
		f := b.form(r.RequestID, created)
		f.saved, f.toolCall, f.background, f.at = p, r.ToolCallID, *r.Background, created
	}
}

// queue takes the first entry of a request: a later one is a repetition.
func (b *legacyBook) queue(e LegacyEntry) {
	var q struct {
		Version    int             `json:"version"`
		RequestID  string          `json:"requestId"`
		ToolCallID string          `json:"toolCallId"`
		Params     json.RawMessage `json:"params"`
		Multi      bool            `json:"presentSingleAsMulti"`
	}
	if json.Unmarshal(e.Data, &q) != nil || q.Version != legacyVersion || q.RequestID == "" {
		return
	}
	p := parseSaved(q.Params, q.Multi)
	if p == nil {
		return
	}
	f := b.form(q.RequestID, e.at())
	if f.queued == nil {
		f.queued, f.background, f.toolCall = p, true, cmp.Or(f.toolCall, q.ToolCallID)
	}
}

// form finds a request, making it when it is new.
func (b *legacyBook) form(id string, at time.Time) *legacyForm {
	f := b.byID[id]
	if f == nil {
		f = &legacyForm{id: id, at: at}
		b.byID[id] = f
		b.forms = append(b.forms, f)
	}
	return f
}

// completed takes the end of a request that is known already; nobody ended what nobody asked.
func (b *legacyBook) completed(e LegacyEntry) {
	var c struct {
		Version   *int            `json:"version"`
		RequestID string          `json:"requestId"`
		Result    json.RawMessage `json:"result"`
		Error     string          `json:"error"`
	}
	if json.Unmarshal(e.Data, &c) != nil || (c.Version == nil) == (e.Type == "ask:history-completed") || c.Version != nil && *c.Version != legacyVersion {
		return
	}
	f, end := b.byID[c.RequestID], &legacyEnding{err: c.Error, at: e.at()}
	if end.err == "" {
		end.result = readResult(c.Result)
	}
	if f != nil && (end.err != "" || end.result != nil) {
		f.ending = end
	}
}

// readResult takes over a result of an earlier release, without the fields that there are no more. It is nil when it is
// none.
func readResult(raw json.RawMessage) *ask.Result {
	var whole struct {
		Cancelled *bool            `json:"cancelled"`
		Questions *json.RawMessage `json:"questions"`
		Answers   *json.RawMessage `json:"answers"`
	}
	r := &ask.Result{}
	if len(raw) == 0 || json.Unmarshal(raw, &whole) != nil || json.Unmarshal(raw, r) != nil {
		return nil
	}
	if whole.Cancelled == nil || whole.Questions == nil || whole.Answers == nil || r.Questions == nil {
		return nil
	}
	return r
}
