package ask

import (
	"crypto/sha256"
	"encoding/json"
)

// ContentKey is alike for requests of one tool that ask a person the same: questions, options, types and context, whoever asks.
// The ids of questions, which nobody sees, do not count; an answer to one request fits every other, by position.
func ContentKey(r *Request) [sha256.Size]byte {
	questions := make([]Question, len(r.Questions))
	for i := range r.Questions {
		questions[i] = r.Questions[i]
		questions[i].ID = ""
	}
	raw, err := json.Marshal([]any{r.Tool, questions})
	if err != nil { // unreachable: plain data; then it is like no other
		raw = []byte(r.Session + "\x00" + r.ID)
	}
	return sha256.Sum256(raw)
}
