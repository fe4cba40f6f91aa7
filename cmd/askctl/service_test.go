package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// awkward are wishes whose every word needs care in a unit or a list of properties.
func awkward(t *testing.T) serviceWishes {
	t.Helper()
	home := filepath.Join(t.TempDir(), `my "home" & 100% of $HOME\n`)
	program := filepath.Join(home, "askd")
	if err := errors.Join(os.MkdirAll(home, 0o700), os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700)); err != nil {
		t.Fatal(err)
	}
	return serviceWishes{
		program: program, socket: filepath.Join(home, "run", "s"), data: filepath.Join(home, "askd.db"), home: home,
		config: filepath.Join(home, "config"), environ: [][2]string{{"ASKD_LOG", filepath.Join(home, "a <log>")}},
	}
}

// TestUnitsAreSystemds: systemd itself reads the units and has nothing to say about them.
func TestUnitsAreSystemds(t *testing.T) {
	w := awkward(t)
	plain := w
	plain.runtime, plain.socket = "/run/user/1000", "/run/user/1000/askd/askd.sock"
	plain.home, plain.program, plain.data, plain.environ = t.TempDir(), "/bin/sh", "/tmp/askd.db", nil
	plain.config = filepath.Join(plain.home, ".config")
	for name, w := range map[string]serviceWishes{"awkward": w, "plain": plain} {
		args := []string{"--user", "verify"}
		for _, f := range systemdUnits(w) {
			if err := f.write(); err != nil {
				t.Fatal(err)
			}
			args = append(args, f.path)
		}
		cmd := exec.Command("systemd-analyze", args...)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir(), "SYSTEMD_LOG_LEVEL=info")
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: systemd says %v\n%s\nof\n%s", name, err, out, systemdUnits(w)[1].whole())
		}
	}
	if text := systemdUnits(plain)[0].text; !strings.Contains(text, "ListenStream=%t/askd/askd.sock\n") {
		t.Errorf("the usual socket is not said in systemd's words:\n%s", text)
	}
}

// TestAgentIsAPropertyList reads the agent of launchd back.
func TestAgentIsAPropertyList(t *testing.T) {
	w := awkward(t)
	files := launchdAgent(w)
	if len(files) != 1 || files[0].path != filepath.Join(w.home, "Library", "LaunchAgents", "askd.plist") {
		t.Fatalf("%+v", files)
	}
	var words []string
	d := xml.NewDecoder(strings.NewReader(files[0].whole()))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			words = append(words, "<"+token.Name.Local)
		case xml.CharData:
			if s := strings.TrimSpace(string(token)); s != "" {
				words = append(words, s)
			}
		}
	}
	want := []string{
		"<plist", "<dict", "<key", "Label", "<string", "askd", "<key", "ProgramArguments", "<array", "<string", w.program, "<string", "--headless",
		"<string", "--data", "<string", w.data, "<string", "--socket", "<string", w.socket, "<key", "EnvironmentVariables", "<dict", "<key", "ASKD_LOG",
		"<string", w.environ[0][1], "<key", "RunAtLoad", "<true", "<key", "KeepAlive", "<dict", "<key", "SuccessfulExit", "<false",
	}
	if !slices.Equal(words, want) {
		t.Errorf("read\n%q\nwant\n%q", words, want)
	}
}

// TestServiceFileStates: what a person wrote is told from what some askctl wrote, now or earlier.
func TestServiceFileStates(t *testing.T) {
	for name, files := range map[string][]serviceFile{"systemd": systemdUnits(awkward(t)), "launchd": launchdAgent(awkward(t))} {
		f := files[0]
		older := f
		older.text = strings.Replace(older.text, "askd", "askd-older", 1)
		for _, row := range []struct {
			text string
			want fileState
		}{
			{f.whole(), fileGood},
			{older.whole(), fileOld},
			{f.whole() + "\n", fileChanged},
			{strings.Replace(f.whole(), "askd", "mine", 1), fileChanged},
			{"[Unit]\n", fileChanged},
			{"", fileChanged},
		} {
			if err := errors.Join(os.MkdirAll(filepath.Dir(f.path), 0o700), os.WriteFile(f.path, []byte(row.text), 0o600)); err != nil {
				t.Fatal(err)
			}
			if got, err := f.state(); got != row.want || err != nil {
				t.Errorf("%s: %q is %q, %v, want %q", name, row.text, got, err, row.want)
			}
		}
		if err := os.Remove(f.path); err != nil {
			t.Fatal(err)
		}
		if got, err := f.state(); got != fileAbsent || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
