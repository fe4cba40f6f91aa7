package journal

import (
	"bufio"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

func startChild(t *testing.T, args string) *child {
	t.Helper()
	c := &child{cmd: exec.Command(os.Args[0]), lines: make(chan string, 1<<16)}
	c.cmd.Env = append(os.Environ(), "JOURNAL_TEST_CHILD="+args)
	c.cmd.Stderr = os.Stderr
	_, err := c.cmd.StdinPipe()
	must(t, err)
	out, err := c.cmd.StdoutPipe()
	must(t, err)
	must(t, c.cmd.Start())
	go func() {
		defer close(c.lines)
		r := bufio.NewReader(out)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return // half a line was not told
			}
			c.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	return c
}

func (c *child) line(t *testing.T) string {
	t.Helper()
	return waitFor(t, c.lines)
}

// kill ends the child at once, without giving it a chance, and gives the lines not yet read.
func (c *child) kill(t *testing.T) (rest []string) {
	t.Helper()
	_ = c.cmd.Process.Kill()
	for line := range c.lines {
		rest = append(rest, line)
	}
	_ = c.cmd.Wait()
	return rest
}

// TestNothingPromisedIsLost kills a process that writes without pause, again and again over the same file: at a random
// moment, or at one of the named steps. What it reported as done must be there afterwards, and nothing twice. Each step has
// one round, before and after the transaction, and there are as many random moments: a second round at the same step meets
// the same state with other records, so that it takes ASKD_CRASH_ROUNDS to have more.
func TestNothingPromisedIsLost(t *testing.T) {
	t.Parallel()
	path := filepath.Join(memoryDir(t), "askd.db")
	rng := rand.New(rand.NewPCG(1, 2))
	var steps []string
	for _, step := range opSteps[:opIndex] {
		steps = append(steps, step, "before-"+step)
	}
	all := promises{}
	for round := range max(2*len(steps), crashRounds(t, 0)) {
		p := promises{}
		step := "none"
		if round%2 == 0 {
			step = steps[round/2%len(steps)]
		}
		c := startChild(t, fmt.Sprintf("work %d %s %d %s", round, step, 1+rng.IntN(20), path))
		if step == "none" {
			for range rng.IntN(60) {
				p.note(t, c.line(t))
			}
		} else {
			must(t, awaitEnd(t, c, p))
		}
		for _, line := range c.kill(t) {
			p.note(t, line)
		}
		p.check(t, path)
		if t.Failed() {
			t.Fatalf("round %d, step %s", round, step)
		}
		maps.Copy(all, p)
	}
	all.check(t, path)
	t.Logf("%d promises kept", len(all))
}

// awaitEnd reads until the child has died at its failpoint.
func awaitEnd(t *testing.T, c *child, p promises) error {
	deadline := time.After(30 * time.Second)
	for {
		select {
		case line, ok := <-c.lines:
			if !ok {
				return nil
			}
			p.note(t, line)
		case <-deadline:
			c.kill(t)
			return fmt.Errorf("child outlived its failpoint")
		}
	}
}

// promises holds what was reported as done: "request s/r" -> "", "outcome s/r" -> id, "delivered s/r" -> id.
type promises map[string]string

func (p promises) note(t *testing.T, line string) {
	t.Helper()
	f := strings.Fields(line)
	if len(f) != 4 {
		t.Fatalf("child says %q", line)
	}
	p[f[0]+" "+f[1]+" "+f[2]] = f[3]
}

func (p promises) check(t *testing.T, path string) {
	t.Helper()
	checkFile(t, path)
	j, err := Open(Options{Path: path})
	must(t, err)
	defer j.Close()
	for promise, id := range p {
		f := strings.Fields(promise)
		rec, ok, err := j.Find(ask.Key{Session: f[1], Request: f[2]})
		must(t, err)
		if !ok || !kept[f[0]](rec, id) {
			t.Errorf("%s %s is lost: %+v", promise, id, rec)
		}
	}
	checkOnce(t, j)
}

// kept says of each promise whether a record keeps it. A record may have been opened again without a word of it: the child
// died first.
var kept = map[string]func(rec ask.Record, id string) bool{
	"request": func(ask.Record, string) bool { return true },
	"outcome": func(rec ask.Record, id string) bool { return hasOutcome(rec, id) && hasImages(rec) },
	"delivered": func(rec ask.Record, id string) bool {
		return hasOutcome(rec, id) && hasImages(rec) && (rec.Delivered || rec.Outcome == nil)
	},
	"reopened": func(rec ask.Record, _ string) bool { return rec.Outcome == nil && !rec.Delivered },
}

func hasOutcome(rec ask.Record, id string) bool {
	outcomes := rec.Earlier
	if rec.Outcome != nil {
		outcomes = append(outcomes, rec.Outcome)
	}
	return slices.ContainsFunc(outcomes, func(o *ask.Outcome) bool { return o.ID == id })
}

// pictures are the images of an outcome that the child writes; all its sessions share a few.
func pictures(outcome string) []ask.Image {
	n, _ := strconv.Atoi(strings.TrimPrefix(outcome, "o"))
	return []ask.Image{shared[n%4], shared[4+n%2]}[:n%3]
}

var shared = [...]ask.Image{photo(1, 1000), photo(2, 1000), photo(3, 1000), photo(4, 1000), photo(5, 5000), photo(6, 5000)}

// hasImages reports whether every outcome still has its images.
func hasImages(rec ask.Record) bool {
	outcomes := rec.Earlier
	if rec.Outcome != nil {
		outcomes = append(outcomes, rec.Outcome)
	}
	return !slices.ContainsFunc(outcomes, func(o *ask.Outcome) bool {
		a, _ := o.Result.Answers.Get("db")
		return !slices.Equal(a.CustomImages, pictures(o.ID))
	})
}

// checkOnce sees that every request stands in one place, once, and that the counts agree.
func checkOnce(t *testing.T, j *Journal) {
	t.Helper()
	seen := map[ask.Key]int{}
	history := 0
	must(t, j.db.View(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{bucketLive, bucketHistory} {
			err := eachValue(tx.Bucket(name), func(_ uint64, k kind, value []byte) error {
				var head requestHead
				if k != kindRequest {
					return nil
				}
				_, err := decodeRequest(value, &head)
				seen[ask.Key{Session: head.Session, Request: head.ID}]++
				return err
			})
			if err != nil {
				return err
			}
		}
		history = tx.Bucket(bucketIndex).Stats().KeyN
		images := tx.Bucket(bucketImages)
		return eachImage(images, func(d digest) error { return wholeImage(images, d) })
	}))
	for k, n := range seen {
		if n != 1 {
			t.Errorf("%v is stored %d times", k, n)
		}
	}
	if j.Records() != len(seen) || history+j.Stats().Live != len(seen) {
		t.Errorf("%d requests, counted %d, %d in the index, %d live", len(seen), j.Records(), history, j.Stats().Live)
	}
}

