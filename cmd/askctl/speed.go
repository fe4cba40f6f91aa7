package main

import "fmt"

// slowAt is where a person begins to notice that askd takes its time, in milliseconds.
const slowAt = 250

// speed looks at what askd itself has taken for its newest questions and answers.
func (d *doctor) speed() []finding {
	if d.status == nil {
		return nil
	}
	l := d.status.Latency
	text := fmt.Sprintf("questions are kept %s; answers delivered %s", latencyText(l.Accepted, "(none yet)"), latencyText(l.Delivered, "(none yet)"))
	if l.Accepted.P95 < slowAt {
		return one(fine, text, "")
	}
	return one(note, text, "the disk under "+d.status.DataFile+" is slow or busy: ASKD_DATA puts the file on another one")
}

// clients tells of those that do not read, and of what has piled up.
func (d *doctor) clients() []finding {
	if d.status == nil {
		return nil
	}
	c, n := d.status.Clients, d.status.Counts
	text := fmt.Sprintf("%d connected; %d pending, %d undelivered", c.Connected, n.Pending, n.Undelivered)
	if c.CutOff == 0 {
		return one(fine, text, "")
	}
	return one(note, fmt.Sprintf("%s; %d cut off since the start because they did not read", text, c.CutOff), "the log names when; nothing is lost, a client that connects again gets what it missed")
}
