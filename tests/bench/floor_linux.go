package main

import (
	"os"

	"golang.org/x/sys/unix"
)

func preallocate(f *os.File) error { return unix.Fallocate(int(f.Fd()), 0, 0, floorFile) }

func syncData(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }
