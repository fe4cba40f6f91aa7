package broker_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/ask"
)

// appending is what writes itself.
type appending interface {
	AppendJSON(b []byte) (out []byte, ok bool)
}

// TestAppendJSON: what is written by hand is what json.Marshal writes, whatever is set and whatever is not.
func TestAppendJSON(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	never := time.Unix(1<<50, 0)
	odd := "<a> \"b\"\n\u2028\xff"
	values := []appending{
		broker.Accepted{},
		broker.Accepted{Session: odd, Epoch: -1, RequestID: odd, ToolCallID: odd, Background: true, Position: 2, PendingRequests: 3, Deadline: &at, QuietUntil: &at},
		broker.Accepted{Deadline: &never},
		broker.Started{},
		broker.Started{
			Version: 1, FlowID: odd, ToolCallID: odd, Source: odd, Title: odd, CreatedAt: 1 << 60,
			Questions: []ask.Question{{ID: odd, Context: odd, Options: []ask.Option{{Value: odd}}}},
		},
		broker.SessionState{},
		broker.SessionState{Session: odd, Epoch: 1, Pending: 2, PendingRequestIDs: []string{}, PanelVisible: true, Hidden: true, Waiting: 3, Foreground: 4, QuietUntil: &at},
		broker.SessionState{PendingRequestIDs: []string{odd, "b"}},
	}
	whole := map[reflect.Type]bool{}
	for _, v := range values {
		want, err := json.Marshal(v)
		got, ok := v.AppendJSON([]byte("x"))
		if ok != (err == nil) || ok && string(got) != "x"+string(want) {
			t.Errorf("got %s, %v\nwant %s, %v", got, ok, want, err)
		}
		whole[reflect.TypeOf(v)] = whole[reflect.TypeOf(v)] || filled(reflect.ValueOf(v))
	}
	for kind, ok := range whole {
		if !ok {
			t.Errorf("%v: no case has all members", kind)
		}
	}
}

// filled reports whether no field of a struct is empty.
func filled(v reflect.Value) bool {
	for _, field := range v.Fields() {
		if field.IsZero() {
			return false
		}
	}
	return true
}
