package wire

import (
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

// settle takes n bytes that are held already, whether there are so many or not, or gives them back when n is negative.
func (b *budget) settle(n int64) { b.left.Add(-n) }

// share is what one connection holds in one direction. Any goroutine may use it.
type share struct {
	of    *budget
	bytes atomic.Int64
	ended atomic.Bool
}

// add notes that n more bytes are held, or fewer; false when there is no room for them, and then none are. After end it
// takes no more.
func (s *share) add(n int) bool {
	if s.ended.Load() {
		return n <= 0
	}
	more := s.move(int64(n))
	if !s.of.take(more) {
		s.of.settle(more + s.move(int64(-n)))
		return false
	}
	if n > 0 && s.ended.Load() { // end may not have seen these
		s.of.settle(s.move(int64(-n)))
		return false
	}
	return true
}

// move changes what is held, and gives what that asks of the budget. Each of several at once gives its own part, so that
// their sum is right in whatever order they come.
func (s *share) move(n int64) int64 {
	now := s.bytes.Add(n)
	return beyond(now) - beyond(now-n)
}

// beyond is how much of the bytes that a share holds is the budget's.
func beyond(bytes int64) int64 { return max(0, bytes-ownBytes) }

// end gives everything back, for good.
func (s *share) end() {
	s.ended.Store(true)
	s.of.settle(-beyond(s.bytes.Swap(0)))
}
