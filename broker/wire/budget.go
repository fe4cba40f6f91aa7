package wire

import (
	"sync"
	"sync/atomic"

	"askd/broker"
)

// ownBytes is what each connection may hold of unfinished lines, and again of unread replies, without asking the budget: an
// ordinary client never does. A buffer of this size is kept between lines, so that one huge message does not hold memory for
// days.
const ownBytes = 256 << 10

// budget is the memory that all connections of a server share for what is larger. Any goroutine may use it.
type budget struct {
	limit int
	left  atomic.Int64
}

func newBudget(limit int) *budget {
	b := &budget{limit: limit}
	b.left.Store(int64(limit))
	return b
}

// take takes n bytes, or gives them back when n is negative; false when there are not so many, and then it takes none.
func (b *budget) take(n int64) bool {
	if b.left.Add(-n) >= 0 || n <= 0 {
		return true
	}
	b.left.Add(n)
	return false
}

// spent is what the connection is told that wants more than is left. It alone is closed.
func (b *budget) spent() *Error {
	return &Error{
		Code: kindCodes[broker.Unavailable], Message: "askd holds too much for its clients just now (limit " + size(b.limit) + " for all of them)",
		Data: &ErrorData{Kind: broker.Unavailable, Hint: "connect and try again later; close clients that do not read or do not finish what they send"},
	}
}

// share is what one connection holds in one direction. Any goroutine may use it.
type share struct {
	of *budget

	mu    sync.Mutex
	bytes int64
	over  int64 // of bytes, what the budget was asked for
	ended bool
}

// add notes that n more bytes are held, or fewer; false when there is no room for them, and then none are. After end it
// takes no more.
func (s *share) add(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return n <= 0
	}
	over := max(0, s.bytes+int64(n)-ownBytes)
	if !s.of.take(over - s.over) {
		return false
	}
	s.bytes, s.over = s.bytes+int64(n), over
	return true
}

// end gives everything back, for good.
func (s *share) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.of.take(-s.over)
	s.bytes, s.over, s.ended = 0, 0, true
}
