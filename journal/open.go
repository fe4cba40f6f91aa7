package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"askd/broker/ask"
)

// formatVersion is the layout of the whole file, in meta under "format". Format 1 had no earlier outcomes, no summaries
// and no search index; format 2 had its images in the records, where those of its time still are; format 3 had each form
// whole beside the arguments that it was made of, as requests of its time still have.
const formatVersion = 4

// readableFormat is the first that has every bucket which reading wants.
const readableFormat = 3

var (
	bucketLive    = []byte("live")
	bucketHistory = []byte("history")
	bucketIndex   = []byte("index")
	bucketDrafts  = []byte("drafts")
	bucketMeta    = []byte("meta")

	bucketSettled   = []byte("settled")
	bucketSummaries = []byte("summaries")
	bucketSearch    = []byte("search")

	bucketImages = []byte("images")

	// newBuckets are the ones that came with each format.
	newBuckets = [formatVersion + 1][][]byte{
		1: {bucketLive, bucketHistory, bucketIndex, bucketDrafts, bucketMeta},
		2: {bucketSettled, bucketSummaries, bucketSearch},
		3: {bucketImages},
		4: nil,
	}

	metaFormat  = []byte("format")
	metaCreated = []byte("created")
)

const (
	pageSize = 4 << 10
	// mappedBytes is address space, not memory. A mapping that is large from the start means that a long reader, such
	// as an export, never keeps the committer waiting for a remap until the file passes it.
	mappedBytes = 1 << 30
	// growBytes is by how much the file grows at a time; each step costs a sync of its own.
	growBytes = 4 << 20
)

// Open opens the data file, making it when it is missing. The error says what is wrong with which file and what to do;
// a file that cannot be used is left as it was. Open blocks for at most LockTimeout on another process.
func Open(o Options) (*Journal, error) {
	o = o.withDefaults()
	j := &Journal{
		opts: o,
		wake: make(chan struct{}, 1),
		live: map[ask.Key]*entry{},
		done: make(chan struct{}),
	}
	if err := j.open(); err != nil {
		return nil, fmt.Errorf("open journal %s: %w; %s", o.Path, err, advice(err, o.Path))
	}
	j.lookOn()
	o.Go("journal committer", j.run)
	return j, nil
}

func (j *Journal) open() (err error) {
	if err := checkPath(j.opts.Path, j.opts.Existing); err != nil {
		return err
	}
	if j.unread, err = preflight(j.opts); err != nil {
		return err
	}
	var file *os.File
	keep := func(path string, flag int, mode os.FileMode) (*os.File, error) {
		f, err := os.OpenFile(path, flag, mode)
		file = f
		return f, err
	}
	err = guard(func() (err error) {
		if j.db, err = openDB(j.opts, keep); err != nil {
			return err
		}
		if j.file, err = file.Stat(); err != nil {
			return err
		}
		j.room = room{file: file}
		if errors.Is(j.inPlace(), ErrGone) || !j.unread.isOf(file, fileSize(j.opts.Path)) {
			return errReplaced
		}
		return j.load()
	})
	if err == nil && j.opts.ReadOnly {
		return nil
	}
	if err == nil {
		_ = os.Remove(compactPath(j.opts.Path)) // of a compaction that was cut off; we hold the lock, so nobody is at it
		return nil
	}
	j.abandon(file)
	if errors.Is(err, errReplaced) {
		j.db = nil
		return j.open()
	}
	return translate(err)
}

// errReplaced: while we waited for the lock, the process that had it wrote to the file, or put a compacted one in its place.
var errReplaced = errors.New("data file was replaced")

// inPlace gives ErrGone when the path no longer leads to the open file. Any other doubt is left to the writing itself.
func (j *Journal) inPlace() error {
	now, err := os.Stat(j.opts.Path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(j.file, now) {
		return ErrGone
	}
	return nil
}

// abandon lets go of a file that could not be used. After a panic inside bbolt there is no DB to close, only the file.
func (j *Journal) abandon(file *os.File) {
	if j.db != nil {
		_ = j.closeFile(file)
	} else if file != nil {
		_ = letGo(file)
	}
}

func checkPath(path string, existing bool) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && !existing {
		return os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("not a regular file")
	}
	if existing && info.Size() == 0 {
		return errEmpty
	}
	return nil
}

func openDB(o Options, open func(string, int, os.FileMode) (*os.File, error)) (*bbolt.DB, error) {
	// 4 KiB pages: a commit rewrites at least a leaf, the root, the freelist and a meta page. A lone ask of 1 KiB wrote
	// 82 KiB with pages of 16 KiB and writes 28 with these (PERFORMANCE, 6); what large pages save on the size of the
	// file and under many writers, chunks save as well.
	// The freelist stays on disk, because without it the next open reads the whole file, and as a map in memory, because
	// the array form is searched from its start.
	db, err := bbolt.Open(o.Path, 0o600, &bbolt.Options{
		Timeout:         o.LockTimeout,
		ReadOnly:        o.ReadOnly,
		PageSize:        pageSize,
		FreelistType:    bbolt.FreelistMapType,
		InitialMmapSize: initialMap(),
		OpenFile:        open,
	})
	if err != nil {
		return nil, err
	}
	db.AllocSize = growBytes
	return db, nil
}

