package journal

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"askd/broker/ask"
)

func TestArgumentsKeepTheirBytes(t *testing.T) {
	r := request("s", "r")
	for _, arguments := range []string{"", `{}`, "{ \"a\" : 1,\n \"a\":\"<&>\\u00e9\" }", "not \xff json"} {
		r.Arguments = []byte(arguments)
		value, err := encodeRequest(r)
		must(t, err)
		var back ask.Request
		got, err := decodeRequest(value.Bytes(), &back)
		must(t, err)
		if string(got) != arguments {
			t.Errorf("got %q, want %q", got, arguments)
		}
		if bytes.Contains(value.Bytes(), []byte(`\u003c`)) {
			t.Error("the value holds HTML escapes")
		}
		releaseBuffer(value)
	}
}

// What is given out shares nothing with the buffers and pages it came from.
func TestDecodedRecordOwnsItsMemory(t *testing.T) {
	r := request("s", "r")
	value, err := encodeRequest(r)
	must(t, err)
	var back ask.Request
	arguments, err := decodeRequest(value.Bytes(), &back)
	must(t, err)
	back.Arguments = arguments
	clear(value.Bytes())
	if diff := cmp.Diff(r, &back, sameRecord); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestValuesOfEverySize(t *testing.T) {
	j := openTest(t, Options{})
	for n, size := range []int{0, smallChunk - 600, smallChunk, 3 * smallChunk, 4*smallChunk - 500, 4 * smallChunk, 2 * chunkSize, 3*chunkSize - 1, 300 << 10, 3 << 20} {
		r := requestOf("s", id(n), size)
		must(t, addRequest(t, j, r))
		must(t, addOutcome(t, j, outcome(r, "o", ask.Answered)))
		for _, settled := range []bool{false, true} {
			if settled {
				must(t, deliver(t, j, r.Key(), "o"))
			}
			rec := find(t, j, r.Key())
			if rec.Delivered != settled || rec.Request.Questions[0].Context != r.Questions[0].Context {
				t.Errorf("size %d, settled %v: came back otherwise", size, settled)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	r := request("s", "r")
	for _, encode := range []func() (*bytes.Buffer, error){
		func() (*bytes.Buffer, error) { return encodeRequest(r) },
		func() (*bytes.Buffer, error) { return encodeValue(outcome(r, "o", ask.Answered)) },
		func() (*bytes.Buffer, error) { return encodeValue(draft("x")) },
	} {
		value, err := encode()
		must(f, err)
		f.Add(bytes.Clone(value.Bytes()))
	}
	f.Add([]byte{1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzRequest(t, data)
		fuzzValue[ask.Outcome](t, data)
		fuzzValue[ask.Draft](t, data)
	})
}

// fuzzRequest: what decodes, encodes and decodes again to the same; what does not, says why in our words.
func fuzzRequest(t *testing.T, data []byte) {
	var first, second ask.Request
	arguments, err := decodeRequest(data, &first)
	if err != nil {
		known(t, err)
		return
	}
	first.Arguments = arguments
	value, err := encodeRequest(&first)
	must(t, err)
	arguments, err = decodeRequest(value.Bytes(), &second)
	must(t, err)
	second.Arguments = arguments
	if diff := cmp.Diff(first, second, sameRecord); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
}

func fuzzValue[T any](t *testing.T, data []byte) {
	var first, second T
	if err := decodeValue(data, &first); err != nil {
		known(t, err)
		return
	}
	value, err := encodeValue(first)
	if err != nil {
		return // a time outside the years of RFC 3339
	}
	must(t, decodeValue(value.Bytes(), &second))
	if diff := cmp.Diff(first, second, sameRecord); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
}

func known(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNewerFormat) {
		t.Errorf("got %v", err)
	}
}
