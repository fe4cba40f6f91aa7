package ui

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"askd/broker"
)

// turnsDesk counts how often the pane looks at the desk: once a frame.
type turnsDesk struct {
	*recordingDesk
	turns atomic.Int64
}

func (d *turnsDesk) Snapshot() *broker.Snapshot {
	d.turns.Add(1)
	return d.recordingDesk.Snapshot()
}

// pass lets time of a bubble's own clock go by.
func pass(d time.Duration) { <-time.After(d) }

// TestBurst: what comes to an idle pane is drawn at once, and a hundred updates are three frames, also over the time that a
// disk takes for them; but who acts meanwhile does not wait for the burst.
func TestBurst(t *testing.T) {
	for _, tt := range []struct {
		acts        bool
		least, most int64
	}{
		{false, 1, 3}, {true, 4, 7},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t, 120, 40)
			desk := &turnsDesk{recordingDesk: s.desk}
			s.pane.o.Desk = desk
			s.start()
			pass(time.Second)
			synctest.Wait()
			before := desk.turns.Load()
			for i := range 100 {
				e := storage(s.clock)
				e.Request.ID = fmt.Sprint("r", i)
				s.desk.ask(e)
				s.pane.acted.Store(tt.acts)
				synctest.Wait()
				if i == 0 && desk.turns.Load() != before+1 {
					t.Error("the first of the burst waits")
				}
				pass(2 * time.Millisecond)
			}
			pass(time.Second)
			synctest.Wait()
			if got := desk.turns.Load() - before; got < tt.least || got > tt.most {
				t.Errorf("%d frames, want %d to %d", got, tt.least, tt.most)
			}
		})
	}
}
