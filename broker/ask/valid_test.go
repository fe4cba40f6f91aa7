package ask

import (
	"encoding/json"
	"strings"
	"testing"
)

// documents are where JSON's grammar has its corners, valid and not.
var documents = []string{
	``, ` `, `{}`, `[]`, ` { } `, `[ ]`, `{"a":1}`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{a:1}`, `[1,]`, `[,1]`, `[1 2]`, `[1]]`, `[`, `{`, `{"a":1`,
	`"a"`, `"`, `"\"`, `"\\"`, `"\u12"`, `"\u12aF"`, `"\ud800"`, `"\x"`, "\"\n\"", "\"\xff\"", "\"\x7f\"", `"a" "b"`,
	`0`, `-0`, `-`, `01`, `1.`, `.5`, `1.5`, `1e`, `1e+`, `1E-9`, `1.5e10`, `+1`, `0x1`, `1a`, `--1`, `00`, `-01`,
	`true`, `tru`, `truex`, `false`, `null`, `nul`, `True`, "\uFEFF{}", "\v1", "{}\x00", "[1]\t\r\n",
}

func TestValidJSON(t *testing.T) {
	for depth := maxDepth - 1; depth <= maxDepth+1; depth++ {
		documents := append(documents,
			strings.Repeat("[", depth)+strings.Repeat("]", depth),
			strings.Repeat(`{"a":`, depth)+"1"+strings.Repeat("}", depth))
		for _, d := range documents {
			if got, want := validJSON([]byte(d)), json.Valid([]byte(d)); got != want {
				t.Errorf("%.40q: %v, want %v", d, got, want)
			}
		}
	}
}

func FuzzValidJSON(f *testing.F) {
	for _, d := range documents {
		f.Add([]byte(d))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, want := validJSON(data), json.Valid(data); got != want {
			t.Fatalf("%q: %v, want %v", data, got, want)
		}
	})
}
