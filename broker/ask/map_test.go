package ask_test

import (
	"encoding/json"
	"testing"

	"askd/broker/ask"
)

func TestMapKeepsJavaScriptOrder(t *testing.T) {
	for in, want := range map[string]string{
		`{"b":1,"a":2,"b":3}`:                               `{"b":3,"a":2}`,
		`{"x":1,"10":2,"9":3,"09":4,"4294967295":5,"-1":6}`: `{"9":3,"10":2,"x":1,"09":4,"4294967295":5,"-1":6}`,
		`{}`:                    `{}`,
		`null`:                  `{}`,
		`{"<a>":1,"é\u2028":2}`: `{"<a>":1,"é` + "\u2028" + `":2}`,
	} {
		var m ask.Map[int]
		if err := json.Unmarshal([]byte(in), &m); err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got, err := ask.Stringify(m); err != nil || string(got) != want {
			t.Errorf("%s: got %s, want %s, err %v", in, got, want, err)
		}
	}
}

func TestMapRefusesOtherJSON(t *testing.T) {
	for _, in := range []string{`[]`, `7`, `{"a":"x"}`} {
		var m ask.Map[int]
		if err := json.Unmarshal([]byte(in), &m); err == nil {
			t.Errorf("%s was read as %v", in, m)
		}
	}
}

func TestMapZeroValue(t *testing.T) {
	var m ask.Map[int]
	if _, ok := m.Get("a"); ok || m.Len() != 0 || !m.IsZero() {
		t.Error("the zero value is not empty")
	}
	m.Set("a", 1)
	if v, ok := m.Get("a"); !ok || v != 1 || m.IsZero() {
		t.Error("set and get disagree")
	}
}
