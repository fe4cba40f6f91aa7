package config

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Go starts a goroutine under a name. Nil means a plain one; a daemon passes one that guards against panics.
type Go func(name string, f func())

func (g Go) start(name string, f func()) {
	if g == nil {
		go f()
		return
	}
	g(name, f)
}

// Watch tells of changes of the file by others: after each value call Load. Several changes are one value, and what this
// File saved itself is none. It watches folders, so editors that replace files, files that come back and files behind
// symbolic links are seen. It returns at once; watching ends with ctx, and the channel is never closed. An error means
// that the system gave no watch: go on without live reload.
func (f *File) Watch(ctx context.Context, start Go) (<-chan struct{}, error) {
	return watch(ctx, start, "ask config", f.path, f.changed)
}

// watch tells of changes of one file for which changed, called after they have settled, says true.
func watch(ctx context.Context, start Go, what, path string, changed func() bool) (<-chan struct{}, error) {
	fsw, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", what, err)
	}
	w := &watcher{path: path, changed: changed, fsw: fsw, out: make(chan struct{}, 1)}
	if err := w.arm(); err != nil {
		_ = fsw.Close()
		return nil, fmt.Errorf("watch %s: %w", what, err)
	}
	start.start("watch "+what, func() { w.run(ctx) })
	return w.out, nil
}

type watcher struct {
	path    string
	changed func() bool
	fsw     *fsnotify.Watcher
	out     chan struct{}
	chain   []string // the file and what it points to
}

func (w *watcher) run(ctx context.Context) {
	defer func() { _ = w.fsw.Close() }()
	settle := time.NewTimer(WatchSettle) // fires once at the start: something may have changed since Load
	defer settle.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case ev := <-w.fsw.Events:
			if w.concerns(ev) {
				settle.Reset(WatchSettle)
			}
		case err := <-w.fsw.Errors:
			if err != nil { // events may have been lost
				settle.Reset(WatchSettle)
			}
		case <-settle.C:
			w.settled()
		}
	}
}

// concerns says whether an event is about the file, a link to it or a folder on the way. Other files live beside it.
func (w *watcher) concerns(ev fsnotify.Event) bool {
	return ev.Op != fsnotify.Chmod && slices.ContainsFunc(w.chain, func(p string) bool {
		return p == ev.Name || strings.HasPrefix(p, strings.TrimSuffix(ev.Name, "/")+"/")
	})
}

func (w *watcher) settled() {
	_ = w.arm() // a folder that cannot be watched now may be the next time
	if !w.changed() {
		return
	}
	select {
	case w.out <- struct{}{}:
	default: // one is waiting already
	}
}

// arm watches the folders in which the file and its links stand, or the nearest that exist. It looks again after adding
// one, because the next may have come in between.
func (w *watcher) arm() error {
	for range 3 {
		w.chain = linkChain(w.path)
		want := foldersOf(w.chain)
		added, err := w.watchOnly(want)
		if err != nil || !added {
			return err
		}
	}
	return nil
}

func (w *watcher) watchOnly(want []string) (added bool, err error) {
	have := w.fsw.WatchList()
	for _, dir := range have {
		if !slices.Contains(want, dir) {
			_ = w.fsw.Remove(dir)
		}
	}
	for _, dir := range want {
		if slices.Contains(have, dir) {
			continue
		}
		if err := w.fsw.Add(dir); err != nil {
			return false, err
		}
		added = true
	}
	return added, nil
}

func foldersOf(paths []string) []string {
	var dirs []string
	for _, p := range paths {
		dir := nearestFolder(filepath.Dir(p))
		if !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func nearestFolder(dir string) string {
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return dir
		}
		dir = up
	}
}