// childWork writes until it is killed, or kills itself the nth time it comes to the step.
func childWork(args string) {
	f := strings.SplitN(args, " ", 4)
	left, _ := strconv.Atoi(f[2])
	round, _ := strconv.Atoi(f[0])
	upTo := int64(0)
	if round%3 == 1 { // then the file is looked at while it is written
		upTo = -1
	}
	j, err := Open(Options{Path: f[3], WholeUpTo: upTo, DraftDelay: time.Millisecond, Failpoint: func(step string) {
		if step != f[1] {
			return
		}
		if left--; left == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var writers sync.WaitGroup
	for w := range 4 {
		writers.Go(func() { work(j, "round"+f[0]+"-"+strconv.Itoa(w)) })
	}
	writers.Wait()
}

// work asks, drafts, ends and delivers without end, some of it without waiting.
func work(j *Journal, session string) {
	for n := 0; ; n++ {
		r := requestOf(session, strconv.Itoa(n), n%5*1000)
		o := outcome(r, "o"+strconv.Itoa(n), ask.Interrupted)
		withImages(o, pictures(o.ID)...)
		last := make(chan struct{})
		j.AppendRequest(r, tell("request", r, "-"))
		j.SaveDraft(r.Key(), draftWith(pictures(o.ID)...), func(error) {})
		if n%3 > 0 {
			j.AppendOutcome(o, tell("outcome", r, o.ID))
		}
		if n%3 > 1 {
			j.AppendDelivered(r.Key(), o.ID, tell("delivered", r, o.ID))
		}
		if n%5 == 4 {
			j.AppendReopened(r.Key(), tell("reopened", r, o.ID))
		}
		j.SaveDraft(r.Key(), nil, func(error) { close(last) })
		<-last
	}
}

// tell prints a promise. One write, so that a line is told whole or not at all.
func tell(what string, r *ask.Request, id string) func(error) {
	return func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, what, err)
			return
		}
		fmt.Printf("%s %s %s %s\n", what, r.Session, r.ID, id)
	}
}
