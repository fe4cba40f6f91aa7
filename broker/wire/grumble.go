package wire

import (
	"log/slog"
	"time"
)

// grumblePause is how often a fault that comes again and again is logged.
const grumblePause = 10 * time.Second

// grumble logs what goes wrong with connections at most once a pause: a client that comes back in a loop must not fill the
// disk with what it was told. Not safe for several goroutines; Serve's own has it. The zero value is ready.
type grumble struct {
	last time.Time
	more int
}

func (g *grumble) warn(log *slog.Logger, now time.Time, text string, attrs ...any) {
	if !g.last.IsZero() && now.Sub(g.last) < grumblePause {
		g.more++
		return
	}
	if g.more > 0 {
		attrs = append(attrs, "unlogged", g.more)
	}
	log.Warn(text, attrs...)
	g.last, g.more = now, 0
}
