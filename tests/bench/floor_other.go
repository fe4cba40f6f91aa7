//go:build !linux

package main

import "os"

func preallocate(f *os.File) error { return f.Truncate(floorFile) }

func syncData(f *os.File) error { return f.Sync() }
