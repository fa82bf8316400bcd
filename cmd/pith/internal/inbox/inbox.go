// Package inbox determines which sessions wait for their user.
package inbox

import (
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

// activeFor is the time after a write in which a session counts as being
// written.
const activeFor = 20 * time.Second

// IsActive reports whether a session seems to be written right now (pitfall
// 60).
func IsActive(i *catalog.Info, now time.Time) bool {
	since := now.Sub(i.FileTime)
	return !i.FileTime.IsZero() && since < activeFor && since > -activeFor
}

// Has reports whether a session waits for its user: it is unfinished, not being
// written and not snoozed. Whether archived sessions are shown is up to the
// caller.
func Has(i *catalog.Info, m marks.Marks, now time.Time) bool {
	return i.Status.Unfinished() && !m.Snoozed.After(now) && !IsActive(i, now)
}

// SnoozeUntil returns the time until which a session that is snoozed now is not
// in the inbox: a day later.
func SnoozeUntil(now time.Time) time.Time {
	return now.Add(24 * time.Hour).UTC().Truncate(time.Second)
}
