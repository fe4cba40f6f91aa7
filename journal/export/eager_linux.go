package export

import (
	"os"
	"syscall"
)

// syncFileRangeWrite is SYNC_FILE_RANGE_WRITE: begin to write, wait for nothing.
const syncFileRangeWrite = 2

// beginSync has the system begin to write a part of a file to the disk. What comes of it is told by the sync at the end.
func beginSync(f *os.File, from, bytes int64) {
	_ = syscall.SyncFileRange(int(f.Fd()), from, bytes, syncFileRangeWrite)
}
