package files

import (
	"context"
	"sort"
	"strings"

	"github.com/sahilm/fuzzy"
)

// Index is the paths under one folder. Start makes it; one goroutine of its own owns the list.
type Index struct {
	queries chan query
	cancel  context.CancelFunc
}

type query struct {
	text  string
	limit int
	done  func([]string)
}

// Start begins to read a folder and answers searches meanwhile with what it has. spawn starts its goroutines; nil means
// plain ones. Stop ends it.
func Start(root string, spawn func(name string, f func())) *Index {
	if spawn == nil {
		spawn = func(_ string, f func()) { go f() }
	}
	ctx, cancel := context.WithCancel(context.Background())
	x := &Index{queries: make(chan query, 1), cancel: cancel}
	found := make(chan []string)
	spawn("file scan", func() {
		defer close(found)
		scan(ctx, root, func(paths []string) {
			select {
			case found <- paths:
			case <-ctx.Done():
			}
		})
	})
	spawn("file search", func() { x.serve(ctx, found) })
	return x
}

// Stop ends scan and searches; a search under way is not answered.
func (x *Index) Stop() { x.cancel() }

// Search finds the paths that fit text best, at most limit of them, and gives them to done on the index's goroutine. It
// never blocks: a newer search replaces one that has not begun. While the folder is still being read, done is called
// again as better paths turn up, until the next search.
func (x *Index) Search(text string, limit int, done func([]string)) {
	q := query{text, limit, done}
	for {
		select {
		case x.queries <- q:
			return
		default:
		}
		select {
		case <-x.queries:
		default:
		}
	}
}

func (x *Index) serve(ctx context.Context, found <-chan []string) {
	var paths []string
	var last *query
	for {
		select {
		case <-ctx.Done():
			return
		case q := <-x.queries:
			last = &q
			q.done(match(paths, q.text, q.limit))
		case more, ok := <-found:
			if !ok {
				found = nil
			}
			paths = append(paths, more...)
			if last != nil && (!ok || len(more) > 0 && len(paths) < refreshUntil) {
				last.done(match(paths, last.text, last.limit))
			}
		}
	}
}

// refreshUntil is how many paths a running scan may have for each of its folders to refresh an open search; later only
// its end does.
const refreshUntil = 500

// match ranks paths; without text the first ones stand as they were found.
func match(paths []string, text string, limit int) []string {
	if text == "" {
		return append([]string(nil), paths[:min(limit, len(paths))]...)
	}
	ranked := fuzzy.FindNoSort(text, paths)
	sort.SliceStable(ranked, func(i, j int) bool {
		if ranked[i].Score != ranked[j].Score {
			return ranked[i].Score > ranked[j].Score
		}
		return len(ranked[i].Str) < len(ranked[j].Str)
	})
	out := make([]string, 0, min(limit, len(ranked)))
	for _, m := range ranked {
		if len(out) == limit {
			break
		}
		if m.Str != text || !strings.HasSuffix(text, "/") { // a folder that has been typed whole is not news; its files are
			out = append(out, m.Str)
		}
	}
	return out
}
