package journal

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"askd/broker/ask"
)

// Why the journal refuses to open or to write. Compare with errors.Is; the errors returned carry the path or the id.
var (
	// ErrLocked: another process holds the file.
	ErrLocked = errors.New("data file is in use by another process")
	// ErrDamaged: the file is not a bbolt database, or its pages or records do not hold together.
	ErrDamaged = errors.New("data file is damaged or not a data file at all")
	// ErrNoDataFile: the file is empty, where one was to be read, or nothing in it looks like a data file.
	ErrNoDataFile = errors.New("this is no data file of askd")
	// ErrOlderFormat: the file is of an earlier release and was to be read without a change.
	ErrOlderFormat = errors.New("data file was written by an older askd")
	// ErrForeign: the file is a bbolt database, but of another program.
	ErrForeign = errors.New("data file belongs to another program")
	// ErrNewerFormat: the file, or a record in it, was written by a later release.
	ErrNewerFormat = errors.New("data file was written by a newer askd")
	// ErrGone: the file was removed, moved or replaced under the running journal. Nothing was stored: what went into it now
	// would be there for nobody after the next start.
	ErrGone = errors.New("data file was removed or replaced while askd runs; put it back, or start askd again")
	// ErrClosed: the call came after Close.
	ErrClosed = errors.New("journal is closed")
	// ErrUnknownRequest: no such request was ever stored.
	ErrUnknownRequest = errors.New("unknown request")
	// ErrDuplicate: a request of this session and id is stored already, live or in the history.
	ErrDuplicate = errors.New("request is stored already")
	// ErrAlreadyEnded: the request has an outcome, or stands in the history; AppendReopened makes it wait again.
	ErrAlreadyEnded = errors.New("request has ended already")
	// ErrNotEnded: a delivery was reported for a request without outcome.
	ErrNotEnded = errors.New("request has no outcome yet")
	// ErrOtherOutcome: a delivery was reported for another outcome than the one stored.
	ErrOtherOutcome = errors.New("request ended with another outcome")
	// ErrKeyTooLong: session and request id together pass MaxKey bytes.
	ErrKeyTooLong = errors.New("session and request id are too long")
	// ErrNoteTooLong: a note passes MaxNote bytes.
	ErrNoteTooLong = errors.New("note is too long")
)

// MaxKey is the most that a session and a request id may take together, in bytes.
const MaxKey = 8 << 10

// Defaults of Options.
const (
	// DefaultDraftDelay keeps drafts at two commits a second (PERFORMANCE, 16).
	DefaultDraftDelay = 500 * time.Millisecond
	// DefaultLockTimeout is long enough for a predecessor that is just closing, short enough for a person to wait.
	DefaultLockTimeout = 2 * time.Second
	// DefaultWholeUpTo cost a quarter to half a second on two cores that had much else to do; a file that uses little, little.
	DefaultWholeUpTo = 64 << 20
)

// Options says where the journal is and what it runs on. Only Path is needed.
type Options struct {
	// Path of the data file. Missing folders are made with mode 0700, the file with 0600.
	Path string
	// Go starts the committer and, after Close, the callbacks of late calls. Nil is a plain go statement.
	Go func(name string, f func())
	// Now is the clock of the draft delay and of the file's creation time. Nil is time.Now.
	Now func() time.Time
	// DraftDelay is how long a draft waits for a newer one before it is written. Zero is DefaultDraftDelay.
	DraftDelay time.Duration
	// LockTimeout is how long Open waits for another process to let go of the file. Zero is DefaultLockTimeout.
	LockTimeout time.Duration
	// Suspect says that whoever had the file last did not close it: it or the machine died. Open looks at all of a large file
	// then that it looks at otherwise while the journal is in use (Journal.Whole), some 30 ms for each 100 MB.
	Suspect bool
	// Existing says that the file has to be there with something in it: fs.ErrNotExist, or ErrNoDataFile.
	Existing bool
	// ReadOnly is Existing, and nothing is written to the file, whatever it is. One of an earlier release is ErrOlderFormat.
	// Only what reads may be called.
	ReadOnly bool
	// WholeUpTo is the size of the largest file, in bytes, whose pages are all looked at before it is opened, at 70 ms at most
	// for each 10 MB. Zero is DefaultWholeUpTo; with less than zero every file is a large one. Of those, only what opening reads
	// is looked at before, and the rest as Suspect says.
	WholeUpTo int64
	// Failpoint, when set, is called by the committer at the named steps of a transaction: request-committed,
	// draft-committed, outcome-committed, ack-committed, reopen-committed, note-committed and index-committed after the transaction and
	// before any done, and the same names with "before-" in front when everything is written but nothing committed;
	// compacted when a compacted file is in place, before-compacted when it is about to be. For crash tests.
	Failpoint func(step string)
}

