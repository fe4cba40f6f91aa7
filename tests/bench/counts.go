package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"sync"
)

// Of a bbolt file the two first pages of 4 KiB are the meta pages; each transaction writes one of them, with its number at
// this place behind the head of the page.
const (
	metaPage   = 4096
	metaNumber = 16 + 4 + 4 + 4 + 4 + 16 + 8 + 8
)

// transactions is the number of the last transaction that a data file has on disk. A file that is in use can be asked: the
// number only grows.
func transactions(path string) (uint64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	last := uint64(0)
	for page := range int64(2) {
		var b [8]byte
		if _, err := f.ReadAt(b[:], page*metaPage+metaNumber); err != nil {
			return 0, err
		}
		last = max(last, binary.LittleEndian.Uint64(b[:]))
	}
	return last, nil
}

// syncsOfCommit is how often bbolt syncs in a transaction: once its pages, once the meta page. A step by which it lengthens
// the file itself would be one more; the journal keeps the file longer than needed without one.
const syncsOfCommit = 2

// syncs is how many fdatasyncs an ask takes while f has n of them accepted.
func syncs(d daemon, n int, f func() error) (string, error) {
	before, err := transactions(d.data)
	if err != nil {
		return "", err
	}
	if err := f(); err != nil {
		return "", err
	}
	after, err := transactions(d.data)
	return fmt.Sprintf("%.3g", syncsOfCommit*float64(after-before)/float64(n)), err
}

func loneSyncsRow(b *bench) (string, error) {
	const n = 200
	d, err := b.startAskd("")
	if err != nil {
		return "", err
	}
	a, err := dialAsker(d.socket, "bench")
	if err != nil {
		return "", err
	}
	return syncs(d, n, func() error {
		for range n {
			if err := a.accept(arguments(1 << 10)); err != nil {
				return err
			}
		}
		return nil
	})
}

func crowdSyncsRow(b *bench) (string, error) {
	const connections, each = 64, 50
	d, err := b.startAskd("")
	if err != nil {
		return "", err
	}
	askers := make([]*asker, connections)
	for i := range askers {
		if askers[i], err = dialAsker(d.socket, "bench-"+strconv.Itoa(i)); err != nil {
			return "", err
		}
	}
	return syncs(d, connections*each, func() error {
		var wg sync.WaitGroup
		failed := make([]error, connections)
		for i, a := range askers {
			wg.Go(func() {
				for range each {
					if err := a.accept(arguments(4 << 10)); err != nil {
						failed[i] = err
					}
				}
			})
		}
		wg.Wait()
		for _, err := range failed {
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// writtenRow counts what askd writes to its data file for asks of 2 KiB that come one by one: all that it writes, but for
// what it says to the asker.
func writtenRow(b *bench) (string, error) {
	const n = 1000
	d, err := b.startAskd("")
	if err != nil {
		return "", err
	}
	a, err := dialAsker(d.socket, "bench")
	if err != nil {
		return "", err
	}
	args := arguments(2 << 10)
	if err := a.accept(args); err != nil {
		return "", err
	}
	before, err := written(d, a)
	if err != nil {
		return "", err
	}
	for range n {
		if err := a.accept(args); err != nil {
			return "", err
		}
	}
	after, err := written(d, a)
	return fmt.Sprintf("%.1f", (after-before)/1024/n), err
}

// written is how many bytes askd has written, without those that the asker has read.
func written(d daemon, a *asker) (float64, error) {
	if err := a.call("daemon.status", "{}"); err != nil { // whatever was on its way to the asker is there now
		return 0, err
	}
	all, err := field(processFile(d.process, "io"), "wchar")
	return all - float64(a.heard), err
}

// sizeRow compares asks in a large data file with those in a small one. What they leave behind is ended again.
func sizeRow(b *bench) (string, error) {
	var sides [2]func() error
	for i, records := range []int{smallFile, b.records} {
		path, err := b.fileOf(records)
		if err != nil {
			return "", err
		}
		d, err := b.startAskd(path)
		if err != nil {
			return "", err
		}
		a, err := dialAsker(d.socket, "bench")
		if err != nil {
			return "", err
		}
		var open []string
		sides[i] = func() error {
			_, id, err := a.ask(arguments(1 << 10))
			if err != nil {
				return err
			}
			open = append(open, id)
			return a.until(`"method":"ask.accepted"`)
		}
		b.later(func() {
			for _, id := range open {
				_ = a.call("tool.abort", fmt.Sprintf(`{"requestId":%q,"reason":"user"}`, id))
			}
		})
	}
	return b.compare(operations, sides[0], sides[1])
}
