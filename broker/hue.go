package broker

import "hash/fnv"

// Hues are how many colours sessions are told apart by: those of every terminal's palette that are neither its foreground
// nor its background, whatever its theme.
const Hues = 6

// hue gives the session a colour, 1 to Hues, when its first form is queued. It is made of the session's id, so that the
// session has the same one day after day, and gives way where another session in the queue has it, as long as one is free.
func (d *desk) hue(s *session) {
	if s.hue == 0 {
		h := fnv.New32a()
		h.Write([]byte(s.id)) // never fails
		s.hue = int(h.Sum32()%Hues) + 1
	}
	for step := range Hues {
		if h := (s.hue-1+step)%Hues + 1; d.hues[h] == 0 {
			s.hue = h
			break
		}
	}
	d.hues[s.hue]++
}
