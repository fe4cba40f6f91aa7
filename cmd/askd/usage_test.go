package main

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// TestUsage: a wrong command line is told from a failure, and says where to read on.
func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"bogus"}, {"--bogus"}, {"run", "x"}, {"demo", "--headles"}, {"--allow-uid", "me"}} {
		c := command()
		c.SetArgs(args)
		c.SetOut(io.Discard)
		c.SetErr(io.Discard)
		err := c.Execute()
		if err == nil || exitCode(err) != exitUsage || !strings.Contains(err.Error(), "--help' for the ways") {
			t.Errorf("askd %v: %v", args, err)
		}
	}
	if exitCode(errors.New("disk")) != exitFailed {
		t.Error("a failure counts as a wrong command line")
	}
}
