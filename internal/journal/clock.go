package journal

import (
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Clock parses timestamps that are usually close together: of one within the
// same minute as the last, only the rest is parsed.
type Clock struct {
	minute [18]byte // "2026-02-03T22:52: as written, with its quote
	millis int64    // of that minute, since 1970
}

// Read returns the time in a JSON string, or NoTime.
func (c *Clock) Read(raw []byte) int64 {
	if len(raw) == 26 && string(raw[:18]) == string(c.minute[:]) && raw[20] == '.' && raw[24] == 'Z' {
		second, ok := digits(raw[18:20])
		milli, ok2 := digits(raw[21:24])
		if ok && ok2 && second < 60 {
			return c.millis + second*1000 + milli
		}
	}
	s, ok := jsonl.Text(raw)
	if !ok {
		return NoTime
	}
	t := parseTime(s)
	if len(raw) == 26 && len(s) == 24 && t != NoTime && s[16] == ':' && s[23] == 'Z' {
		copy(c.minute[:], raw)
		c.millis = t - t%60_000
		if t < 0 {
			c.minute[0] = 0 // before 1970 the remainder is negative
		}
	}
	return t
}

// parseTime parses a timestamp as milliseconds since 1970. The form that every
// writer uses, 2026-02-03T22:52:06.410Z, is parsed without a call into package
// time.
func parseTime(s []byte) int64 {
	if len(s) == 24 && s[4] == '-' && s[7] == '-' && s[10] == 'T' && s[13] == ':' && s[16] == ':' && s[19] == '.' && s[23] == 'Z' {
		year, ok1 := digits(s[0:4])
		month, ok2 := digits(s[5:7])
		day, ok3 := digits(s[8:10])
		hour, ok4 := digits(s[11:13])
		minute, ok5 := digits(s[14:16])
		second, ok6 := digits(s[17:19])
		milli, ok7 := digits(s[20:23])
		read := ok1 && ok2 && ok3 && ok4 && ok5 && ok6 && ok7
		if read && month >= 1 && month <= 12 && day >= 1 && day <= shortest[month] && hour < 24 && minute < 60 && second < 60 {
			return ((daysSince1970(year, month, day)*24+hour)*60+minute)*60_000 + second*1000 + milli
		}
	}
	t, ok := format.ParseTime(string(s))
	if !ok {
		return NoTime
	}
	return t.UnixMilli()
}

// shortest is the minimum number of days of each month; the rest is left to
// package time.
var shortest = [13]int64{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

func digits(s []byte) (int64, bool) {
	var n int64
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// daysSince1970 counts days in the Gregorian calendar, with years that start in
// March so that the leap day is the last of its year.
func daysSince1970(year, month, day int64) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1 - 719468
}
