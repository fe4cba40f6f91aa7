package ui

import (
	"crypto/sha256"
	"fmt"

	"askd/broker"
	"askd/broker/ask"
)

// repeated counts how often a session has asked the same thing in a row of forms, so that the person can see an agent that
// goes in circles. The zero value is ready.
type repeated struct {
	times map[[sha256.Size]byte]int
	forms map[ask.Key]int               // which time it was; a form that comes back with its branch is not asked again
	sums  map[ask.Key][sha256.Size]byte // of what was asked, whoever asked it
	alike map[[sha256.Size]byte]int     // how many wait now that ask this
}

// mostAsked is how many forms are remembered before the count begins anew.
const mostAsked = 4096

// note takes in the entries of a new snapshot.
func (r *repeated) note(entries []*broker.Entry) {
	if r.forms == nil || len(r.forms) > max(mostAsked, 2*len(entries)) {
		r.times, r.forms = map[[sha256.Size]byte]int{}, map[ask.Key]int{}
		r.sums, r.alike = map[ask.Key][sha256.Size]byte{}, map[[sha256.Size]byte]int{}
	}
	clear(r.alike)
	for _, e := range entries {
		k := e.Key()
		if r.forms[k] == 0 {
			r.sums[k] = ask.ContentKey(e.Request)
			sum := fingerprint(e.Request, r.sums[k])
			r.times[sum]++
			r.forms[k] = r.times[sum]
		}
		if e.Status != broker.Parked {
			r.alike[r.sums[k]]++
		}
	}
}

// same reports whether two forms ask the same.
func (r *repeated) same(a, b ask.Key) bool {
	sum, ok := r.sums[a]
	return ok && sum == r.sums[b]
}

// twins says how many forms wait that ask the same as this one, empty for it alone.
func (r *repeated) twins(k ask.Key) string {
	if n := r.alike[r.sums[k]]; n > 1 {
		return fmt.Sprintf("%d alike", n)
	}
	return ""
}

// fingerprint is alike for what one session asks in the same words. Requests of one form that was recovered are asked once:
// they keep their key.
func fingerprint(r *ask.Request, content [sha256.Size]byte) [sha256.Size]byte {
	return sha256.Sum256(append([]byte(r.Session+"\x00"+r.Title+"\x00"), content[:]...))
}

// again says how often this has been asked, empty for the first time.
func (r *repeated) again(k ask.Key) string {
	if n := r.forms[k]; n > 1 {
		return fmt.Sprintf("×%d", n)
	}
	return ""
}
