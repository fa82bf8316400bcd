package catalog

import (
	"strconv"
	"strings"
	"time"
)

// ParseMoment parses a time as people type it: a date, a date and a time, both
// in the zone of now unless they name another, an age before now (90m, 12h, 7d,
// 2w, 3mo, 1y), or the start of a span: today, yesterday, monday, this week,
// last month. A hyphen may replace the space. Weeks start on Monday.
func ParseMoment(text string, now time.Time) (_ time.Time, ok bool) {
	if start, _, ok := span(text, now); ok {
		return start, true
	}
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

// ParseStart is like ParseMoment, but for the start of a span: an age in days or
// longer covers whole days, of which today is the last. 7d starts with the day
// six days ago.
func ParseStart(text string, now time.Time) (_ time.Time, ok bool) {
	t, ok := ParseMoment(text, now)
	if ok && text[0] >= '0' && text[0] <= '9' && strings.ContainsAny(text[len(text)-1:], "dwoy") {
		t = time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, t.Location())
	}
	return t, ok
}

// ParseEnd is like ParseMoment, but for the end of a span: a date means the end
// of that day.
func ParseEnd(text string, now time.Time) (_ time.Time, ok bool) {
	if _, end, ok := span(text, now); ok {
		return end, true
	}
	t, ok := ParseMoment(text, now)
	if _, err := time.Parse(time.DateOnly, text); err == nil {
		t = t.AddDate(0, 0, 1)
	}
	return t, ok
}

// span returns the start and the end of a day, week, month or year in words.
func span(text string, now time.Time) (start, end time.Time, ok bool) {
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	day := func(ago int) (time.Time, time.Time, bool) {
		return today.AddDate(0, 0, -ago), today.AddDate(0, 0, 1-ago), true
	}
	word := strings.ToLower(strings.ReplaceAll(text, "-", " "))
	switch word {
	case "today":
		return day(0)
	case "yesterday":
		return day(1)
	}
	for d := range 7 {
		if word == strings.ToLower(today.AddDate(0, 0, -d).Weekday().String()) {
			return day(d)
		}
	}
	which, unit, _ := strings.Cut(word, " ")
	ago, known := map[string]int{"this": 0, "last": 1}[which]
	if !known {
		return start, end, false
	}
	switch unit {
	case "week":
		monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7-7*ago)
		return monday, monday.AddDate(0, 0, 7), true
	case "month":
		first := time.Date(now.Year(), now.Month()-time.Month(ago), 1, 0, 0, 0, 0, now.Location())
		return first, first.AddDate(0, 1, 0), true
	case "year":
		first := time.Date(now.Year()-ago, 1, 1, 0, 0, 0, 0, now.Location())
		return first, first.AddDate(1, 0, 0), true
	}
	return start, end, false
}
