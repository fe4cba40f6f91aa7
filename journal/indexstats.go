package journal

import (
	"context"
	"time"

	"go.etcd.io/bbolt"
)

// IndexStats measure the search index.
type IndexStats struct {
	Records int           // that are in it
	Due     int           // settled records that make whole blocks and are not in it yet
	Bytes   int           // of the file's pages that hold it
	Busy    bool          // records are being put into it
	Spent   time.Duration // working time on the records put into it since Open, without waiting for the disk
	Signed  int           // how many records that were
}

// Index measures the search index, whose pages it reads. Any goroutine. Errors: ErrClosed, ErrDamaged.
func (j *Journal) Index() (s IndexStats, err error) {
	s.Busy = j.indexing.Load()
	s.Spent, s.Signed = time.Duration(j.indexTime.Load()), int(j.indexed.Load())
	err = j.view(context.Background(), func(tx *bbolt.Tx) error {
		search, settled := tx.Bucket(bucketSearch), tx.Bucket(bucketSettled).Sequence()
		s.Records = int(search.Sequence()) * blockRecords
		s.Due = max(0, int(settled/blockRecords)*blockRecords-s.Records)
		pages := search.Stats()
		s.Bytes = pages.BranchAlloc + pages.LeafAlloc
		return nil
	})
	return s, err
}
