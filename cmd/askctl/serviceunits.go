package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// serviceFile is one file that makes askd a service of the person's session.
type serviceFile struct {
	path    string
	comment [2]string // around the line that says who wrote it
	head    string    // before that line
	text    string
}

// serviceWishes are what the service is to run and where.
type serviceWishes struct {
	program string // askd
	socket  string
	runtime string // $XDG_RUNTIME_DIR; empty when it is not set
	data    string
	environ [][2]string // variables that askd needs to find what it finds by hand
	home    string
	config  string // $XDG_CONFIG_HOME, or what stands for it
}

// servicesOf says for each operating system which files make a service, and which commands switch it on and off.
var servicesOf = map[string]struct {
	files   func(serviceWishes) []serviceFile
	on, off func(uid int, w serviceWishes) [][]string
	enabled func(serviceWishes) string // a file that is there while the service is switched on; nil where none says so
}{
	"linux":  {systemdUnits, systemdOn, systemdOff, systemdEnabled},
	"darwin": {launchdAgent, launchdOn, launchdOff, nil},
}

// serviceKind is the kind of service of this operating system, systemd's where none is known.
func serviceKind() string {
	if _, ok := servicesOf[runtime.GOOS]; ok {
		return runtime.GOOS
	}
	return "linux"
}

// systemdUnits are a socket that systemd listens on and the service that it starts with the first connection.
func systemdUnits(w serviceWishes) []serviceFile {
	listen, args := w.socket, []string{w.program, "--headless", "--data", w.data}
	if w.runtime != "" && w.socket == filepath.Join(w.runtime, "askd", "askd.sock") {
		listen = "%t/askd/askd.sock"
	} else {
		listen = strings.ReplaceAll(listen, "%", "%%")
		args = append(args, "--socket", w.socket)
	}
	if strings.ContainsAny(w.program, `"'\$`) { // not allowed in the first word
		args = append([]string{"/usr/bin/env"}, args...)
	}
	var exec, env strings.Builder
	for i, a := range args {
		if i > 0 {
			exec.WriteString(" ")
		}
		exec.WriteString(unitWord(a, true))
	}
	for _, v := range w.environ {
		env.WriteString("Environment=" + unitWord(v[0]+"="+v[1], false) + "\n")
	}
	folder := filepath.Join(w.config, "systemd", "user")
	hash := [2]string{"# ", ""}
	return []serviceFile{
		{path: filepath.Join(folder, "askd.socket"), comment: hash, text: `[Unit]
Description=Socket of askd, an inbox for the questions of coding agents

[Socket]
ListenStream=` + listen + `
SocketMode=0600
DirectoryMode=0700

[Install]
WantedBy=sockets.target
`},
		{path: filepath.Join(folder, "askd.service"), comment: hash, text: `[Unit]
Description=askd, an inbox for the questions of coding agents
Requires=askd.socket
After=askd.socket

[Service]
Type=notify
ExecStart=` + exec.String() + "\n" + env.String() + `Restart=on-failure

[Install]
WantedBy=default.target
Also=askd.socket
`},
	}
}

// unitWord is a word of a unit's line. Commands take variables apart, too.
func unitWord(s string, command bool) string {
	s = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "\n", `\n`, "\t", `\t`).Replace(s)
	if command {
		s = strings.ReplaceAll(s, "$", "$$")
	}
	if strings.ContainsAny(s, " ';\\\"$") || s == "" {
		return `"` + s + `"`
	}
	return s
}

func systemdOn(int, serviceWishes) [][]string {
	return [][]string{{"systemctl", "--user", "daemon-reload"}, {"systemctl", "--user", "enable", "--now", "askd.socket"}}
}

func systemdOff(int, serviceWishes) [][]string {
	return [][]string{{"systemctl", "--user", "disable", "--now", "askd.socket", "askd.service"}}
}

func systemdEnabled(w serviceWishes) string {
	return filepath.Join(w.config, "systemd", "user", "sockets.target.wants", "askd.socket")
}

// agentLabel names the service to launchd.
const agentLabel = "askd"

// launchdAgent is an agent that launchd starts when the person logs in, and again should it fail.
func launchdAgent(w serviceWishes) []serviceFile {
	var b strings.Builder
	line := func(depth int, tag, text string) {
		var escaped bytes.Buffer
		_ = xml.EscapeText(&escaped, []byte(text)) // a buffer takes everything
		fmt.Fprintf(&b, "%s<%s>%s</%s>\n", strings.Repeat("\t", depth), tag, &escaped, tag)
	}
	b.WriteString("<plist version=\"1.0\">\n<dict>\n")
	line(1, "key", "Label")
	line(1, "string", agentLabel)
	line(1, "key", "ProgramArguments")
	b.WriteString("\t<array>\n")
	for _, a := range []string{w.program, "--headless", "--data", w.data, "--socket", w.socket} {
		line(2, "string", a)
	}
	b.WriteString("\t</array>\n")
	if len(w.environ) > 0 {
		line(1, "key", "EnvironmentVariables")
		b.WriteString("\t<dict>\n")
		for _, v := range w.environ {
			line(2, "key", v[0])
			line(2, "string", v[1])
		}
		b.WriteString("\t</dict>\n")
	}
	line(1, "key", "RunAtLoad")
	b.WriteString("\t<true/>\n")
	line(1, "key", "KeepAlive")
	b.WriteString("\t<dict>\n")
	line(2, "key", "SuccessfulExit")
	b.WriteString("\t\t<false/>\n\t</dict>\n</dict>\n</plist>\n")
	return []serviceFile{{
		path: agentPath(w), comment: [2]string{"<!-- ", " -->"}, text: b.String(),
		head: `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">` + "\n",
	}}
}

func agentPath(w serviceWishes) string {
	return filepath.Join(w.home, "Library", "LaunchAgents", agentLabel+".plist")
}

func launchdOn(uid int, w serviceWishes) [][]string {
	return [][]string{{"launchctl", "bootstrap", fmt.Sprintf("gui/%d", uid), agentPath(w)}}
}

func launchdOff(uid int, _ serviceWishes) [][]string {
	return [][]string{{"launchctl", "bootout", fmt.Sprintf("gui/%d/%s", uid, agentLabel)}}
}
