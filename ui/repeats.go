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
	forms map[ask.Key]int // which time it was, by form; only forms that are pending
}

// mostAsked is how many different askings are remembered before the count begins anew.
const mostAsked = 4096

// note takes in the entries of a new snapshot.
func (r *repeated) note(entries []*broker.Entry) {
	if r.times == nil || len(r.times) > mostAsked {
		r.times = map[[sha256.Size]byte]int{}
	}
	before := r.forms
	r.forms = make(map[ask.Key]int, len(entries))
	for _, e := range entries {
		k := e.Key()
		n, known := before[k]
		if !known {
			sum := fingerprint(e.Request)
			r.times[sum]++
			n = r.times[sum]
		}
		r.forms[k] = n
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
