package ui

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"askd/broker"
	"askd/broker/ask"
)

// repeated counts how often a session has asked the same thing in a row of forms, so that the person can see an agent that
// goes in circles. The zero value is ready.
type repeated struct {
	times map[[sha256.Size]byte]int
	forms map[ask.Key]int // which time it was; a form that comes back with its branch is not asked again
}

// mostAsked is how many forms are remembered before the count begins anew.
const mostAsked = 4096

// note takes in the entries of a new snapshot.
func (r *repeated) note(entries []*broker.Entry) {
	if r.forms == nil || len(r.forms) > max(mostAsked, 2*len(entries)) {
		r.times, r.forms = map[[sha256.Size]byte]int{}, map[ask.Key]int{}
	}
	for _, e := range entries {
		k := e.Key()
		if r.forms[k] == 0 {
			sum := fingerprint(e.Request)
			r.times[sum]++
			r.forms[k] = r.times[sum]
		}
	}
}

// fingerprint is alike for what one session asks in the same words. Requests of one form that was recovered are asked once:
// they keep their key.
func fingerprint(r *ask.Request) [sha256.Size]byte {
	raw, err := json.Marshal([]any{r.Session, r.Tool, r.Title, r.Questions})
	if err != nil { // unreachable: plain data; then it is like no other
		raw = []byte(r.Session + "\x00" + r.ID)
	}
	return sha256.Sum256(raw)
}

// again says how often this has been asked, empty for the first time.
func (r *repeated) again(k ask.Key) string {
	if n := r.forms[k]; n > 1 {
		return fmt.Sprintf("×%d", n)
	}
	return ""
}
