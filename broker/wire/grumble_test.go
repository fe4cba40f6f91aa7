package wire

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestGrumble(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	var g grumble
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for i := range 1000 {
		g.warn(log, start.Add(time.Duration(i)*time.Millisecond), "refused", "n", i)
	}
	g.warn(log, start.Add(grumblePause), "refused", "n", "last")
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.HasSuffix(lines[0], "msg=refused n=0") || !strings.HasSuffix(lines[1], "n=last unlogged=999") {
		t.Errorf("logged %q", lines)
	}
}
