package ask_test

import (
	"encoding/json"
	"maps"
	"strconv"
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

// TestMapOfManyKeys: few keys and many are found and repeated alike.
func TestMapOfManyKeys(t *testing.T) {
	for n := range 40 {
		var m ask.Map[int]
		want := map[string]int{}
		for _, round := range []int{0, 1000} {
			for i := range n {
				key := "k" + strconv.Itoa(i*7%n)
				m.Set(key, round+i)
				want[key] = round + i
			}
		}
		got := maps.Collect(m.All())
		if m.Len() != len(want) || !maps.Equal(got, want) {
			t.Errorf("%d keys: got %v, want %v", n, got, want)
		}
		for key, value := range want {
			if v, ok := m.Get(key); !ok || v != value {
				t.Errorf("%d keys: %s is %d, %v", n, key, v, ok)
			}
		}
		if _, ok := m.Get("none"); ok {
			t.Errorf("%d keys: found what is not there", n)
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
