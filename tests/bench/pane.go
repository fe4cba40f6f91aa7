package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// startRow compares a start, up to the first frame in a terminal, with that of a program that prints one word.
func startRow(large bool) func(*bench) (string, error) {
	return func(b *bench) (string, error) {
		path, err := b.dataFile(large)
		if err != nil {
			return "", err
		}
		hello := func() error {
			t, err := b.openTerminal(b.dir, os.Environ(), b.hello)
			if err != nil {
				return err
			}
			return t.until("hello")
		}
		var ratios []float64
		var failed error
		for range b.rounds {
			f, err := b.restarts(hello)
			if err != nil {
				return "", err
			}
			s, err := b.restarts(func() error {
				p, err := b.openPane(path)
				if err == nil {
					b.later(func() { failed = errors.Join(failed, p.leave()) })
				}
				return err
			})
			if err != nil {
				return "", err
			}
			ratios = append(ratios, float64(s)/float64(f))
		}
		return spread(ratios), failed
	}
}

// restarts is the median time of a few starts, each ended before the next.
func (b *bench) restarts(start func() error) (time.Duration, error) {
	var all []time.Duration
	for range 3 {
		d, err := timed(1, start)
		b.settle()
		if err != nil {
			return 0, err
		}
		all = append(all, d)
	}
	slices.Sort(all)
	return all[1], nil
}

// fourRows is a form to move about in.
const fourRows = `{"questions":[{"id":"q","prompt":"Which of these?","options":[{"value":"a","label":"Alpha"},{"value":"b","label":"Beta"},{"value":"c","label":"Gamma"},{"value":"d","label":"Delta"}]}]}`

// formPane is a pane with a form in it.
func (b *bench) formPane() (*pane, *asker, error) {
	p, err := b.openPane("")
	if err != nil {
		return nil, nil, err
	}
	a, err := dialAsker(p.socket, "bench")
	if err != nil {
		return nil, nil, err
	}
	b.later(func() { _ = a.nc.Close() }) // until then it stays: an asker that has gone is told in the pane
	if err := a.accept(fourRows); err != nil {
		return nil, nil, err
	}
	if err := p.until("Which of these?"); err != nil {
		return nil, nil, err
	}
	time.Sleep(guard)
	return p, a, p.quiet()
}

// guard is how long a form that has just appeared takes no answer.
const guard = 400 * time.Millisecond

// bytesRow counts what is written to the terminal for two keys in turn. first is how long the first of it may take; without
// a frame to wait for, that is as long as silence.
func bytesRow(first time.Duration, keys ...string) func(*bench) (string, error) {
	return func(b *bench) (string, error) {
		p, _, err := b.formPane()
		if err != nil {
			return "", err
		}
		most := 0
		for i := range 2 * b.rounds {
			if err := p.keys(keys[i%2]); err != nil {
				return "", err
			}
			n := 0
			for limit := first; ; limit = hush {
				chunk, err := p.next(limit)
				if err != nil {
					return "", err
				}
				if chunk == nil {
					break
				}
				n += len(chunk)
			}
			most = max(most, n)
		}
		return strconv.Itoa(most), nil
	}
}

// frames is a pair of operations: a key echoed by a program that does nothing else, and one that moves the cursor in a form.
func (b *bench) frames(p *pane) (floor, subject func() error, err error) {
	echo, err := b.echo()
	if err != nil {
		return nil, nil, err
	}
	down := false
	return func() error { return echo.frame("x") }, func() error {
		key := "\x1b[A"
		if down = !down; down {
			key = "\x1b[B"
		}
		p.forget() // what is drawn for others meanwhile
		if err := p.keys(key); err != nil {
			return err
		}
		return p.until(mark)
	}, nil
}

// mark stands before the row of a form that the cursor is in. Only what has changed is drawn, so it comes when that moves.
const mark = "❯"

func frameRow(b *bench) (string, error) {
	p, _, err := b.formPane()
	if err != nil {
		return "", err
	}
	floor, subject, err := b.frames(p)
	if err != nil {
		return "", err
	}
	return b.compare(operations, floor, subject)
}

// crowdedFrameRow compares a key press while 64 clients ask with one while nobody does.
func crowdedFrameRow(b *bench) (string, error) {
	p, _, err := b.formPane()
	if err != nil {
		return "", err
	}
	_, subject, err := b.frames(p)
	if err != nil {
		return "", err
	}
	askers := make([]*asker, 64)
	for i := range askers {
		if askers[i], err = dialAsker(p.socket, "crowd-"+strconv.Itoa(i)); err != nil {
			return "", err
		}
	}
	var ratios []float64
	asked := 0
	for range b.rounds {
		idle, err := timed(operations, subject)
		if err != nil {
			return "", err
		}
		stop := crowd(askers)
		busy, err := timed(operations, subject)
		n, failed := stop()
		if err != nil || failed != nil {
			return "", fmt.Errorf("key %w, crowd %w", err, failed)
		}
		asked += n
		ratios = append(ratios, float64(busy)/float64(idle))
		if err := p.quiet(); err != nil {
			return "", err
		}
	}
	return spread(ratios) + fmt.Sprintf(", %d asked and answered meanwhile", asked), nil
}

