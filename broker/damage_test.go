package broker

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"askd/broker/ask"
)

// TestDamageIsNoFullDisk: an error that a damaged data file caused ends with the rescue, whatever met it, once; any other keeps
// its own next step.
func TestDamageIsNoFullDisk(t *testing.T) {
	rescue := "stop askd if it runs, then `askctl check --rescue /d/askd.db` saves what is readable into a fresh file"
	damage := fmt.Errorf("list history: %w", &ask.Damage{Path: "/d/askd.db", Err: errors.New("data file is damaged: page 9")})
	for want, e := range map[string]*Error{
		"read the history: list history: data file is damaged: page 9: " + rescue:                    storageError("read the history", damage),
		"list history: data file is damaged: page 9; nothing was left behind: " + rescue:             ExportError(damage),
		"x: file already exists: free disk space or fix the data file's permissions, then ask again": storageError("x", fs.ErrExist),
		"file already exists: nothing was left behind; choose another path":                          ExportError(fs.ErrExist),
	} {
		if e.Error() != want || e.Kind != Storage {
			t.Errorf("got  %s\nwant %s", e, want)
		}
	}
	if text := damage.Error(); strings.Count(text, "--rescue") != 1 || !strings.HasSuffix(text, rescue) {
		t.Error(text)
	}
}
