package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// Errors of this package that a caller may branch on.
var (
	// ErrSocketPathTooLong: the socket's path does not fit into the platform's address structure.
	ErrSocketPathTooLong = errors.New("socket path too long")
	// ErrUnknownKey: Set was given a key that no setting has.
	ErrUnknownKey = errors.New("unknown setting")
	// ErrInvalidValue: Set was given a value of the wrong kind.
	ErrInvalidValue = errors.New("invalid value")
	// ErrNotUnderstood: the file on disk is invalid, so saving one setting would throw its text away.
	ErrNotUnderstood = errors.New("the file on disk is invalid or of a newer version; fix it or reset the config first")
)

// SocketPath is where the daemon listens and every client dials: the --socket flag, ASKD_SOCKET,
// $XDG_RUNTIME_DIR/askd/askd.sock or /tmp/askd-<uid>/askd.sock, the first that is set. It touches no disk. A path longer
// than the platform allows (counted in bytes) is ErrSocketPathTooLong, before anything tries to bind it.
func SocketPath(flag string, getenv func(string) string, uid int) (string, error) {
	return checkSocketPath(socketPath(flag, getenv, uid), runtime.GOOS)
}

func socketPath(flag string, getenv func(string) string, uid int) string {
	if p := first(flag, getenv("ASKD_SOCKET")); p != "" {
		return p
	}
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "askd", "askd.sock")
	}
	return filepath.Join("/tmp", "askd-"+strconv.Itoa(uid), "askd.sock")
}

func checkSocketPath(path, goos string) (string, error) {
	limit := SocketPathMaxLinux
	if goos != "linux" {
		limit = SocketPathMaxDarwin
	}
	if len(path) <= limit {
		return path, nil
	}
	return "", fmt.Errorf("%w: %s is %d bytes, the limit is %d; choose a shorter one with --socket or ASKD_SOCKET, the same for askd and its clients",
		ErrSocketPathTooLong, path, len(path), limit)
}

// DataPath is the daemon's data file: the --data flag, ASKD_DATA, $XDG_STATE_HOME/askd/askd.db or
// ~/.local/state/askd/askd.db, the first that is set. home is the person's home folder.
func DataPath(flag string, getenv func(string) string, home string) string {
	if p := first(flag, getenv("ASKD_DATA")); p != "" {
		return p
	}
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "askd", "askd.db")
	}
	return filepath.Join(home, ".local", "state", "askd", "askd.db")
}

// LogPath is the daemon's log: the --log flag, ASKD_LOG, or askd.log beside the data file.
func LogPath(flag string, getenv func(string) string, dataPath string) string {
	if p := first(flag, getenv("ASKD_LOG")); p != "" {
		return p
	}
	return filepath.Join(filepath.Dir(dataPath), "askd.log")
}

// AgentDir is Pi's folder: PI_CODING_AGENT_DIR with a leading ~ expanded, else ~/.pi/agent.
func AgentDir(getenv func(string) string, home string) string {
	dir := getenv("PI_CODING_AGENT_DIR")
	switch {
	case dir == "":
		return filepath.Join(home, ".pi", "agent")
	case dir == "~":
		return home
	case strings.HasPrefix(dir, "~/"):
		return filepath.Join(home, dir[2:])
	}
	return dir
}

// AskSettingsPath is the settings file of the ask tools under Pi's folder.
func AskSettingsPath(agentDir string) string {
	return filepath.Join(agentDir, "extensions", "pi-agent-ask.json")
}

// PiKeysPath is the file of Pi's own keys under Pi's folder.
func PiKeysPath(agentDir string) string { return filepath.Join(agentDir, "keybindings.json") }

// ProjectSettingsPath is a project's own file, which may override behaviour.backgroundOnly when the project is trusted.
func ProjectSettingsPath(cwd string) string {
	return filepath.Join(cwd, ".pi", "extensions", "pi-agent-ask.json")
}

// QuestionSettingsPath is the settings file of ask_user_question under Pi's folder.
func QuestionSettingsPath(agentDir string) string {
	return filepath.Join(agentDir, "ask-user-settings.json")
}

func first(candidates ...string) string {
	for _, c := range candidates {
		if c != "" {
			return c
		}
	}
	return ""
}

// Plain reports whether the environment asks for panes in words, for a screen reader: ASKD_PLAIN is set, and not to 0.
func Plain(getenv func(string) string) bool {
	v := getenv("ASKD_PLAIN")
	return v != "" && v != "0"
}