// crowd has every asker ask and answer itself without a pause until it is stopped.
func crowd(askers []*asker) (stop func() (int, error)) {
	var over atomic.Bool
	var n atomic.Int64
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	for _, a := range askers {
		wg.Go(func() {
			for !over.Load() && failed.Load() == nil {
				if err := a.whole(arguments(1 << 10)); err != nil {
					failed.Store(&err)
				}
				n.Add(1)
			}
		})
	}
	return func() (int, error) {
		over.Store(true)
		wg.Wait()
		if err := failed.Load(); err != nil {
			return 0, *err
		}
		return int(n.Load()), nil
	}
}

// hideCursor begins every frame that is drawn.
const hideCursor = "\x1b[?25l"

// burstRow counts the frames that 100 asks in one write cause.
func burstRow(b *bench) (string, error) {
	const asks = 100
	var counts []float64
	for range min(7, b.rounds) {
		p, a, err := b.formPane()
		if err != nil {
			return "", err
		}
		var all strings.Builder
		for i := range asks {
			fmt.Fprintf(&all, `{"jsonrpc":"2.0","id":%d,"method":"tool.call","params":{"tool":"ask_user","arguments":%s}}`+"\n", 1000+i, fourRows)
		}
		if _, err := a.nc.Write([]byte(all.String())); err != nil {
			return "", err
		}
		for range asks {
			if err := a.until(`"method":"ask.accepted"`); err != nil {
				return "", err
			}
		}
		n := 0
		for {
			chunk, err := p.next(4 * hush)
			if err != nil {
				return "", err
			}
			if chunk == nil {
				break
			}
			n += strings.Count(string(chunk), hideCursor)
		}
		counts = append(counts, float64(n))
		b.settle()
	}
	return spreadOf("%.0f", counts), nil
}

// typing is 20 keys a second for as long as a measurement of drafts takes.
const (
	typingPause = 50 * time.Millisecond
	typedKeys   = 120
)

// draftPane is a pane in whose form an answer is being written.
func (b *bench) draftPane() (*pane, error) {
	p, _, err := b.formPane()
	if err != nil {
		return nil, err
	}
	if err := p.keys("5"); err != nil {
		return nil, err
	}
	return p, p.quiet()
}

// draftCommitsRow counts the transactions in the data file while an answer is typed.
func draftCommitsRow(b *bench) (string, error) {
	p, err := b.draftPane()
	if err != nil {
		return "", err
	}
	before, err := transactions(p.data)
	if err != nil {
		return "", err
	}
	begin := time.Now()
	for range typedKeys {
		if err := p.frame("x"); err != nil {
			return "", err
		}
		time.Sleep(typingPause)
	}
	spent := time.Since(begin)
	after, err := transactions(p.data)
	return fmt.Sprintf("%.2f", float64(after-before)/spent.Seconds()), err
}

// draftFrameRow compares a key in an answer, which is kept, with one in the search of the history, which is not.
func draftFrameRow(b *bench) (string, error) {
	kept, err := b.draftPane()
	if err != nil {
		return "", err
	}
	loose, err := b.openPane("")
	if err != nil {
		return "", err
	}
	for _, key := range []string{"\x12", "/"} {
		if err := loose.quiet(); err != nil {
			return "", err
		}
		if err := loose.keys(key); err != nil {
			return "", err
		}
	}
	if err := loose.quiet(); err != nil {
		return "", err
	}
	var ratios []float64
	slowest, elsewhere := 0.0, 0.0
	for range b.rounds {
		floor, slowThere, err := keyTimes(loose)
		if err != nil {
			return "", err
		}
		typed, slow, err := keyTimes(kept)
		if err != nil {
			return "", err
		}
		ratios, slowest, elsewhere = append(ratios, typed/floor), max(slowest, slow), max(elsewhere, slowThere)
	}
	return spread(ratios) + fmt.Sprintf(", the slowest of %d in %.1f ms, there in %.1f ms", b.rounds*operations, slowest, elsewhere), nil
}

// keyTimes types for a second and gives the median and the longest time from a key to its frame, in milliseconds.
func keyTimes(p *pane) (median, longest float64, err error) {
	var all []float64
	for range operations {
		begin := time.Now()
		if err := p.frame("x"); err != nil {
			return 0, 0, err
		}
		all = append(all, time.Since(begin).Seconds()*1e3)
		time.Sleep(typingPause)
	}
	slices.Sort(all)
	return all[len(all)/2], all[len(all)-1], nil
}
