package journal

import (
	"os"
	"syscall"
)

func datasync(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }

// makeMemoryDir makes a folder in memory, empty where there is none or less than the tests may need: containers often have
// 64 MiB.
func makeMemoryDir() string {
	const memory, enough = "/dev/shm", 512 << 20
	var s syscall.Statfs_t
	if syscall.Statfs(memory, &s) != nil || s.Bavail*uint64(s.Bsize) < enough {
		return ""
	}
	dir, err := os.MkdirTemp(memory, "journal-test-*")
	if err != nil {
		return ""
	}
	return dir
}
