package ui

import (
	"testing"
	"time"
)

// BenchmarkFrame is one key and the frame after it on a full screen.
func BenchmarkFrame(b *testing.B) {
	s := newStage(&testing.T{}, 120, 40)
	queue(s)
	benchFrames(b, s)
}

// BenchmarkPromptFrame is the same with a prompt whose details stand beside its list.
func BenchmarkPromptFrame(b *testing.B) {
	s := newStage(&testing.T{}, 120, 40)
	s.prompt(overlaid(), longPrompt())
	benchFrames(b, s)
}

// benchFrames moves the focus down and up.
func benchFrames(b *testing.B, s *stage) {
	p := s.pane
	if err := p.open(); err != nil {
		b.Fatal(err)
	}
	defer p.RestoreTerminal()
	p.begin()
	p.turn()
	f := p.screen.Load()
	keys := []string{"down", "up"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s.clock.pass(time.Second)
		s.raw(keys[i%2])
		f.Clear()
		p.draw(f)
		f.Show()
	}
}
