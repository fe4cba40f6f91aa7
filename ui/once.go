package ui

// once tells its first caller apart from all others, from any goroutine. Made by newOnce.
type once chan struct{}

func newOnce() once { return make(once, 1) }

// first reports whether this is the first call.
func (o once) first() bool {
	select {
	case o <- struct{}{}:
		return true
	default:
		return false
	}
}
