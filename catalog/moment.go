package catalog

import (
	"strconv"
	"strings"
	"time"
)

// ParseMoment parses a time as people type it: a date, a date and a time, both
// in the zone of now unless they name another, or an age before now: 90m, 12h,
// 7d, 2w, 3mo, 1y.
func ParseMoment(text string, now time.Time) (_ time.Time, ok bool) {
	for _, layout := range []string{time.DateOnly, "2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02T15:04:05", time.RFC3339Nano} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return t, true
		}
	}
	number := strings.TrimRight(text, "smhdwoy")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > 1_000_000 {
		return time.Time{}, false
	}
	switch text[len(number):] {
	case "s":
		return now.Add(-time.Duration(n) * time.Second), true
	case "m":
		return now.Add(-time.Duration(n) * time.Minute), true
	case "h":
		return now.Add(-time.Duration(n) * time.Hour), true
	case "d":
		return now.AddDate(0, 0, -n), true
	case "w":
		return now.AddDate(0, 0, -7*n), true
	case "mo":
		return now.AddDate(0, -n, 0), true
	case "y":
		return now.AddDate(-n, 0, 0), true
	}
	return time.Time{}, false
}

// ParseEnd is like ParseMoment, but for the end of a span: a date means the end
// of that day.
func ParseEnd(text string, now time.Time) (_ time.Time, ok bool) {
	t, ok := ParseMoment(text, now)
	if _, err := time.Parse(time.DateOnly, text); err == nil {
		t = t.AddDate(0, 0, 1)
	}
	return t, ok
}
