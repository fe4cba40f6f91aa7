package ask

import (
	"bytes"
	"encoding/json"
)

// The requests of a journal and what is sent of each are written by hand: encoding/json takes most of the time between a call
// and its acceptance. What is written is what encoding/json writes, byte for byte; a fuzz test holds the two together.

// AppendRequest appends a request without its arguments, as encoding/json writes it without HTML escapes. Errors are
// encoding/json's, for times that RFC 3339 does not know.
func AppendRequest(b []byte, r *Request) ([]byte, error) {
	a := Appender{B: append(b, '{')}
	a.Text(`"id":`, r.ID)
	a.Text(`"session":`, r.Session)
	a.Text(`"tool":`, r.Tool)
	a.Some(`"toolCallId":`, r.ToolCallID)
	a.Some(`"parentToolCallId":`, r.ParentToolCallID)
	if r.Background {
		a.Flag(`"background":`, true)
	}
	a.Some(`"title":`, r.Title)
	a.Member(`"questions":`)
	a.questions(r.Questions)
	a.Time(`"createdAt":`, r.CreatedAt)
	a.asker(&r.Asker)
	a.prompt(r.Prompt)
	if !r.Deadline.IsZero() {
		a.Time(`"deadline":`, r.Deadline)
	}
	a.B = append(a.B, '}')
	if !a.Wrong {
		return a.B, nil
	}
	rest := *r
	rest.Arguments = nil
	buf := bytes.NewBuffer(b)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(&rest); err != nil {
		return b, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// AppendQuestions appends questions as encoding/json writes them, html with its escapes of <, > and &.
func AppendQuestions(b []byte, questions []Question, html bool) []byte {
	a := Appender{B: b, HTML: html}
	a.questions(questions)
	return a.B
}

func (a *Appender) questions(questions []Question) {
	if questions == nil {
		a.B = append(a.B, "null"...)
		return
	}
	a.B = append(a.B, '[')
	for i := range questions {
		if i > 0 {
			a.B = append(a.B, ',')
		}
		a.question(&questions[i])
	}
	a.B = append(a.B, ']')
}

func (a *Appender) question(q *Question) {
	a.B = append(a.B, '{')
	a.Text(`"id":`, q.ID)
	a.Text(`"label":`, q.Label)
	a.Text(`"prompt":`, q.Prompt)
	a.Some(`"context":`, q.Context)
	a.Text(`"type":`, string(q.Type))
	a.Some(`"requestedType":`, string(q.RequestedType))
	a.Some(`"presentedType":`, string(q.PresentedType))
	a.Member(`"options":`)
	a.options(q.Options)
	if q.Input {
		a.Flag(`"input":`, true)
	}
	a.Some(`"placeholder":`, q.Placeholder)
	a.B = append(a.B, '}')
}

func (a *Appender) options(options []Option) {
	if options == nil {
		a.B = append(a.B, "null"...)
		return
	}
	a.B = append(a.B, '[')
	for i := range options {
		if i > 0 {
			a.B = append(a.B, ',')
		}
		o := &options[i]
		a.B = append(a.B, '{')
		a.Text(`"value":`, o.Value)
		a.Text(`"label":`, o.Label)
		a.Some(`"description":`, o.Description)
		if o.Recommended != nil {
			a.Flag(`"recommended":`, *o.Recommended)
		}
		a.Some(`"preview":`, o.Preview)
		a.B = append(a.B, '}')
	}
	a.B = append(a.B, ']')
}

func (a *Appender) asker(from *Asker) {
	a.Member(`"asker":`)
	a.B = append(a.B, '{')
	a.Some(`"sessionName":`, from.SessionName)
	a.Some(`"cwd":`, from.Cwd)
	a.Some(`"host":`, from.Host)
	a.Some(`"gitBranch":`, from.GitBranch)
	a.Some(`"agent":`, from.Agent)
	a.Some(`"ui":`, from.UI)
	a.B = append(a.B, '}')
}

func (a *Appender) prompt(p *PromptSettings) {
	if p == nil {
		return
	}
	a.Member(`"prompt":`)
	a.B = append(a.B, '{')
	a.Text(`"displayMode":`, p.DisplayMode)
	a.Text(`"singleSelectLayout":`, p.Layout)
	a.Some(`"toggleKey":`, p.ToggleKey)
	a.B = append(a.B, '}')
}
