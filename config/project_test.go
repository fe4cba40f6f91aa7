package config

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProjectBackgroundOnly(t *testing.T) {
	yes, no := true, false
	tests := []struct {
		text string
		want *bool
		bad  bool
	}{
		{`{"behaviour":{"backgroundOnly":true}}`, &yes, false},
		{`{"schemaVersion":5,"behaviour":{"backgroundOnly":false}}`, &no, false},
		{`{"behaviour":{}}`, nil, false},
		{`{"behaviour":7}`, nil, false},
		{`{}`, nil, false},
		{`{"behaviour":{"backgroundOnly":"yes"}}`, nil, true},
		{`[]`, nil, true},
		{`{`, nil, true},
	}
	for _, tt := range tests {
		path := writeFile(t, tt.text)
		got, err := ProjectBackgroundOnly(path)
		if d := cmp.Diff(tt.want, got); d != "" || (err != nil) != tt.bad {
			t.Errorf("%s: %s %v", tt.text, d, err)
		}
		if tt.bad && !strings.Contains(err.Error(), path) {
			t.Errorf("%v does not name the file", err)
		}
	}
}

func TestProjectBackgroundOnlyRoundTrip(t *testing.T) {
	path := ProjectSettingsPath(t.TempDir())
	yes := true
	if err := SetProjectBackgroundOnly(path, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was made to say nothing")
	}
	mustDo(t, SetProjectBackgroundOnly(path, &yes))
	if got, err := ProjectBackgroundOnly(path); err != nil || got == nil || !*got {
		t.Errorf("got %v, %v", got, err)
	}
	mustDo(t, SetProjectBackgroundOnly(path, nil))
	if d := cmp.Diff("{\n  \"schemaVersion\": 5,\n  \"behaviour\": {}\n}\n", readFile(t, path)); d != "" {
		t.Error(d)
	}
}

func TestProjectFileKeepsItsRest(t *testing.T) {
	path := writeFile(t, `{"z":1,"behaviour":{"b":2,"backgroundOnly":false,"a":3},"schemaVersion":5}`)
	yes := true
	mustDo(t, SetProjectBackgroundOnly(path, &yes))
	want := `{"z":1,"behaviour":{"b":2,"backgroundOnly":true,"a":3},"schemaVersion":5}`
	if got := strings.Join(strings.Fields(readFile(t, path)), ""); got != want {
		t.Errorf("got %s", got)
	}
}

func TestProjectFailures(t *testing.T) {
	yes := true
	var failed *SaveError
	if err := SetProjectBackgroundOnly(readOnlyPath(t), &yes); !errors.As(err, &failed) {
		t.Errorf("got %v", err)
	}
	if err := SetProjectBackgroundOnly(writeFile(t, "["), &yes); err == nil {
		t.Error("a file that is no object was written over")
	}
	if _, err := ProjectBackgroundOnly(t.TempDir()); err == nil {
		t.Error("a folder was read")
	}
}
