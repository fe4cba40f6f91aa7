package journal

import "os"

// A file that grows by holes has the file system look for blocks, and write them into a journal of its own, at each sync. In
// room that has been written before, a sync writes the pages and no more, which takes half the time (PERFORMANCE, 1). So
// the file is kept a step longer than it must be.
const (
	minRoom = 1 << 20
	maxRoom = 16 << 20
	// roomParts is how many steps it takes to double a file: what is kept ready stays small beside what is there.
	roomParts = 4
)

// room is the end of the data file, the committer's own.
type room struct {
	file *os.File
	end  int64 // size of the file when it was last looked at, or that it could not be given
}

// keep lengthens the file with zeros when less than half a step is left behind what bbolt uses. It is called between
// transactions, after everyone has been told. What it writes is synced by the next transaction. Without room for it on the
// disk the file stays as it is, and the next half step is tried: bbolt says so when it needs some.
func (r *room) keep(used int64) {
	step := min(max(minRoom, used/roomParts), maxRoom)
	if r.file == nil || used+step/2 <= r.end {
		return
	}
	info, err := r.file.Stat() // bbolt lengthens it as well
	if err != nil {
		return
	}
	r.end = info.Size()
	want := used + step
	if r.end >= want {
		return
	}
	if writeZeros(r.file, r.end, want) != nil {
		_ = r.file.Truncate(r.end) // all of it or nothing
	}
	r.end = want // without room too: trying at every commit would fill the disk each time, under whatever else writes
}

// zeros are written over and over. A step in one piece would be fresh memory, which the kernel hands out page by page as it
// is read, and once more, with every processor interrupted, when the memory is used for something else.
var zeros [64 << 10]byte

func writeZeros(f *os.File, from, to int64) error {
	for from < to {
		n, err := f.WriteAt(zeros[:min(int64(len(zeros)), to-from)], from)
		if err != nil {
			return err
		}
		from += int64(n)
	}
	return nil
}