func initialMap() int {
	if strconv.IntSize == 32 {
		return 0
	}
	return mappedBytes
}

// load checks that the file is ours and reads what is live. Only a file without any bucket or of an
// earlier format is written to.
func (j *Journal) load() error {
	empty, old := false, false
	err := j.db.View(func(tx *bbolt.Tx) error {
		first, _ := tx.Cursor().First()
		if empty = first == nil; empty {
			return nil
		}
		if err := checkFormat(tx); err != nil {
			return err
		}
		format := tx.Bucket(bucketMeta).Get(metaFormat)[0]
		old = format < formatVersion
		if format < readableFormat && j.opts.ReadOnly {
			return ErrOlderFormat
		}
		return j.loadLive(tx)
	})
	if empty && j.opts.ReadOnly {
		return errEmpty
	}
	if err != nil || !empty && !old || j.opts.ReadOnly {
		return err
	}
	if old {
		return j.upgrade()
	}
	if err := j.update(j.create); err != nil {
		return err
	}
	syncFolder(filepath.Dir(j.opts.Path))
	return nil
}

// syncFolder makes the name of a new file survive a power cut as its content does. Not every file system can, and the
// file is good without.
func syncFolder(path string) {
	if f, err := os.Open(path); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

func (j *Journal) create(tx *bbolt.Tx) error {
	if err := createBuckets(tx, slices.Concat(newBuckets[:]...)); err != nil {
		return err
	}
	meta := tx.Bucket(bucketMeta)
	if err := meta.Put(metaFormat, []byte{formatVersion}); err != nil {
		return err
	}
	return meta.Put(metaCreated, []byte(j.opts.Now().UTC().Format(time.RFC3339)))
}

// upgrade may read and write everything, so everything is looked at first, once in the life of a file.
func (j *Journal) upgrade() error {
	if j.unread.ahead() {
		j.unread.look(j.opts.Path)
	}
	if err := j.unread.wait(context.Background()); err != nil {
		return err
	}
	return j.update(upgrade)
}

// upgrade makes a file of an earlier format one of ours, so that the release that wrote it refuses it from now on.
func upgrade(tx *bbolt.Tx) error {
	format := tx.Bucket(bucketMeta).Get(metaFormat)[0]
	if err := createBuckets(tx, slices.Concat(newBuckets[format+1:]...)); err != nil {
		return err
	}
	if format == 1 {
		if err := enterAll(tx); err != nil {
			return err
		}
	}
	return tx.Bucket(bucketMeta).Put(metaFormat, []byte{formatVersion})
}

// enterAll enters a history of format 1.
func enterAll(tx *bbolt.Tx) error {
	return eachValue(tx.Bucket(bucketHistory), func(seq uint64, k kind, _ []byte) error {
		if k != kindRequest {
			return nil
		}
		rec, _, err := readHistory(tx, seq)
		if err != nil {
			return err
		}
		return enterHistory(tx, seq, &rec)
	})
}

func createBuckets(tx *bbolt.Tx, names [][]byte) error {
	for _, name := range names {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	return nil
}

func checkFormat(tx *bbolt.Tx) error {
	meta := tx.Bucket(bucketMeta)
	if meta == nil {
		return ErrForeign
	}
	format := meta.Get(metaFormat)
	if len(format) != 1 || format[0] == 0 {
		return ErrForeign
	}
	if format[0] > formatVersion {
		return fmt.Errorf("%w: it has format %d, this askd knows up to %d", ErrNewerFormat, format[0], formatVersion)
	}
	for _, name := range slices.Concat(newBuckets[:format[0]+1]...) {
		if tx.Bucket(name) == nil {
			return fmt.Errorf("%w: bucket %q is missing", ErrDamaged, name)
		}
	}
	return nil
}

// translate turns what bbolt says into our own words. What bbolt's errors mean is kept in the chain.
func translate(err error) error {
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return ErrLocked
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrVersionMismatch),
		errors.Is(err, berrors.ErrChecksum):
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

func advice(err error, path string) string {
	switch {
	case errors.Is(err, ErrLocked):
		return "stop the askd that uses it, or choose another file"
	case errors.Is(err, ErrNewerFormat):
		return "the file was left as it is: start the newer askd, or choose another file"
	case errors.Is(err, ErrOlderFormat):
		return "the file was left as it is: start askd on it once, which brings it up to date"
	case errors.Is(err, ErrNoDataFile):
		return "the file was left as it is: choose another file, or put a backup in its place"
	case errors.Is(err, ErrForeign):
		return "the file was left as it is: choose another file"
	case errors.Is(err, ErrDamaged):
		return "the file was left as it is: `askctl check --rescue " + path + "` saves what is readable into a fresh file, or put a backup in its place"
	}
	return "check the path and its permissions, or choose another file"
}

// guard turns the panics of a damaged file into ErrDamaged: bbolt asserts rather than reports, and a page that lies
// behind the end of the file is a memory fault.
func guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}()
	return f()
}

func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
