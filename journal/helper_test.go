package journal

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

// store is what the broker asks of a journal, repeated here so that this package does not depend on the broker.
type store interface {
	AppendRequest(r *ask.Request, done func(error))
	AppendOutcome(o *ask.Outcome, done func(error))
	AppendDelivered(k ask.Key, outcomeID string, done func(error))
	AppendReopened(k ask.Key, done func(error))
	SaveDraft(k ask.Key, d *ask.Draft, done func(error))
	Live() ([]ask.Record, error)
	Find(k ask.Key) (rec ask.Record, ok bool, err error)
	Records() int
}

var _ store = (*Journal)(nil)

var day = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// openTest opens a journal that is closed and checked for consistency when the test ends.
func openTest(tb testing.TB, o Options) *Journal {
	tb.Helper()
	if o.Path == "" {
		o.Path = filepath.Join(memoryDir(tb), "askd.db")
	}
	j, err := Open(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := j.Close(); err != nil {
			tb.Error(err)
		}
		checkFile(tb, o.Path)
	})
	return j
}

// memoryDir is a folder for files whose test is not about the disk: in memory where there is room, since waiting for a busy
// disk took half of the time of all tests. What a killed process wrote is as safe there as on a disk; only a machine that
// dies makes a difference, and no test can have that. Benchmarks are about the disk.
func memoryDir(tb testing.TB) string {
	tb.Helper()
	_, bench := tb.(*testing.B)
	dir := ""
	if !bench {
		dir = makeMemoryDir()
	}
	if dir == "" {
		return tb.TempDir()
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// blockFile is a copy of a file with a little more than a block of settled records, which takes a while to write: the tests
// of the index share it.
func blockFile(t *testing.T) string {
	t.Helper()
	fillBlock.Do(func() {
		path := filepath.Join(memoryDir(t), "block.db")
		fill(t, path, blockRecords+300)
		data, err := os.ReadFile(path)
		must(t, err)
		block = data
	})
	path := filepath.Join(memoryDir(t), "askd.db")
	must(t, os.WriteFile(path, block, 0o600))
	return path
}

var (
	fillBlock sync.Once
	block     []byte
)

// checkFile runs bbolt's own consistency check.
func checkFile(tb testing.TB, path string) {
	tb.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: time.Second, PreLoadFreelist: true})
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	err = db.View(func(tx *bbolt.Tx) error {
		for err := range tx.Check() {
			tb.Error(err)
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
}

func request(session, id string) *ask.Request {
	recommended := false
	return &ask.Request{
		ID: id, Session: session, Tool: ask.ToolAskUser, ToolCallID: "call-" + id, Background: true, Title: "Title <" + id + ">",
		Questions: []ask.Question{{
			ID: "db", Label: "Q1", Prompt: "Which database for " + id + "?", Type: ask.Single,
			Options: []ask.Option{
				{Value: "pg", Label: "Postgres", Recommended: &recommended},
				{Value: "lite", Label: "SQLite"},
			},
		}},
		Arguments: json.RawMessage(`{ "questions" : [ "<` + id + `>" ] }`),
		CreatedAt: day,
		Asker:     ask.Asker{SessionName: "s", Cwd: "/src"},
	}
}

// requestOf is a request whose context makes it about size bytes; it stands in the arguments as well, with others around it.
func requestOf(session, id string, size int) *ask.Request {
	r := request(session, id)
	r.Questions[0].Context = strings.Repeat("context ", size/8+1)[:size]
	r.Arguments = json.RawMessage(`{ "questions" : [ { "context" : "` + r.Questions[0].Context + `\u0020" } ] }`)
	return r
}

func outcome(r *ask.Request, id string, kind ask.OutcomeKind) *ask.Outcome {
	o := &ask.Outcome{ID: id, RequestID: r.ID, Session: r.Session, Kind: kind, Via: ask.ViaPane, StoredAt: day}
	var answers ask.Map[ask.Answer]
	answers.Set("db", ask.Answer{Values: []string{"pg"}, Labels: []string{"Postgres"}, Indices: []int{1}, Note: "<fast>"})
	o.Result = &ask.Result{Questions: []ask.ResultQuestion{{ID: "db", Label: "Q1", Prompt: "p", Type: ask.Single}}, Answers: answers}
	return o
}

func draft(text string) *ask.Draft {
	return &ask.Draft{Tab: 1, Questions: []ask.QuestionDraft{{ID: "db", CustomText: text}}, SavedAt: day}
}

// wait calls f with a done and waits for it.
func wait(tb testing.TB, f func(done func(error))) error {
	tb.Helper()
	got := make(chan error, 1)
	f(func(err error) { got <- err })
	return waitFor(tb, got)
}

func waitFor[T any](tb testing.TB, c <-chan T) T {
	tb.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(20 * time.Second):
		tb.Fatal("no answer within 20 s")
		panic("unreachable")
	}
}

func addRequest(tb testing.TB, j *Journal, r *ask.Request) error {
	tb.Helper()
	return wait(tb, func(done func(error)) { j.AppendRequest(r, done) })
}

func addOutcome(tb testing.TB, j *Journal, o *ask.Outcome) error {
	tb.Helper()
	return wait(tb, func(done func(error)) { j.AppendOutcome(o, done) })
}

func deliver(tb testing.TB, j *Journal, k ask.Key, id string) error {
	tb.Helper()
	return wait(tb, func(done func(error)) { j.AppendDelivered(k, id, done) })
}

func reopen(tb testing.TB, j *Journal, k ask.Key) error {
	tb.Helper()
	return wait(tb, func(done func(error)) { j.AppendReopened(k, done) })
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func find(tb testing.TB, j *Journal, k ask.Key) ask.Record {
	tb.Helper()
	rec, ok, err := j.Find(k)
	must(tb, err)
	if !ok {
		tb.Fatalf("%v is not stored", k)
	}
	return rec
}

// settle takes a request all the way into the history.
func settle(tb testing.TB, j *Journal, r *ask.Request) {
	tb.Helper()
	must(tb, addRequest(tb, j, r))
	must(tb, addOutcome(tb, j, outcome(r, "o-"+r.ID, ask.Answered)))
	must(tb, deliver(tb, j, r.Key(), "o-"+r.ID))
}

func id(n int) string { return fmt.Sprintf("%08d-0000-4000-8000-000000000000", n) }

// blocks is the number of blocks that the search index has.
func (j *Journal) blocks(tb testing.TB) (n uint64) {
	must(tb, j.view(tb.Context(), func(tx *bbolt.Tx) error {
		n = tx.Bucket(bucketSearch).Sequence()
		return nil
	}))
	return n
}
