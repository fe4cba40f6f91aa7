package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"askd/broker/ask"
)

// BenchmarkAccept1KiB and its larger sister are one asker who waits for each of its requests.
func BenchmarkAccept1KiB(b *testing.B)  { benchmarkAccept(b, 1<<10) }
func BenchmarkAccept64KiB(b *testing.B) { benchmarkAccept(b, 64<<10) }

func benchmarkAccept(b *testing.B, size int) {
	j := openTest(b, Options{})
	requests := make([]*ask.Request, b.N)
	for i := range requests {
		requests[i] = requestOf("s", id(i), size)
	}
	written := writtenBytes(b)
	b.ResetTimer()
	for _, r := range requests {
		must(b, addRequest(b, j, r))
	}
	b.StopTimer()
	b.ReportMetric(float64(writtenBytes(b)-written)/float64(b.N)/1024, "KiB/op")
}

// BenchmarkFloor1KiB is what no durable store can go below: one write and one sync into a file that is there already.
func BenchmarkFloor1KiB(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "floor"))
	must(b, err)
	defer f.Close()
	buf := make([]byte, 1<<10)
	_, err = f.Write(make([]byte, 64<<20))
	must(b, err)
	must(b, f.Sync())
	for i := 0; b.Loop(); i++ {
		_, err := f.WriteAt(buf, int64(i%(64<<10))<<10)
		must(b, err)
		must(b, datasync(f))
	}
}

// BenchmarkAskToEnd is a request, its outcome and its delivery, one after the other.
func BenchmarkAskToEnd(b *testing.B) {
	j := openTest(b, Options{})
	for i := 0; b.Loop(); i++ {
		settle(b, j, requestOf("s", id(i), 1<<10))
	}
}

// BenchmarkAccept64Writers is 64 askers at once, 4 KiB each, all calls made by one goroutine as the broker does.
func BenchmarkAccept64Writers(b *testing.B) {
	j := openTest(b, Options{})
	ready := make(chan struct{}, 64)
	for range 64 {
		ready <- struct{}{}
	}
	base := requestOf("s", "base", 4<<10)
	var all sync.WaitGroup
	b.ResetTimer()
	for i := range b.N {
		<-ready
		r := *base
		r.ID = id(i)
		all.Add(1)
		j.AppendRequest(&r, func(err error) {
			if err != nil {
				b.Error(err)
			}
			all.Done()
			ready <- struct{}{}
		})
	}
	all.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/float64(j.Stats().Commits), "records/commit")
}

// BenchmarkOpenWithHistory opens a file with 20,000 settled records and 10 live ones.
func BenchmarkOpenWithHistory(b *testing.B) {
	path := filepath.Join(b.TempDir(), "askd.db")
	fill(b, path, 20_000)
	for b.Loop() {
		j, err := Open(Options{Path: path})
		must(b, err)
		must(b, j.Close())
	}
}

// fill makes a file with n settled requests and 10 live ones.
func fill(tb testing.TB, path string, n int) {
	j, err := Open(Options{Path: path})
	must(tb, err)
	for i := range n + 10 {
		r := request("s"+strconv.Itoa(i/100), id(i))
		fail := func(err error) {
			if err != nil {
				tb.Error(err)
			}
		}
		j.AppendRequest(r, fail)
		if i < n {
			j.AppendOutcome(outcome(r, "o", ask.Answered), fail)
			j.AppendDelivered(r.Key(), "o", fail)
		}
	}
	must(tb, j.Close())
}

// writtenBytes is what this process has written so far, 0 where the system does not say.
func writtenBytes(tb testing.TB) int64 {
	data, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		var n int64
		if _, err := fmt.Sscanf(line, "wchar: %d", &n); err == nil {
			return n
		}
	}
	tb.Log("no wchar in /proc/self/io")
	return 0
}
