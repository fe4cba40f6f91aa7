package config

import (
	"encoding/json"
	"os"
	"testing"
)

// vector is one row of the checked values in testdata.
type vector struct {
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
	Want  json.RawMessage `json:"expect"`
}

// readVectors gives the rows with this target.
func readVectors(t *testing.T, file, target string) []vector {
	t.Helper()
	var all, rows []vector
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	unmarshal(t, data, &all)
	for _, v := range all {
		var in struct{ Target string }
		unmarshal(t, v.Input, &in)
		if in.Target == target {
			rows = append(rows, v)
		}
	}
	if len(rows) == 0 {
		t.Fatalf("no rows for %s", target)
	}
	return rows
}

func unmarshal(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
}
