package tests

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// runCtl runs askctl and gives what it says.
func runCtl(t *testing.T, p place, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program(t, "askctl"), args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = p.env(), &out, &errs
	_ = cmd.Run()
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// TestRescueAndGoOn spoils the data file of an askd that has stopped: the next one ends with a word on what to do, doing it
// brings everything back, and the damaged file is kept.
func TestRescueAndGoOn(t *testing.T) {
	p := newPlace(t)
	askd := serve(t, p)
	c := connect(t, p, "s1")
	for n := range 30 {
		c.ended(c.begin(n, background(dbQuestion)))
	}
	askd.stop(t, syscall.SIGTERM)
	data, err := os.ReadFile(p.data)
	if err != nil {
		t.Fatal(err)
	}
	clear(data[:2*4096]) // both heads: no askd can open it
	if err := os.WriteFile(p.data, data, 0o600); err != nil {
		t.Fatal(err)
	}

	refused := launch(t, p)
	if code := refused.wait(t); code == 0 {
		t.Error("askd started on a damaged file")
	}
	advice := "askctl check --rescue " + p.data
	if said := refused.stderr.String(); !strings.Contains(said, advice) || strings.Contains(said, "goroutine") {
		t.Errorf("askd said %q", said)
	}
	if out, _, code := runCtl(t, p, "doctor"); code != 1 || !strings.Contains(out, advice) {
		t.Errorf("doctor, code %d:\n%s", code, out)
	}
	if _, errs, code := runCtl(t, p, "queue"); code == 0 || !strings.Contains(errs, advice) {
		t.Errorf("queue, code %d: %s", code, errs)
	}
	out, errs, code := runCtl(t, p, "check", "--rescue", p.data, "--replace")
	for _, part := range []string{"requests  30 saved, 0 lost", "Start askd."} {
		if code != 0 || !strings.Contains(out, part) {
			t.Errorf("rescue, code %d:\n%s%s", code, out, errs)
		}
	}
	kept, _ := filepath.Glob(p.data + ".damaged-*")
	if len(kept) != 1 {
		t.Fatalf("kept %v", kept)
	}
	if after, err := os.ReadFile(kept[0]); err != nil || !bytes.Equal(after, data) {
		t.Errorf("the damaged file was changed: %v", err)
	}
	serve(t, p)
	if got := dialRaw(t, p.socket).hello().queue(`{"all":true}`); len(got) != 30 {
		t.Errorf("%d forms are back", len(got))
	}
	if out, errs, code := runCtl(t, p, "check", "--rescue", p.data); code != 1 || !strings.Contains(errs, "is in use: stop the askd") {
		t.Errorf("while askd runs, code %d: %s%s", code, out, errs)
	}
	if _, errs, code := runCtl(t, p, "check", "--replace"); code != 2 || !strings.Contains(errs, "--rescue") {
		t.Errorf("--replace alone, code %d: %s", code, errs)
	}
}
