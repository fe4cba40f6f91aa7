package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"askd/broker/ask"
	"askd/broker/client"
	"askd/cmd/pi-extension/install"
	"askd/config"
	"askd/journal"
)

func one(state gravity, text, next string) []finding {
	return []finding{{State: state, Text: text, Next: next}}
}

func (d *doctor) askd() []finding {
	switch {
	case errors.Is(d.fault, config.ErrSocketPathTooLong):
		return one(wrong, d.fault.Error(), "set ASKD_SOCKET to a shorter path, for askd and its clients")
	case errors.Is(d.fault, client.ErrNotRunning):
		return one(wrong, "nothing answers on "+d.socket, "start `askd` in another terminal pane; if it runs, give both the same --socket, ASKD_SOCKET or XDG_RUNTIME_DIR")
	case d.fault != nil:
		return one(wrong, d.fault.Error(), "restart askd")
	case d.status.Version != config.Version && d.afar() != "":
		return one(wrong, fmt.Sprintf("askd on %s is %s, askctl here is %s", d.afar(), d.status.Version, config.Version), "install the same release on both machines, then restart askd there")
	case d.status.Version != config.Version:
		return one(wrong, fmt.Sprintf("askd is %s, askctl is %s", d.status.Version, config.Version), "install both from the same release, then restart askd")
	case d.afar() != "":
		return one(fine, fmt.Sprintf("%s runs on %s as process %d; this machine reaches it through %s", d.status.Version, d.afar(), d.status.PID, d.socket), "")
	}
	return one(fine, fmt.Sprintf("%s runs as process %d", d.status.Version, d.status.PID), "")
}

// mine reports whether a file belongs to the person who runs askctl.
func mine(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

func (d *doctor) socketFile() []finding {
	if d.socket == "" {
		return nil
	}
	folder := filepath.Dir(d.socket)
	info, err := os.Lstat(folder)
	switch elsewhere := "set ASKD_SOCKET to a path in a folder of your own, for askd and its clients"; {
	case errors.Is(err, fs.ErrNotExist):
		return one(note, "the folder "+folder+" is not there yet", "start askd, which makes it")
	case err != nil:
		return one(wrong, err.Error(), elsewhere)
	case info.Mode()&os.ModeSymlink != 0 || !info.IsDir():
		return one(wrong, folder+" is a link or no folder, askd does not use it", elsewhere)
	case !mine(info) && d.a.relayed:
		return one(fine, d.socket+", of another user, who lets this one in", "")
	case !mine(info):
		return one(wrong, "the folder "+folder+" belongs to another user", elsewhere)
	case info.Mode().Perm()&0o077 != 0:
		return one(wrong, fmt.Sprintf("the folder %s is open to other users (mode %04o)", folder, info.Mode().Perm()), "chmod 700 "+folder)
	}
	return d.socketItself()
}

func (d *doctor) socketItself() []finding {
	info, err := os.Lstat(d.socket)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return one(note, d.socket+" is not there yet, its folder is yours alone", "start askd, which makes it")
	case err != nil:
		return one(wrong, err.Error(), "look at the folder's permissions")
	case info.Mode().Type() != fs.ModeSocket:
		return one(wrong, d.socket+" is no socket", "move it away, then start askd")
	case info.Mode().Perm()&0o077 != 0:
		return one(wrong, fmt.Sprintf("%s is open to other users (mode %04o)", d.socket, info.Mode().Perm()), "chmod 600 "+d.socket)
	}
	return one(fine, d.socket+", yours alone", "")
}

func (d *doctor) dataFile() []finding {
	path := d.a.dataPath()
	if host := d.afar(); host != "" {
		return one(fine, fmt.Sprintf("%s on %s", d.status.DataFile, host), "")
	}
	if d.status != nil {
		path = d.status.DataFile
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && d.status == nil:
		return one(note, path+" is not there yet", "start askd, which makes it")
	case errors.Is(err, fs.ErrNotExist):
		return one(wrong, path+" is gone while askd uses it", "stop askd before anything else writes to the disk, and put the file back from a backup")
	case err != nil:
		return one(wrong, err.Error(), "look at the folder's permissions, or choose another file with ASKD_DATA")
	case !info.Mode().IsRegular():
		return one(wrong, path+" is no regular file", "choose another file with ASKD_DATA")
	case !mine(info):
		return one(wrong, path+" belongs to another user", "choose another file with ASKD_DATA")
	case info.Mode().Perm()&0o077 != 0:
		return one(wrong, fmt.Sprintf("%s is open to other users (mode %04o)", path, info.Mode().Perm()), "chmod 600 "+path)
	}
	if d.status == nil {
		return append(d.closedFile(path, info), d.otherData(path)...)
	}
	return append(one(fine, fmt.Sprintf("%s, %s, yours alone", path, size(info.Size())), ""), d.otherData(path)...)
}

// closedFile looks into a data file that no askd has open: a damaged one may be why none runs.
func (d *doctor) closedFile(path string, info fs.FileInfo) []finding {
	good := fmt.Sprintf("%s, %s, yours alone", path, size(info.Size()))
	problems, err := journal.Inspect(path, openWithin)
	switch {
	case errors.Is(err, journal.ErrLocked):
		return one(note, good+", in use by "+holderText(path), "name its socket with --socket or ASKD_SOCKET to look further")
	case err != nil:
		return one(wrong, err.Error(), "check the disk; a backup in its place is the safest way on")
	case len(problems) > 0:
		return one(wrong, fmt.Sprintf("%s is damaged: %s", path, problems[0]), "askctl check --rescue "+quoted(path)+" saves what is readable")
	}
	return one(fine, good, "")
}

