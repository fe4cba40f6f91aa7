package broker_test

import "slices"

// The steps that end and begin things.

func (m *model) remove(p *process) {
	m.processes = slices.DeleteFunc(m.processes, func(q *process) bool { return q == p })
}

// kill ends a process without a word; askd only sees the connection end.
func (p *process) kill() {
	p.m.trace("%s is killed", p.name())
	if p.line != nil {
		p.disconnect()
	}
	p.m.remove(p)
}

func (m *model) killProcess() bool {
	return m.withProcess(func(p *process) bool {
		p.kill()
		return true
	})
}

// killTorn kills a process between two entries that belong together.
func (m *model) killTorn() bool {
	return m.withProcess(func(p *process) bool {
		switch {
		case len(p.results) > 0:
			p.writeResult(true)
		case !p.connected() || !p.place(true):
			return false
		}
		p.kill()
		return true
	})
}

// killEarly kills a process between the call and its request.
func (m *model) killEarly() bool {
	return m.withProcess(func(p *process) bool {
		if len(p.calls) > 0 {
			return false
		}
		p.write(record{kind: "call", toolCall: "t" + tail(m.id()), tool: "ask_user"})
		p.kill()
		return true
	})
}

// settleDown ends what a process has running and writes everything down, as pi does before it leaves a branch.
func (p *process) settleDown(reason string) {
	for len(p.calls) > 0 {
		p.abort(p.calls[0], reason, !p.m.coin(4))
	}
	for len(p.results) > 0 {
		p.writeResult(false)
	}
}

func (m *model) quit() bool {
	return m.withProcess(func(p *process) bool {
		p.settleDown("quit")
		m.trace("%s quits", p.name())
		if p.connected() {
			p.line.client.CloseSession(p.line.replied("session.close", func(any, error) {}))
		}
		p.kill()
		return true
	})
}

func (m *model) restartProcess() bool {
	f, _ := pick(m, m.files)
	if slices.ContainsFunc(m.processes, func(p *process) bool { return p.file == f }) && !secondProcesses {
		return false
	}
	m.startProcess(f, "startup")
	return true
}

// secondProcesses lets two processes write to one session file.
const secondProcesses = true

// moveInTree stands on another entry of the file.
func (m *model) moveInTree() bool {
	return m.withProcess(func(p *process) bool {
		if len(p.file.records) == 0 {
			return false
		}
		p.settleDown("switch")
		p.leaf = m.rng.IntN(len(p.file.records))
		m.trace("%s moves to entry %d, %s", p.name(), p.leaf, p.file.records[p.leaf])
		p.enter("tree")
		if p.line != nil {
			p.open()
		}
		return true
	})
}

func (m *model) forkFile(p *process) *sessionFile {
	leaf := p.leaf
	if n := len(p.file.branch(leaf)); n > 0 && m.coin(2) {
		for range m.rng.IntN(n) {
			leaf = p.file.records[leaf].parent
		}
	}
	f := p.file.fork(leaf, "")
	m.files = append(m.files, f)
	f.id = "s" + string(rune('0'+len(m.files)%10)) + p.file.id
	m.trace("%s is forked from %s at %d", f.id, p.file.id, leaf)
	return f
}

// goTo leads a process into another session.
func (p *process) goTo(f *sessionFile, reason string) {
	p.settleDown(reason)
	if p.connected() && p.m.coin(2) {
		p.line.client.CloseSession(p.line.replied("session.close", func(any, error) {}))
	}
	p.file, p.leaf = f, f.leaf
	p.enter(reason)
	if p.line != nil {
		p.open()
	}
}

// forkInProcess copies the branch, with calls that are still open, and goes on in the copy.
func (m *model) forkInProcess() bool {
	return m.withProcess(func(p *process) bool {
		if len(m.files) > 4 {
			return false
		}
		p.goTo(m.forkFile(p), "fork")
		return true
	})
}

// forkBeside starts another process over a copy, while this one goes on.
func (m *model) forkBeside() bool {
	return m.withProcess(func(p *process) bool {
		if len(m.files) > 4 {
			return false
		}
		m.startProcess(m.forkFile(p), "startup")
		return true
	})
}

func (m *model) newInProcess() bool {
	return m.withProcess(func(p *process) bool {
		if len(m.files) > 4 {
			return false
		}
		p.goTo(m.newFile(), "new")
		return true
	})
}

// killBroker ends askd with what is on its way to the disk, kept or not. Clients see their connections end.
func (m *model) killBroker() bool {
	if m.lives.broker == nil {
		return false
	}
	kept := m.coin(2)
	m.trace("kept: %t", kept)
	m.lives.kill(kept)
	for _, p := range m.processes {
		if p.line != nil {
			p.disconnect()
		}
	}
	return true
}

func (m *model) startBroker() bool {
	if m.lives.broker != nil {
		return false
	}
	m.lives.start()
	return true
}

// holdDisk keeps commits of one kind on their way.
func (m *model) holdDisk() bool {
	if _, held := m.lives.disk.holds(); held || m.lives.broker == nil {
		return false
	}
	kind, _ := pick(m, commitSteps)
	side, _ := pick(m, []string{"before-", ""})
	m.trace("%s%s", side, kind)
	m.lives.disk.hold(side + kind)
	return true
}

func (m *model) releaseDisk() bool {
	if _, held := m.lives.disk.holds(); !held {
		return false
	}
	m.lives.disk.release()
	return true
}
