package wire

import (
	"context"
	"time"
)

// acceptPause is how long accepting rests after a passing fault such as a lack of file descriptors.
const acceptPause = 100 * time.Millisecond

// retry waits a moment after a failed accept; false when the server is to end instead.
func (s *Server) retry(ctx context.Context, err error) bool {
	s.refused.warn(s.o.Log, time.Now(), "accept", "err", err)
	select {
	case <-ctx.Done():
		return false
	case <-time.After(acceptPause):
		return true
	}
}
