// Package amount formats counts and amounts of money for people, in the
// terminal and on web pages.
//
// # Invariants
//
//	H1  Money is rounded half up, never truncated, and only for display.
//	H2  A number and its noun agree: 1 entry, 2 entries.
package amount

import (
	"fmt"
	"strconv"
	"strings"
)

// Count returns a number with its noun, which is given in the singular.
func Count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Number(n) + " " + plural(noun)
}

func plural(noun string) string {
	switch {
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "ey"):
		return strings.TrimSuffix(noun, "y") + "ies"
	case strings.HasSuffix(noun, "ch"):
		return noun + "es"
	}
	return noun + "s"
}

// Number returns a number with commas between the thousands.
func Number(n int64) string {
	s, sign := strconv.FormatInt(n, 10), ""
	if n < 0 {
		s, sign = s[1:], "-"
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// Dollars returns a cost, given in millionths, rounded to the three decimals
// that pi shows.
func Dollars(micros int64) string {
	thousandths := micros/1000 + micros%1000/500
	return fmt.Sprintf("$%s.%03d", Number(thousandths/1000), thousandths%1000)
}