func (o Options) withDefaults() Options {
	if o.Go == nil {
		o.Go = func(_ string, f func()) { go f() }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.DraftDelay <= 0 {
		o.DraftDelay = DefaultDraftDelay
	}
	if o.LockTimeout <= 0 {
		o.LockTimeout = DefaultLockTimeout
	}
	if o.WholeUpTo == 0 {
		o.WholeUpTo = DefaultWholeUpTo
	}
	o.Existing = o.Existing || o.ReadOnly
	if o.Failpoint == nil {
		o.Failpoint = func(string) {}
	}
	return o
}

// Journal is an open data file. It satisfies the broker's Store. Make one with Open; the zero value is not usable.
// All methods may be called from any goroutine. The order of appending is the order in which the calls return.
type Journal struct {
	opts Options

	dbMu sync.RWMutex // held by readers, and by a compaction while it puts another file in place
	db   *bbolt.DB
	file os.FileInfo // which file db is; the committer's own
	room room        // behind the end of it

	queueMu sync.Mutex
	queue   []*op
	closed  bool
	wake    chan struct{} // holds one token when the committer has something to look at

	stuck     bool  // a transaction stands open for ever (update); the committer's own
	unread    *rest // what has not been looked at when the file was opened
	postponed []*op // what waits for it, oldest first; the committer's own

	held held // what may wait a little; the committer's own

	liveMu sync.RWMutex
	live   map[ask.Key]*entry // who may touch an entry's fields: see entry

	indexing  atomic.Bool // a block of the search index is being made
	indexers  sync.WaitGroup
	indexTime atomic.Int64 // IndexStats.Spent
	indexed   atomic.Int64
	tail      tail
	summaries liveSummaries
	lastPage  atomic.Pointer[keptRows]

	records      atomic.Int64
	commits      atomic.Int64
	draftCommits atomic.Int64

	done     chan struct{} // closed when the committer has ended
	closing  sync.Once
	closeErr error
}

// Stats are the sizes of a journal at one moment.
type Stats struct {
	Records      int   // requests stored, live and history
	Live         int   // requests without a delivered outcome
	FileBytes    int64 // size of the data file
	Commits      int64 // transactions since Open
	DraftCommits int64 // those among them that wrote a draft
}

// Stats measures the journal. It asks the file system for the size of the file and does not read it. After Close the
// counts stay readable and FileBytes is 0.
func (j *Journal) Stats() Stats {
	j.liveMu.RLock()
	live := len(j.live)
	j.liveMu.RUnlock()
	s := Stats{
		Records:      int(j.records.Load()),
		Live:         live,
		Commits:      j.commits.Load(),
		DraftCommits: j.draftCommits.Load(),
	}
	// Inside a transaction, so that Close cannot take the file away meanwhile.
	_ = j.viewLive(func(*bbolt.Tx) error {
		s.FileBytes = fileSize(j.opts.Path)
		return nil
	})
	return s
}

// Records is the number of requests stored, live and history. It does not touch the disk.
func (j *Journal) Records() int { return int(j.records.Load()) }

// Close writes what still waits, drafts included, calls every done, waits for readers and closes the file. Readers that wait
// for Whole get ErrClosed. Later calls
// do nothing and give the same error. It must not be called from a done.
func (j *Journal) Close() error {
	j.closing.Do(func() {
		j.queueMu.Lock()
		j.closed = true
		j.queueMu.Unlock()
		j.kick()
		<-j.done
		j.unread.giveUp()
		j.indexers.Wait()
		if err := j.closeFile(j.room.file); err != nil {
			j.closeErr = fmt.Errorf("close journal %s: %w", j.opts.Path, err)
		}
	})
	return j.closeErr
}
