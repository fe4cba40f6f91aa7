package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"askd/broker/ask"
)

func deltaOf(t *testing.T, text, source string) []byte {
	t.Helper()
	delta := appendDelta([]byte("x"), []byte(text), []byte(source))[1:]
	var back bytes.Buffer
	back.WriteString("y")
	if !applyDelta(&back, delta, []byte(source)) || back.String() != "y"+text {
		t.Errorf("%q of %q: came back as %q", text, source, back.String())
	}
	return delta
}

// TestDelta: what a form has in common with its arguments is not stored again, wherever it stands and however it is cut.
func TestDelta(t *testing.T) {
	long, other := strings.Repeat("a long text, ", 40), strings.Repeat("and another; ", 40)
	for name, tt := range map[string]struct {
		text, source string
		most         int // bytes of the delta
	}{
		"nothing":          {"", "", 0},
		"no source":        {`{"a":"b"}`, "", 10},
		"no text":          {"", long, 0},
		"same":             {`{"a":"` + long + `"}`, `{"a":"` + long + `"}`, 4},
		"other frame":      {`{"context":"` + long + `","type":"single"}`, `{ "context" : "` + long + `" }`, 40},
		"other order":      {`{"a":"` + long + `","b":"` + other + `"}`, `{"b":"` + other + `","a":"` + long + `"}`, 20},
		"trimmed":          {`{"a":"` + long + `"}`, `{"a":"  \n` + long + `  "}`, 20},
		"twice":            {`{"a":"` + long + `","b":"` + long + `"}`, `["` + long + `"]`, 25},
		"a word differs":   {`{"a":"` + long + "<" + other + `"}`, `{"a":"` + long + `\u003c` + other + `"}`, 30},
		"one from a file":  {`{"a":"` + other + `"}`, `{"a":"/tmp/file"}`, 530},
		"short":            {`{"a":"b"}`, `{"a":"b"}`, 10},
		"escapes":          {`{"a":"\\\"` + long + `\\"}`, `{"a":"\\\"` + long + `\\"}`, 4},
		"text is no JSON":  {`"` + long, long, 6},
		"quotes are wrong": {long + `"` + long + `""` + long, long + `"` + long, 600},
	} {
		if n := len(deltaOf(t, tt.text, tt.source)); n > tt.most {
			t.Errorf("%s: %d bytes, want %d", name, n, tt.most)
		}
	}
}

// TestDeltaIsBounded: many texts that are nowhere in large arguments are not looked for one by one.
func TestDeltaIsBounded(t *testing.T) {
	source := bytes.Repeat([]byte("b"), 1<<20)
	m := matcher{source: source, budget: scanShare * len(source)}
	looked := 0
	for m.budget > 0 && looked < 1000 {
		m.find([]byte("no text of twenty-four b"))
		looked++
	}
	if looked > 2*scanShare {
		t.Errorf("looked %d times", looked)
	}
}

// TestDamagedDelta: a delta that leads out of its source, or blows up, is damage and no panic.
func TestDamagedDelta(t *testing.T) {
	for _, tail := range [][]byte{
		{0, 5, 0}, {0, 1, 3}, {0, 0xff}, {0, 1, 0xff}, {4, 'a'}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, {0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0},
	} {
		var r ask.Request
		if _, err := decodeRequest(append([]byte{requestVersion, 2, '{', '}'}, tail...), &r); !errors.Is(err, ErrDamaged) {
			t.Errorf("%v: %v", tail, err)
		}
	}
	blowUp := append([]byte{requestVersion}, 0x80, 0x80, 4) // 64 KiB of arguments
	blowUp = append(blowUp, make([]byte, 64<<10)...)
	for range 4000 {
		blowUp = append(blowUp, 0, 0x80, 0x80, 4, 0)
	}
	var r ask.Request
	if _, err := decodeRequest(blowUp, &r); !errors.Is(err, ErrDamaged) {
		t.Errorf("what blows up: %v", err)
	}
}

// TestRequestOfEarlierFormat: a form that stands whole beside its arguments reads as it did.
func TestRequestOfEarlierFormat(t *testing.T) {
	r := request("s", "r")
	rest := *r
	rest.Arguments = nil
	form, err := json.Marshal(&rest)
	must(t, err)
	old := append([]byte{1, byte(len(r.Arguments))}, r.Arguments...)
	old = append(append(old, form...), '\n')
	var back ask.Request
	back.Arguments, err = decodeRequest(old, &back)
	must(t, err)
	if diff := cmp.Diff(r, &back, sameRecord); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzDelta(f *testing.F) {
	f.Add([]byte(`{"questions":[{"prompt":"Which of these two ways is better?"}]}`), []byte(`{"id":"1","questions":[{"prompt":"Which of these two ways is better?"}]}`))
	f.Add([]byte{0, 5, 0, 3, 'a', 'b', 'c'}, []byte("a source"))
	f.Fuzz(func(t *testing.T, text, source []byte) {
		deltaOf(t, string(text), string(source))
		var b bytes.Buffer
		if !applyDelta(&b, text, source) && b.Len() > 0 {
			t.Error("half of a delta was taken")
		}
	})
}
