package ask

import "time"

// UntilText says a moment ahead as a person does, in the zone of now: the time alone for today, with the day of the week
// within the next six days, else with the date.
func UntilText(until, now time.Time) string {
	until = until.In(now.Location())
	day := func(t time.Time) time.Time {
		y, m, d := t.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	switch days := int(day(until).Sub(day(now)) / (24 * time.Hour)); {
	case days == 0:
		return until.Format("15:04")
	case days > 0 && days < 7:
		return until.Format("Mon 15:04")
	}
	return until.Format("2 Jan 15:04")
}
