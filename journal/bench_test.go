package journal

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

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

// benchRecords is how many records the benchmarks of reading have; PERFORMANCE 8 and 9 speak of a million.
var benchRecords = flag.Int("records", 100_000, "records of the history benchmarks")

func benchPath() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("journal-bench-%d-%d.db", os.Getpid(), *benchRecords))
}

// historyFile is a file with benchRecords settled requests of about 1 KiB, made once.
func historyFile(b *testing.B) *Journal {
	b.Helper()
	path := benchPath()
	if _, err := os.Stat(path); err != nil {
		fillProse(b, path, *benchRecords)
	}
	j, err := Open(Options{Path: path})
	must(b, err)
	b.Cleanup(func() { must(b, j.Close()) })
	settle(b, j, request("wake", "w"+strconv.Itoa(j.Records())))
	for deadline := time.Now().Add(5 * time.Minute); j.blocks(b) < uint64(*benchRecords/blockRecords); {
		if time.Now().After(deadline) {
			b.Fatal("no index")
		}
		runtime.Gosched()
	}
	return j
}

func fillProse(b *testing.B, path string, n int) {
	j, err := Open(Options{Path: path})
	must(b, err)
	rng := rand.New(rand.NewPCG(1, 1))
	vocabulary := make([]string, 20_000)
	for i := range vocabulary {
		word := make([]byte, 3+rng.IntN(8))
		for k := range word {
			word[k] = "etaoinshrdlucmfwypvbgkjqxz"[min(rng.IntN(26), rng.IntN(26))]
		}
		vocabulary[i] = string(word)
	}
	gate := make(chan struct{}, 4096)
	for i := range n {
		r := request("s"+strconv.Itoa(i/100), id(i))
		text := make([]string, 60)
		for k := range text {
			text[k] = vocabulary[min(rng.IntN(len(vocabulary)), rng.IntN(len(vocabulary)))]
		}
		r.Questions[0].Context = strings.Join(text, " ")
		gate <- struct{}{}
		j.AppendRequest(r, func(error) {})
		j.AppendOutcome(outcome(r, "o", ask.Answered), func(error) {})
		j.AppendDelivered(r.Key(), "o", func(error) { <-gate })
	}
	must(b, j.Close())
}

// BenchmarkNewestPage and BenchmarkCopy50 are a page of the history and its floor.
func BenchmarkNewestPage(b *testing.B) {
	j := historyFile(b)
	for b.Loop() {
		page, err := j.Page(context.Background(), ask.HistoryQuery{Newest: true}, 0, 50)
		if err != nil || len(page.Records) != 50 {
			b.Fatal(err, len(page.Records))
		}
	}
}

func BenchmarkCopy50(b *testing.B) {
	from, to := make([]byte, 50*1400), make([]byte, 50*1400)
	for b.Loop() {
		copy(to, from)
	}
}

// BenchmarkSearchAbsent looks for what is nowhere; BenchmarkScanFloor is the same over all text, lowered, in memory.
func BenchmarkSearchAbsent(b *testing.B) {
	j := historyFile(b)
	for b.Loop() {
		page, err := j.Page(context.Background(), ask.HistoryQuery{Text: "unmistakable zanzibar"}, 0, 50)
		if err != nil || page.Total != 0 {
			b.Fatal(err, page.Total)
		}
	}
}

func BenchmarkSearchRare(b *testing.B) {
	j := historyFile(b)
	for b.Loop() {
		page, err := j.Page(context.Background(), ask.HistoryQuery{Text: id(*benchRecords / 3)}, 0, 50)
		if err != nil || page.Total != 1 {
			b.Fatal(err, page.Total)
		}
	}
}

func BenchmarkScanFloor(b *testing.B) {
	j := historyFile(b)
	var all []byte
	for rec, err := range j.History(context.Background(), ask.HistoryQuery{}) {
		must(b, err)
		for _, h := range rec.History() {
			raw, err := ask.Stringify(h)
			must(b, err)
			all = append(all, bytes.ToLower(raw)...)
		}
	}
	for b.Loop() {
		if bytes.Contains(all, []byte("unmistakable zanzibar")) {
			b.Fatal("found")
		}
	}
}

func BenchmarkSign(b *testing.B) {
	j := historyFile(b)
	must(b, j.view(b.Context(), func(tx *bbolt.Tx) error {
		for b.Loop() {
			_ = eachSettled(tx, 1, 101, func(uint64, *signature) {})
		}
		return nil
	}))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/record")
}

// BenchmarkHistory reads records for an export.
func BenchmarkHistory(b *testing.B) {
	j := historyFile(b)
	b.ResetTimer()
	for n := 0; n < b.N; {
		for _, err := range j.History(context.Background(), ask.HistoryQuery{}) {
			must(b, err)
			if n++; n >= b.N {
				break
			}
		}
	}
}
