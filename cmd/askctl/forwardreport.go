package main

import "fmt"

// report says what the check found, and once what to do on the host next. found is how askd answers there, whether askctl is
// there and whether Pi has the extension.
func (f *forward) report(found []string, path string, again bool) error {
	if len(found) != 3 {
		return &exitError{code: exitFailed, text: fmt.Sprintf("the forwarded socket %s is not on %s: sshd there did not make it", path, f.host)}
	}
	answers, tool, pi := found[0], found[1] == "yes", found[2] == "yes"
	switch {
	case answers == "silent" && f.check:
		return &exitError{code: exitNoDaemon, text: fmt.Sprintf("the socket %s is on %s, but askd did not answer through it: see `askctl status` here", path, f.host)}
	case answers == "silent":
		f.tell("linked, but askd does not answer through " + path + " there yet")
	case again:
		f.tell("linked again")
	case answers == "there":
		f.tell("linked: " + path + " is there. Nothing on the host could try it out")
	default:
		f.tell("linked: askd answers there on " + path)
	}
	if !again {
		f.next(tool, pi)
	}
	return nil
}

// next says how agents on the host come to ask.
func (f *forward) next(tool, pi bool) {
	host := f.a.out.line(f.host)
	switch {
	case pi:
		f.a.out.printf("Pi on %s has the extension: start it, or /reload.\n", host)
	case tool:
		f.a.out.printf("Next, for Pi there: ssh %s askctl pi install\n", host)
	default:
		f.a.out.printf("Next, for Pi there: put askctl into the PATH of %s, then: ssh %s askctl pi install\n", host, host)
	}
	if !f.check {
		f.a.out.printf("Ctrl+C ends the link.\n")
	}
}
