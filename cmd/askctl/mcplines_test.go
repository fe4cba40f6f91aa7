package main

import (
	"io"
	"strings"
	"testing"

	"askd/config"
)

// TestMCPLines: what is no message is answered and left out, and what comes after it is read.
func TestMCPLines(t *testing.T) {
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
	for name, tt := range map[string]struct{ in, out, refused string }{
		"messages":         {ping + ping, ping + ping, ""},
		"not JSON":         {"garbage\n" + ping, ping, `"code":-32700`},
		"no message":       {`{"method":"ping"}` + "\n" + ping, ping, `"code":-32600`},
		"a number":         {"7\n" + ping, ping, `"code":-32600`},
		"blank lines":      {"\n \r\n" + ping, ping, ""},
		"an unended line":  {strings.TrimSuffix(ping, "\n"), ping, ""},
		"a batch":          {"[" + strings.TrimSuffix(ping, "\n") + "]\n", "[" + strings.TrimSuffix(ping, "\n") + "]\n", ""},
		"one line too big": {`"` + strings.Repeat("x", config.MaxLineIn) + "\"\n" + ping, ping, "message too large (limit 8 MiB)"},
	} {
		t.Run(name, func(t *testing.T) {
			var refused strings.Builder
			got, err := io.ReadAll(newMCPLines(strings.NewReader(tt.in), &refused))
			if err != nil || string(got) != tt.out {
				t.Errorf("passed on %.200q, %v, want %.200q", got, err, tt.out)
			}
			if tt.refused == "" && refused.Len() > 0 || !strings.Contains(refused.String(), tt.refused) {
				t.Errorf("answered %q, want %q", refused.String(), tt.refused)
			}
		})
	}
}
