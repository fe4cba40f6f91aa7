package main

import (
	"fmt"
	"os"

	"askd/broker"
	"askd/broker/ask"
)

// thisHost is this machine's name, empty when it has none.
func thisHost() string {
	name, _ := os.Hostname()
	return name
}

// machine is a machine's name as it is told: that on which askd runs has none.
func machine(host, askds string) string {
	if host == askds {
		return ""
	}
	return host
}

// writesHere refuses to have a file written by an askd on another machine: it would be there, or be another user's.
func (a *app) writesHere(l *link, verb string) error {
	if l.direct || !a.relayed && machine(a.askdHost, thisHost()) == "" {
		return nil
	}
	return &exitError{code: exitFailed, text: fmt.Sprintf("askd runs on %s and would write the file there, so nothing was done: run `askctl %s` on that machine", a.askdHost, verb)}
}

// attach gives a call the files that its contexts name when askd runs on another machine, where it cannot read them.
func attach(c *broker.CallParams, remote bool) {
	c.Files = nil
	if remote && c.Tool == ask.ToolAskUser {
		c.Files = ask.Gather(c.Arguments)
	}
}
