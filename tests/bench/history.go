package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"askd/broker/ask"
	"askd/journal"
	"askd/journal/export"
)

// pageRows is what a list shows at a time.
const pageRows = 50

// open opens a data file in this program until the row is over. A copy would take longer than the measurement.
func (b *bench) open(records int) (*journal.Journal, error) {
	path, err := b.fileOf(records)
	if err != nil {
		return nil, err
	}
	j, err := journal.Open(journal.Options{Path: path})
	if err != nil {
		return nil, err
	}
	b.later(func() { _ = j.Close() })
	return j, nil
}

// recordBytes is the size of a record as the journal holds it, about.
const recordBytes = 1400

func newestRow(b *bench) (string, error) {
	j, err := b.open(b.records)
	if err != nil {
		return "", err
	}
	from, to := bytes.Repeat([]byte("x"), pageRows*recordBytes), make([]byte, pageRows*recordBytes)
	floor := func() error {
		copy(to, from)
		return nil
	}
	return b.compare(500, floor, func() error {
		page, err := j.Page(b.ctx, ask.HistoryQuery{Newest: true}, 0, pageRows)
		if err == nil && len(page.Records) != pageRows {
			err = fmt.Errorf("a page of %d", len(page.Records))
		}
		return err
	})
}

func absentTerm(int) (string, int)       { return "unmistakable zanzibar", 0 }
func rareTerm(records int) (string, int) { return recordID(records / 3), 1 }

// searchRow compares a search with one through all text, in lower case and in memory.
func searchRow(term func(records int) (string, int)) func(*bench) (string, error) {
	return func(b *bench) (string, error) {
		j, err := b.open(b.records)
		if err != nil {
			return "", err
		}
		text, err := allText(b.ctx, j)
		if err != nil {
			return "", err
		}
		look, found := term(b.records)
		// The floor goes through everything, wherever the term is.
		floor := func() error {
			for rest := text; ; {
				at := bytes.Index(rest, []byte(look))
				if at < 0 {
					return nil
				}
				rest = rest[at+1:]
			}
		}
		ratios, err := b.ratios(1, floor, func() error {
			page, err := j.Page(b.ctx, ask.HistoryQuery{Text: look}, 0, pageRows)
			if err == nil && page.Total != found {
				err = fmt.Errorf("%d found", page.Total)
			}
			return err
		})
		if err != nil {
			return "", err
		}
		for i, r := range ratios {
			ratios[i] = 1 / r
		}
		return "1/" + spread(ratios), nil
	}
}

func allText(ctx context.Context, j *journal.Journal) (all []byte, err error) {
	for rec, err := range j.Passing(ctx, ask.HistoryQuery{}) {
		if err != nil {
			return nil, err
		}
		for _, h := range rec.History() {
			raw, err := ask.Stringify(h)
			if err != nil {
				return nil, err
			}
			all = append(all, bytes.ToLower(raw)...)
		}
	}
	return all, nil
}

func indexBytesRow(b *bench) (string, error) {
	j, err := b.open(b.records)
	if err != nil {
		return "", err
	}
	s, err := j.Index()
	if err != nil || s.Records == 0 {
		return "", errors.Join(err, errors.New("there is no index; it takes more records"))
	}
	return fmt.Sprintf("%.0f", float64(s.Bytes)/float64(s.Records)), nil
}

// indexedRecords is enough for one block of the index, which is made in one go.
const indexedRecords = 16_100

// indexTimeRow writes files until they are indexed, a few times: it takes seconds.
func indexTimeRow(b *bench) (string, error) {
	var all []float64
	for range min(5, b.rounds) {
		dir, err := b.folder()
		if err != nil {
			return "", err
		}
		s, err := write(filepath.Join(dir, "d"), indexedRecords)
		if err != nil {
			return "", err
		}
		if s.Signed == 0 {
			return "", errors.New("nothing was indexed")
		}
		all = append(all, float64(s.Spent.Microseconds())/float64(s.Signed))
		_ = os.RemoveAll(dir)
	}
	return spreadOf("%.1f", all), nil
}

const exportedRecords = 100_000

// exportRow compares an export with writing the file that it makes.
func exportRow(b *bench) (string, error) {
	j, err := b.open(exportedRecords)
	if err != nil {
		return "", err
	}
	dir, err := b.folder()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "export.md")
	if err := exportAll(b.ctx, j, path); err != nil {
		return "", err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return b.compare(1, func() error {
		defer func() { _ = os.Remove(path + ".floor") }()
		return os.WriteFile(path+".floor", data, 0o600)
	}, func() error {
		_ = os.Remove(path)
		return exportAll(b.ctx, j, path)
	})
}

func exportAll(ctx context.Context, j *journal.Journal, path string) error {
	_ = os.Remove(path)
	return export.Write(path, j.Passing(ctx, ask.HistoryQuery{}), export.FormatMarkdown)
}

// exportMemoryRow is how much more memory an export of all takes than one of a tenth.
func exportMemoryRow(b *bench) (string, error) {
	large, err := b.open(exportedRecords)
	if err != nil {
		return "", err
	}
	small, err := b.open(exportedRecords / 10)
	if err != nil {
		return "", err
	}
	dir, err := b.folder()
	if err != nil {
		return "", err
	}
	var peaks [2]float64
	for i, j := range []*journal.Journal{small, large} {
		peaks[i], err = peak(func() error { return exportAll(b.ctx, j, filepath.Join(dir, "export.md")) })
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%.1f MB against %.1f MB", peaks[1], peaks[0]), nil
}

// peak is the largest heap while f runs, in MB.
func peak(f func() error) (most float64, err error) {
	runtime.GC()
	done := make(chan error, 1)
	go func() { done <- f() }()
	for tick := time.NewTicker(5 * time.Millisecond); ; {
		select {
		case err := <-done:
			tick.Stop()
			return most, err
		case <-tick.C:
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, float64(m.HeapAlloc)/1e6)
		}
	}
}

// openRow is how long the journal takes to open a data file, without the live requests that a start reads next.
func openRow(b *bench) (string, error) {
	path, err := b.dataFile(true)
	if err != nil {
		return "", err
	}
	var all []float64
	for range b.rounds {
		begin := time.Now()
		j, err := journal.Open(journal.Options{Path: path})
		if err != nil {
			return "", err
		}
		all = append(all, time.Since(begin).Seconds()*1e3)
		if err := j.Close(); err != nil {
			return "", err
		}
	}
	return spreadOf("%.2f ms", all), nil
}
