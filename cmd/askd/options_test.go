package main

import (
	"path/filepath"
	"testing"
)

// TestDataPath: askctl runs in another folder, so askd tells it no relative path.
func TestDataPath(t *testing.T) {
	t.Chdir(t.TempDir())
	want, err := filepath.Abs("askd.db")
	if err != nil {
		t.Fatal(err)
	}
	o, err := options(flags{data: "./askd.db", socket: "/tmp/s"})
	if err != nil || o.Data != want {
		t.Errorf("data file %q, %v, want %q", o.Data, err, want)
	}
}
