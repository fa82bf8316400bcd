// Package amount is how numbers of things and money are said to people, on a
// terminal and on a page alike.
//
// # Invariants
//
//	H1  Money is rounded half up, never cut, and only when it is shown.
//	H2  A number and its noun agree: 1 entry, 2 entries.
package amount

import (
	"fmt"
	"strconv"
	"strings"
)

// Count is a number and its noun, which is given for one.
func Count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Number(n) + " " + plural(noun)
}

// plural is a noun for more than one.
func plural(noun string) string {
	switch {
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "ey"):
		return strings.TrimSuffix(noun, "y") + "ies"
	case strings.HasSuffix(noun, "ch"):
		return noun + "es"
	}
	return noun + "s"
}

// Number is a number with commas between the thousands.
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

// Dollars is a cost in millionths, rounded to the three decimals that pi shows.
func Dollars(micros int64) string {
	thousandths := micros/1000 + micros%1000/500
	return fmt.Sprintf("$%s.%03d", Number(thousandths/1000), thousandths%1000)
}
