package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"askd/broker"
	"askd/broker/client"
)

var testNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// canned answers every call with JSON text, or with an error.
type canned struct {
	result string
	err    error
}

func (c canned) Call(_ context.Context, _ string, _, result any) error {
	if c.err != nil {
		return c.err
	}
	return json.Unmarshal([]byte(c.result), result)
}

func (canned) Close() error          { return nil }
func (canned) Done() <-chan struct{} { return nil }

// runWith runs a command line against a canned askd.
func runWith(c canned, dialError error, width int, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	a := &app{
		in:     &input{r: strings.NewReader("")},
		out:    &output{w: &out, width: width},
		errors: &output{w: &errs},
		getenv: func(string) string { return "" },
		home:   "/home/somebody",
		spawn:  func(_ string, f func()) { go f() },
		now:    func() time.Time { return testNow },
		dial:   func(context.Context, string, func(string, json.RawMessage)) (caller, error) { return c, dialError },
	}
	code = a.run(context.Background(), args)
	return code, out.String(), errs.String()
}

func TestExitCodes(t *testing.T) {
	for _, row := range []struct {
		name string
		c    canned
		dial error
		args []string
		code int
		says string
	}{
		{"done", canned{result: `{"requests":[]}`}, nil, []string{"queue"}, exitOK, ""},
		{"refused", canned{err: errors.New("the disk is full: free some space")}, nil, []string{"queue"}, exitFailed, "askctl: the disk is full: free some space"},
		{"not understood", canned{result: `{"requests":7}`}, nil, []string{"queue"}, exitFailed, "update it"},
		{"usage", canned{}, nil, []string{"queue", "-x"}, exitUsage, "askctl queue --help"},
		{"a file that is no flag", canned{}, nil, []string{"check", "copy.db"}, exitUsage, "the data file is named with --data"},
		{"no askd", canned{}, fmt.Errorf("%w (socket x)", client.ErrNotRunning), []string{"queue"}, exitNoDaemon, "start it"},
		{"silent askd", canned{err: context.DeadlineExceeded}, nil, []string{"status"}, exitNoDaemon, "does not answer"},
		{"silent at the door", canned{}, fmt.Errorf("initialize: %w", context.DeadlineExceeded), []string{"status"}, exitNoDaemon, "does not answer"},
		{"askd stops meanwhile", canned{}, fmt.Errorf("initialize: %w", client.ErrConnection), []string{"status"}, exitNoDaemon, "start it again"},
		{"hostile fault", canned{err: errors.New("\x1b[2Jcleared")}, nil, []string{"queue"}, exitFailed, "cleared"},
	} {
		t.Run(row.name, func(t *testing.T) {
			code, _, stderr := runWith(row.c, row.dial, 0, row.args...)
			if code != row.code || !strings.Contains(stderr, row.says) {
				t.Errorf("code %d, want %d; said %q, want %q in it", code, row.code, stderr, row.says)
			}
			if strings.Contains(stderr, "\x1b") {
				t.Errorf("the fault reached the terminal raw: %q", stderr)
			}
		})
	}
}

// TestMarks: marks and order are those of the pane's inbox, and a terminal gets the marks in words.
func TestMarks(t *testing.T) {
	result := `{"requests":[
		{"requestId":"a","session":"s","status":"waiting","position":1,"createdAt":"2026-03-01T11:59:00Z","labels":["L"],"askerOnline":true,"standsStill":true},
		{"requestId":"b","session":"s","status":"waiting","background":true,"position":2,"createdAt":"2026-03-01T09:00:00Z","labels":["L"],"askerOnline":true},
		{"requestId":"f","session":"s","status":"waiting","position":6,"createdAt":"2026-03-01T11:59:00Z","labels":["L"],"askerOnline":false},
		{"requestId":"c","session":"s","status":"deferred","background":true,"position":3,"createdAt":"2026-02-20T12:00:00Z","title":"T","labels":["L","M"],"askerOnline":true},
		{"requestId":"d","session":"s","status":"interrupted","position":4,"createdAt":"2026-03-01T12:00:00Z","title":"T","askerOnline":false},
		{"requestId":"e","session":"s","sessionName":"n","host":"h","status":"parked","createdAt":"2026-03-01T12:00:05Z","askerOnline":false}]}`
	want := `#     SESSION           AGE  FORM      REQUEST
1  ●  s                  1m  L         a
2  ○  s                  3h  L         b
6  ○  s (asker gone)     1m  L         f
4  ○  s (asker gone)     0s  T         d
3  ⏸  s                  9d  T: L · M  c
-  ◌  n@h (asker gone)   0s            e
`
	if _, stdout, _ := runWith(canned{result: result}, nil, 0, "queue", "--all"); stdout != want {
		t.Errorf("got\n%swant\n%s", stdout, want)
	}
	_, stdout, _ := runWith(canned{result: result}, nil, 100, "queue")
	for _, m := range marks {
		if !strings.Contains(stdout, m.mark+" "+m.words) {
			t.Errorf("%q is not explained:\n%s", m.mark, stdout)
		}
	}
}

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0s", 59 * time.Second: "59s", time.Minute: "1m", 59 * time.Minute: "59m",
		time.Hour: "1h", 47 * time.Hour: "47h", 48 * time.Hour: "2d", 400 * 24 * time.Hour: "400d",
	} {
		if got := age(d); got != want {
			t.Errorf("age(%s) = %q, want %q", d, got, want)
		}
	}
}

func TestStatusTable(t *testing.T) {
	result := `{"version":"0.9","pid":42,"startedAt":"2026-03-01T10:00:00Z","socket":"/run/askd.sock","dataFile":"/var/askd.db",
		"pane":{"attached":true,"columns":120,"rows":40},
		"sessions":[{"id":"s1","name":"","ui":"cli","role":"secondary","pending":2,"cwd":"/src\u001b[2J"}],
		"counts":{"pending":3,"deferred":1,"undelivered":2,"records":10},
		"dataBytes":3145728,"clients":{"connected":4,"cutOff":2},
		"latency":{"accepted":{"count":9,"medianMs":1.25,"p95Ms":20.04,"maxMs":1500},"delivered":{"count":0}}}`
	code, stdout, stderr := runWith(canned{result: result}, nil, 0, "status")
	if code != exitOK || stderr != "" {
		t.Fatalf("code %d, said %q", code, stderr)
	}
	for _, part := range []string{
		"ASKD         0.9\n", "120 columns, 40 rows\n", "pending      3, 1 of them deferred by the person\n", "2h ago\n",
		"data file    /var/askd.db, 3 MiB\n", "connections  4; 2 cut off because the client did not read\n",
		"accepted     after 1.25 ms at the median, 20.0 ms for 95 of 100, 1.5 s at worst\n", "delivered    no answer yet\n",
		"s1       cli    secondary        2  /src",
	} {
		if !strings.Contains(stdout, part) {
			t.Errorf("%q is not in\n%s", part, stdout)
		}
	}
	if strings.Contains(stdout, "\x1b") {
		t.Errorf("a session's folder reached the terminal raw: %q", stdout)
	}
	_, _, stderr = runWith(canned{result: result}, nil, 0, "status", "--data", "/elsewhere.db")
	if !strings.Contains(stderr, "/elsewhere.db") {
		t.Errorf("another data file was not pointed out: %q", stderr)
	}
}

func TestPaneText(t *testing.T) {
	if got := paneText(broker.Pane{}); !strings.HasPrefix(got, "none") {
		t.Errorf("without a pane: %q", got)
	}
}
