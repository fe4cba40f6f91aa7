package journal

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRoomOnFullDisk: what could not be had is not tried again at every commit, and is had later.
func TestRoomOnFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "askd.db")
	must(t, os.WriteFile(path, make([]byte, 64<<10), 0o600))
	full, err := os.Open(path) // takes no writes
	must(t, err)
	defer full.Close()
	disk, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer disk.Close()
	r := room{file: full}
	used := int64(64 << 10)
	r.keep(used)
	r.file = disk
	r.keep(used)
	if n := fileSize(path); n != 64<<10 {
		t.Errorf("tried again at once: %d bytes", n)
	}
	used += minRoom
	r.keep(used)
	if n := fileSize(path); n != used+minRoom {
		t.Errorf("%d bytes, want %d", n, used+minRoom)
	}
}
