package ask

import (
	"errors"
	"strings"
)

// Damage is the error of whatever met a damaged place in the data file. It is stored nowhere and says what to do, as the
// remedy is never the one for a full disk or a wrong path.
type Damage struct {
	Path string // of the data file
	Err  error  // what was met; must be set
}

// Error gives what was met and what to do.
func (d *Damage) Error() string { return d.Err.Error() + "; " + d.Next() }

// Unwrap gives what was met.
func (d *Damage) Unwrap() error { return d.Err }

// Next says what to do.
func (d *Damage) Next() string {
	return "stop askd if it runs, then `askctl check --rescue " + d.Path + "` saves what is readable into a fresh file"
}

// Damaged takes an error that is due to a damaged data file apart, into what was met and what to do; ok is false for any
// other error.
func Damaged(err error) (met, next string, ok bool) {
	var d *Damage
	if !errors.As(err, &d) {
		return "", "", false
	}
	return strings.TrimSuffix(err.Error(), "; "+d.Next()), d.Next(), true
}
