package config

import (
	"errors"
	"strings"
	"testing"
)

func env(pairs ...string) func(string) string {
	return func(key string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == key {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestSocketPath(t *testing.T) {
	tests := []struct {
		name, flag string
		getenv     func(string) string
		want       string
	}{
		{"flag wins", "/a/b.sock", env("ASKD_SOCKET", "/c.sock", "XDG_RUNTIME_DIR", "/run/user/7"), "/a/b.sock"},
		{"variable", "", env("ASKD_SOCKET", "/c.sock", "XDG_RUNTIME_DIR", "/run/user/7"), "/c.sock"},
		{"runtime dir", "", env("XDG_RUNTIME_DIR", "/run/user/7"), "/run/user/7/askd/askd.sock"},
		{"relative runtime dir is no dir", "", env("XDG_RUNTIME_DIR", "run"), "/tmp/askd-7/askd.sock"},
		{"nothing set", "", env(), "/tmp/askd-7/askd.sock"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := SocketPath(tt.flag, tt.getenv, 7)
			if err != nil || got != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestSocketPathLimitCountsBytes(t *testing.T) {
	name := func(n int) string { return "/" + strings.Repeat("x", n-1) }
	tests := []struct {
		path, goos string
		fits       bool
	}{
		{name(90), "linux", true},
		{name(107), "linux", true},
		{name(108), "linux", false},
		{name(200), "linux", false},
		{name(103), "darwin", true},
		{name(104), "darwin", false},
		{"/" + strings.Repeat("ü", 53), "linux", true},
		{"/" + strings.Repeat("ü", 54), "linux", false},
	}
	for _, tt := range tests {
		got, err := checkSocketPath(tt.path, tt.goos)
		if tt.fits {
			if err != nil || got != tt.path {
				t.Errorf("%d bytes on %s: %v", len(tt.path), tt.goos, err)
			}
			continue
		}
		if !errors.Is(err, ErrSocketPathTooLong) {
			t.Errorf("%d bytes on %s: got %v", len(tt.path), tt.goos, err)
		}
	}
}

func TestSocketPathErrorSaysWhatToDo(t *testing.T) {
	path := "/" + strings.Repeat("x", 107)
	_, err := checkSocketPath(path, "linux")
	for _, want := range []string{path, "108 bytes", "limit is 107", "--socket", "ASKD_SOCKET"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name %q", err, want)
		}
	}
}

func TestFilePaths(t *testing.T) {
	tests := []struct{ name, got, want string }{
		{"data flag", DataPath("/d", env("ASKD_DATA", "/e"), "/home/u"), "/d"},
		{"data variable", DataPath("", env("ASKD_DATA", "/e", "XDG_STATE_HOME", "/s"), "/home/u"), "/e"},
		{"data state home", DataPath("", env("XDG_STATE_HOME", "/s"), "/home/u"), "/s/askd/askd.db"},
		{"data default", DataPath("", env(), "/home/u"), "/home/u/.local/state/askd/askd.db"},
		{"log flag", LogPath("/l", env("ASKD_LOG", "/m"), "/x/askd.db"), "/l"},
		{"log variable", LogPath("", env("ASKD_LOG", "/m"), "/x/askd.db"), "/m"},
		{"log default", LogPath("", env(), "/x/askd.db"), "/x/askd.log"},
		{"agent dir default", AgentDir(env(), "/home/u"), "/home/u/.pi/agent"},
		{"agent dir", AgentDir(env("PI_CODING_AGENT_DIR", "/p"), "/home/u"), "/p"},
		{"agent dir tilde", AgentDir(env("PI_CODING_AGENT_DIR", "~/p"), "/home/u"), "/home/u/p"},
		{"agent dir bare tilde", AgentDir(env("PI_CODING_AGENT_DIR", "~"), "/home/u"), "/home/u"},
		{"agent dir of somebody", AgentDir(env("PI_CODING_AGENT_DIR", "~x/p"), "/home/u"), "~x/p"},
		{"ask settings", AskSettingsPath("/p"), "/p/extensions/pi-agent-ask.json"},
		{"question settings", QuestionSettingsPath("/p"), "/p/ask-user-settings.json"},
		{"project settings", ProjectSettingsPath("/w"), "/w/.pi/extensions/pi-agent-ask.json"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}
