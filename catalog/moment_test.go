package catalog_test

import (
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
)

func TestMoments(t *testing.T) {
	berlin := time.FixedZone("", 3600)
	now := time.Date(2026, 3, 4, 15, 4, 5, 0, berlin) // a Wednesday
	at := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, berlin) }
	for _, c := range []struct {
		text       string
		start, end time.Time // zero means that the text is invalid
	}{
		{"2026-01-31", at(2026, 1, 31), at(2026, 2, 1)},
		{"12h", now.Add(-12 * time.Hour), now.Add(-12 * time.Hour)},
		{"3mo", now.AddDate(0, -3, 0), now.AddDate(0, -3, 0)},
		{"today", at(2026, 3, 4), at(2026, 3, 5)},
		{"Yesterday", at(2026, 3, 3), at(2026, 3, 4)},
		{"wednesday", at(2026, 3, 4), at(2026, 3, 5)},
		{"thursday", at(2026, 2, 26), at(2026, 2, 27)},
		{"this week", at(2026, 3, 2), at(2026, 3, 9)},
		{"last week", at(2026, 2, 23), at(2026, 3, 2)},
		{"last-week", at(2026, 2, 23), at(2026, 3, 2)},
		{"this month", at(2026, 3, 1), at(2026, 4, 1)},
		{"last month", at(2026, 2, 1), at(2026, 3, 1)},
		{"last year", at(2025, 1, 1), at(2026, 1, 1)},
		{text: "last"}, {text: "next week"}, {text: "last week ago"}, {text: "week"}, {text: "-7d"}, {text: ""}, {text: "7"},
	} {
		start, ok := catalog.ParseMoment(c.text, now)
		if ok == c.start.IsZero() || ok && !start.Equal(c.start) {
			t.Errorf("ParseMoment(%q) = %v, %v; want %v", c.text, start, ok, c.start)
		}
		end, ok := catalog.ParseEnd(c.text, now)
		if ok == c.end.IsZero() || ok && !end.Equal(c.end) {
			t.Errorf("ParseEnd(%q) = %v, %v; want %v", c.text, end, ok, c.end)
		}
	}
	monday, sunday := time.Date(2026, 3, 2, 0, 30, 0, 0, berlin), time.Date(2026, 3, 1, 23, 0, 0, 0, berlin)
	for now, want := range map[time.Time]time.Time{monday: at(2026, 3, 2), sunday: at(2026, 2, 23)} {
		if got, _ := catalog.ParseMoment("this week", now); !got.Equal(want) {
			t.Errorf("this week, on %v, starts %v; want %v", now.Weekday(), got, want)
		}
	}
}

func TestStartOfDays(t *testing.T) {
	berlin := time.FixedZone("", 3600)
	now := time.Date(2026, 3, 4, 15, 4, 5, 0, berlin)
	at := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, berlin) }
	for text, want := range map[string]time.Time{
		"1d": at(2026, 3, 4), "7d": at(2026, 2, 26), "1w": at(2026, 2, 26), "1mo": at(2026, 2, 5), "1y": at(2025, 3, 5),
		"12h": now.Add(-12 * time.Hour), "90m": now.Add(-90 * time.Minute), "2026-01-31": at(2026, 1, 31),
		"2026-01-31T10:00": at(2026, 1, 31).Add(10 * time.Hour), "yesterday": at(2026, 3, 3), "last-week": at(2026, 2, 23), "d": {}, "": {},
	} {
		if got, ok := catalog.ParseStart(text, now); ok == want.IsZero() || ok && !got.Equal(want) {
			t.Errorf("ParseStart(%q) = %v, %v; want %v", text, got, ok, want)
		}
	}
}
