package tmuxtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// killSession ends the program that a terminal was made for and all that was started in that terminal, and waits for them.
func killSession(leader int) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for deadline := time.Now().Add(Patience); time.Now().Before(deadline); <-tick.C {
		left := 0
		for _, pid := range append(inSession(leader), leader) {
			if _, over := sessionOf(pid); !over && syscall.Kill(pid, syscall.SIGKILL) == nil {
				left++
			}
		}
		if left == 0 {
			return
		}
	}
}

// inSession are the processes of a session, as far as the system tells.
func inSession(leader int) []int {
	var out []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, stat := range stats {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
		if session, over := sessionOf(pid); err == nil && !over && session == leader {
			out = append(out, pid)
		}
	}
	return out
}

// sessionOf is the session of a process, and whether that can do nothing any more; tmux may take its time to bury it.
func sessionOf(pid int) (session int, over bool) {
	if syscall.Kill(pid, 0) != nil {
		return 0, true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, ok := strings.Cut(string(stat), ") ")
	if err != nil || !ok {
		return 0, false
	}
	var state string
	var parent, group int
	_, _ = fmt.Sscan(rest, &state, &parent, &group, &session)
	return session, state == "Z" || state == "X"
}
