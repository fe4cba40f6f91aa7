package ui

import "time"

const (
	// frame is the least time between two frames that the desk causes: a burst of updates is a few frames.
	frame = 50 * time.Millisecond
	// early is the same after a frame that came after a quiet time: what is asked is often two changes in a row, and the
	// second is the one that matters.
	early = 4 * time.Millisecond
	// burst is how long the desk's updates may hold a frame up while they keep coming and nobody acts: a hundred of them
	// are three frames, also when the disk has some time for each.
	burst = 5 * frame
	// ageStep is how often the ages on screen are brought up to date.
	ageStep = time.Minute
	// never is longer than anything waits; with nothing to show the pump sleeps.
	never = 24 * time.Hour
)

// pump follows the desk and the settings. It alone waits for the event loop, and only while that runs: everything else
// leaves its work here and goes on.
func (p *Pane) pump(stop <-chan struct{}) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var last time.Time
	drawn := p.o.Drawn
	for p.wait(stop, timer) {
		var next time.Duration
		p.app.QueueUpdateDraw(func() { next = p.turn() })
		drawn()
		drawn = func() {}
		pause := frame
		if time.Since(last) > 3*frame {
			pause = early
		}
		last = time.Now()
		due, ok := p.rest(stop, timer, pause)
		if !ok {
			return
		}
		if due {
			next = 0
		}
		timer.Reset(max(next-time.Since(last), 0))
	}
}

// rest lets a frame stand, for longer while the desk is in a burst. due says that there was news that nobody has drawn; ok is
// false when the pump should end.
func (p *Pane) rest(stop <-chan struct{}, timer *time.Timer, pause time.Duration) (due, ok bool) {
	for rested := pause; ; rested += pause {
		timer.Reset(pause)
		select {
		case <-stop:
			return due, false
		case <-timer.C:
		}
		if pause < frame || rested >= burst || p.acted.Swap(false) || len(p.posts) > 0 || !p.news() {
			return due, true
		}
		due = true
	}
}

// news takes the desk's word that something has changed.
func (p *Pane) news() bool {
	select {
	case <-p.o.Desk.Changed():
		return true
	default:
		return false
	}
}

// wait returns when there is something to do; false when the pump should end.
func (p *Pane) wait(stop <-chan struct{}, timer *time.Timer) bool {
	select {
	case <-stop:
		return false
	case <-p.o.Desk.Changed():
	case <-p.o.Settings.Changed():
	case <-p.wake:
	case <-timer.C:
	case f := <-p.posts:
		p.repost(f)
	}
	return true
}

// repost puts a callback back for the next turn; the pump alone takes them, so there is room.
func (p *Pane) repost(f func()) { p.late = append(p.late, f) }

// post leaves f for the event loop. Any goroutine; never blocks.
func (p *Pane) post(f func()) {
	select {
	case p.posts <- f:
	default:
		p.o.Log.Warn("the pane is behind; a callback was dropped")
	}
}

// nudge makes the pump look at the clock again.
func (p *Pane) nudge() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// turn brings the state up to date, in the event loop, and says when to come again.
func (p *Pane) turn() time.Duration {
	late := p.late
	p.late = nil
	for _, f := range late {
		f()
	}
	p.drainPosts()
	p.reconfigure(p.o.Settings.Current())
	p.apply(p.o.Desk.Snapshot())
	p.nextOffer()
	p.follow()
	p.settleHistory()
	if p.second != nil && p.o.Now().Sub(p.second.at) >= secondAfter {
		p.fireSecond()
	}
	p.showTitle()
	return p.next()
}

func (p *Pane) drainPosts() {
	for {
		select {
		case f := <-p.posts:
			f()
		default:
			return
		}
	}
}

// next is how long what is on screen stays true without news.
func (p *Pane) next() time.Duration {
	now, next := p.o.Now(), never
	if p.ended != nil {
		next = min(next, p.ended.until.Sub(now))
	}
	if p.second != nil {
		next = min(next, secondAfter-now.Sub(p.second.at))
	}
	if p.overlay != nil {
		next = min(next, p.overlay.next(now))
	}
	next = min(next, p.untilTick(now), p.untilSecond(now))
	if len(p.snap.Entries)+len(p.snap.Sessions) > 0 {
		next = min(next, p.look.age)
	}
	return max(next, time.Millisecond)
}