// holderText names the process that has a data file.
func holderText(path string) string {
	if pid := lockHolder(path); pid != 0 {
		return fmt.Sprintf("process %d", pid)
	}
	return "another program"
}

// checkWithin is how long doctor waits for the data file to be read through.
const checkWithin = 30 * time.Second

// records has askd read through its data file.
func (d *doctor) records() []finding {
	if d.status == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(d.ctx, checkWithin)
	defer cancel()
	var u ask.Upkeep
	l, err := d.a.dialled(ctx)
	if err == nil {
		defer l.close()
		err = l.Call(ctx, "journal.check", struct{}{}, &u)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return one(note, fmt.Sprintf("reading through it takes longer than %s", checkWithin), "askctl check")
	case err != nil:
		return one(wrong, "it cannot be read through: "+err.Error(), "look at the end of askd's log")
	case len(u.Problems) > 0:
		return one(wrong, fmt.Sprintf("it does not hold together: %s", u.Problems[0]), "askctl check lists all; stop askd, then askctl check --rescue "+quoted(d.status.DataFile)+" saves what is readable")
	}
	return one(fine, "holds together: "+holding(&u), "")
}

// otherData tells of a file that the person named and the running askd does not use.
func (d *doctor) otherData(used string) []finding {
	if !d.a.dataNamed() || samePath(d.a.dataPath(), used) {
		return nil
	}
	return one(note, "askd uses another file than the "+d.a.dataPath()+" that is named here", "restart askd with the same --data or ASKD_DATA, or name its own socket with --socket")
}

// size is a number of bytes as a person says it.
func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%d KiB", n>>10)
	case n < 1<<30:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

func (d *doctor) pane() []finding {
	switch {
	case d.status == nil:
		return nil
	case !d.status.Pane.Attached:
		return one(note, "askd runs without one", "askctl attach opens one in a terminal; askctl answer works without")
	}
	return one(fine, paneText(d.status.Pane), "")
}

func (d *doctor) pi() []finding {
	dir, err := d.a.piDir()
	if err != nil {
		return one(wrong, err.Error(), "set HOME or PI_CODING_AGENT_DIR")
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return one(note, "there is no Pi folder "+dir, "when you use Pi: start it once, or set PI_CODING_AGENT_DIR, then `askctl pi install`")
	}
	r, err := install.Inspect(dir)
	if err != nil {
		return one(wrong, err.Error(), "repair what it names, then `askctl pi install`")
	}
	return append(extension(r), conflicts(r)...)
}

// extensionNext says what to do about each state of the extension but the good one.
var extensionNext = map[install.State]finding{
	install.Absent:   {State: note, Text: "the extension is not installed", Next: "askctl pi install"},
	install.Outdated: {State: wrong, Text: "the extension is of another version", Next: "askctl pi install, then /reload in Pi"},
	install.Modified: {State: wrong, Text: "the extension was changed or is incomplete", Next: "move the changed files away, then askctl pi install"},
}

func extension(r install.Report) []finding {
	f, bad := extensionNext[r.State]
	if !bad {
		return one(fine, "the extension "+r.Version+" is in "+r.Dir, "")
	}
	f.Text += " in " + r.Dir
	return []finding{f}
}

// conflicts are wrong only beside the extension: Pi does not start with both.
func conflicts(r install.Report) []finding {
	var out []finding
	state := wrong
	if r.State == install.Absent {
		state = note
	}
	for _, c := range r.Conflicts {
		out = append(out, finding{State: state, Text: fmt.Sprintf("%s registers the same tools: %s in %s", c.Name, c.Entry, c.Where), Next: c.Fix})
	}
	return out
}

// multiplexers are known by a variable that they set.
var multiplexers = []struct{ name, variable string }{
	{"tmux", "TMUX"}, {"Zellij", "ZELLIJ"}, {"WezTerm", "WEZTERM_PANE"}, {"kitty", "KITTY_WINDOW_ID"},
}

func (d *doctor) multiplexer() []finding {
	for _, m := range multiplexers {
		if d.a.getenv(m.variable) != "" {
			return one(fine, m.name, "")
		}
	}
	return one(note, "none that askd knows: Alt+Q cannot go over to the agent's own pane", "start askd and the agent inside tmux, Zellij, WezTerm or kitty to have that")
}

func (d *doctor) locale() []finding {
	value := ""
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value = d.a.getenv(name); value != "" {
			break
		}
	}
	folded := strings.ToLower(strings.ReplaceAll(value, "-", ""))
	switch {
	case strings.Contains(folded, "utf8"):
		return one(fine, value, "")
	case value == "":
		value = "no locale is set"
	}
	return one(wrong, value+": lines and marks may show as boxes or question marks", "export LC_ALL=C.UTF-8 before starting askd")
}

func (d *doctor) terminal() []finding {
	switch name := d.a.getenv("TERM"); name {
	case "":
		return one(note, "TERM is not set here", "start askd in a terminal, where it is")
	case "dumb":
		return one(note, "TERM is dumb: askd's pane cannot be drawn in it", "start askd in another terminal, or answer with askctl answer")
	default:
		return one(fine, name, "")
	}
}
