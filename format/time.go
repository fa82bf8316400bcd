package format

import (
	"fmt"
	"time"
)

// maxMillis limits JavaScript dates in both directions.
const maxMillis = 8_640_000_000_000_000

// ParseTime parses a timestamp as JavaScript's Date parses the ISO forms. A
// year, a month or a day alone is UTC. A time of day without a zone is local
// time. Fractions are truncated to three digits. The 31st of a shorter month
// overflows into the next month. ok is false for anything else.
func ParseTime(s string) (t time.Time, ok bool) {
	p := timeParser{rest: s}
	year, ok := p.year()
	if !ok {
		return time.Time{}, false
	}
	month, day := 1, 1
	if p.skip('-') {
		if month, ok = p.number(2, 1, 12); !ok {
			return time.Time{}, false
		}
		if p.skip('-') {
			if day, ok = p.number(2, 1, 31); !ok {
				return time.Time{}, false
			}
		}
	}
	zone := time.UTC
	var sinceMidnight time.Duration
	if p.skip('T') || p.skip('t') || p.skip(' ') {
		if sinceMidnight, ok = p.clock(); !ok {
			return time.Time{}, false
		}
		zone = time.Local
	}
	offset, hasZone, ok := p.zone()
	if !ok || p.rest != "" {
		return time.Time{}, false
	}
	if hasZone {
		zone = time.UTC
	}
	// time.Date keeps local time correct on days when the offset changes.
	h, m, sec, ns := split(sinceMidnight)
	t = time.Date(year, time.Month(month), day, h, m, sec, ns, zone).Add(-offset).UTC()
	if ms := t.UnixMilli(); ms > maxMillis || ms < -maxMillis {
		return time.Time{}, false
	}
	return t, true
}

func split(d time.Duration) (h, m, s, ns int) {
	return int(d / time.Hour), int(d / time.Minute % 60), int(d / time.Second % 60), int(d % time.Second)
}

type timeParser struct{ rest string }

func (p *timeParser) skip(c byte) bool {
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// number parses exactly digits decimal digits with a value from lowest to
// highest.
func (p *timeParser) number(digits, lowest, highest int) (int, bool) {
	if len(p.rest) < digits {
		return 0, false
	}
	n := 0
	for _, c := range []byte(p.rest[:digits]) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	p.rest = p.rest[digits:]
	return n, n >= lowest && n <= highest
}

func (p *timeParser) year() (int, bool) {
	switch {
	case p.skip('+'):
		return p.number(6, 0, 999_999)
	case p.skip('-'):
		y, ok := p.number(6, 1, 999_999)
		return -y, ok
	default:
		return p.number(4, 0, 9999)
	}
}

// clock parses HH:MM, HH:MM:SS or HH:MM:SS.fraction. 24:00 is the end of the
// day.
func (p *timeParser) clock() (time.Duration, bool) {
	hour, ok := p.number(2, 0, 24)
	if !ok || !p.skip(':') {
		return 0, false
	}
	minute, ok := p.number(2, 0, 59)
	if !ok {
		return 0, false
	}
	var second, millis int
	if p.skip(':') {
		if second, ok = p.number(2, 0, 59); !ok {
			return 0, false
		}
		if p.skip('.') {
			if millis, ok = p.fraction(); !ok {
				return 0, false
			}
		}
	}
	if hour == 24 && (minute|second|millis) != 0 {
		return 0, false
	}
	return time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute +
		time.Duration(second)*time.Second + time.Duration(millis)*time.Millisecond, true
}

func (p *timeParser) fraction() (millis int, ok bool) {
	n := 0
	for ; n < len(p.rest) && p.rest[n] >= '0' && p.rest[n] <= '9'; n++ {
		if n < 3 {
			millis = millis*10 + int(p.rest[n]-'0')
		}
	}
	p.rest = p.rest[n:]
	for pad := n; pad < 3; pad++ {
		millis *= 10
	}
	return millis, n > 0
}

// zone parses Z, +HH:MM, +HHMM or nothing.
func (p *timeParser) zone() (offset time.Duration, present, ok bool) {
	if p.rest == "" {
		return 0, false, true
	}
	if p.skip('Z') || p.skip('z') {
		return 0, true, true
	}
	sign := time.Duration(1)
	if !p.skip('+') {
		if !p.skip('-') {
			return 0, false, false
		}
		sign = -1
	}
	hours, ok := p.number(2, 0, 23)
	if !ok {
		return 0, false, false
	}
	p.skip(':')
	minutes, ok := p.number(2, 0, 59)
	if !ok {
		return 0, false, false
	}
	return sign * (time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute), true, true
}

// FormatTime formats t as JavaScript's toISOString does:
// 2026-02-03T22:52:06.410Z. It truncates to milliseconds.
func FormatTime(t time.Time) string {
	t = t.UTC()
	year := t.Year()
	if year >= 0 && year <= 9999 {
		return t.Format("2006-01-02T15:04:05.000Z")
	}
	sign := '+'
	if year < 0 {
		sign, year = '-', -year
	}
	return fmt.Sprintf("%c%06d", sign, year) + t.Format("-01-02T15:04:05.000Z")
}

// fromMillis converts a message timestamp. Zero means none.
func fromMillis(ms int64) (time.Time, bool) {
	if ms == 0 || ms > maxMillis || ms < -maxMillis {
		return time.Time{}, false
	}
	return time.UnixMilli(ms).UTC(), true
}
