package ask

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

type exactInner struct {
	A string `json:"a"`
	B string `json:"b"`
}

type exactBase struct {
	Base string `json:"base"`
}

type exactOuter struct {
	exactBase
	Session string                `json:"session"`
	Inner   exactInner            `json:"inner"`
	Pointer *exactInner           `json:"pointer"`
	List    []exactInner          `json:"list"`
	Map     map[string]exactInner `json:"map"`
	Raw     json.RawMessage       `json:"raw"`
	Time    time.Time             `json:"time"`
	Plain   int
	Hidden  string `json:"-"`
}

// Members are what they are called: another case is another member, and of two of one name the last counts alone.
func TestUnmarshalExactly(t *testing.T) {
	for _, c := range []struct{ raw, same string }{
		{`{"session":"a"}`, `{"session":"a"}`},
		{`{"Session":5,"session":"a","SESSION":[]}`, `{"session":"a"}`},
		{`{"\u0073ession":"a","ſession":5}`, `{"session":"a"}`},
		{`{"session":5,"session":"a"}`, `{"session":"a"}`},
		{`{"session":"a","more":{"session":5},"inner":{"A":5,"a":"x"}}`, `{"session":"a","inner":{"a":"x"}}`},
		{`{"inner":{"a":"x"},"inner":{"b":"y"}}`, `{"inner":{"b":"y"}}`},
		{`{"inner":{"a":"x"},"inner":null}`, `{"inner":null}`},
		{`{"pointer":{"a":"x"},"pointer":{"b":"y","B":"z"}}`, `{"pointer":{"b":"y"}}`},
		{`{"list":[{"a":"x","A":5},null,{"b":"y"}]}`, `{"list":[{"a":"x"},null,{"b":"y"}]}`},
		{`{"list":[{"a":"x"},{"a":"x"}],"list":[{"b":"y"}]}`, `{"list":[{"b":"y"}]}`},
		{`{"map":{"K":{"a":"x","A":5},"k":{"b":"y"}}}`, `{"map":{"K":{"a":"x"},"k":{"b":"y"}}}`},
		{`{"raw":{"A":1,"a":2,"a":3},"Raw":0}`, `{"raw":{"A":1,"a":2,"a":3}}`},
		{`{"Base":5,"base":"b","plain":5,"Plain":6,"Hidden":"h","time":"2026-01-31T00:00:00Z"}`, `{"base":"b","Plain":6,"time":"2026-01-31T00:00:00Z"}`},
		{`null`, `null`},
	} {
		var got, want exactOuter
		if err := UnmarshalExactly([]byte(c.raw), &got); err != nil {
			t.Errorf("%s: %v", c.raw, err)
			continue
		}
		if err := json.Unmarshal([]byte(c.same), &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", c.raw, got, want)
		}
	}
}

func TestUnmarshalExactlyRefusesAsEver(t *testing.T) {
	for _, raw := range []string{`{"session":5}`, `{"Session":"a","session":5}`, `{"inner":{"a":5,"A":"x"}}`, `[]`, `5`, `{`, `{"session":"a"}x`, ``} {
		var v exactOuter
		if err := UnmarshalExactly([]byte(raw), &v); err == nil {
			t.Errorf("%s was taken: %+v", raw, v)
		}
	}
}

// What is as it should be is read as it came, whatever else stands beside it.
func TestExactKeepsItsSource(t *testing.T) {
	raw := []byte(`{ "session" : "a", "list":[ {"a":"x"} ], "more": [1] }`)
	if got := exact(raw, reflect.TypeFor[exactOuter]()); &got[0] != &raw[0] || len(got) != len(raw) {
		t.Errorf("it was written anew: %s", got)
	}
	if n := strings.Count(string(exact([]byte(`{"session":"a","session":"b","x":1,"x":2}`), reflect.TypeFor[exactOuter]())), `"x"`); n != 2 {
		t.Errorf("%d members of no name of ours", n)
	}
}
