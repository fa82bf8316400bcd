package corpus

import (
	"strconv"
	"time"
)

const hexDigits = "0123456789abcdef"

// appendString appends s as JavaScript's JSON.stringify prints a string:
// without escaping HTML or U+2028, and with the short escapes.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	b = appendEscaped(b, s)
	return append(b, '"')
}

// appendEscaped is appendString without the quotes.
func appendEscaped(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			b = append(b, c)
			continue
		}
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return b
}

// appendID appends id as 8 hex digits in quotes, or null for no id.
func appendID(b []byte, id entryID, exists bool) []byte {
	if !exists {
		return append(b, "null"...)
	}
	b = append(b, '"')
	for shift := 28; shift >= 0; shift -= 4 {
		b = append(b, hexDigits[id>>shift&15])
	}
	return append(b, '"')
}

// appendTime appends a time in milliseconds as JavaScript's toISOString does,
// in quotes.
func appendTime(b []byte, ms int64) []byte {
	b = append(b, '"')
	b = time.UnixMilli(ms).UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z")
	return append(b, '"')
}

func appendInt(b []byte, n int64) []byte { return strconv.AppendInt(b, n, 10) }

// appendCost appends an amount of dollars as JavaScript prints it. JavaScript
// uses exponents below one millionth; such small costs become 0.
func appendCost(b []byte, dollars float64) []byte {
	if dollars < 1e-6 {
		return append(b, '0')
	}
	return strconv.AppendFloat(b, dollars, 'f', -1, 64)
}
