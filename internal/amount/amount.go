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

	"github.com/pith-sessions/pith/format"
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
	case strings.HasSuffix(noun, "y") && !strings.HasSuffix(noun, "ey") && !strings.HasSuffix(noun, "ay"):
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

// Cost returns the cost of model calls, in the one form of all front ends:
//
//	"$1.234"              every call has a recorded cost
//	"~$1.234"             some of it was estimated by published prices
//	"unknown"             no call has a known cost
//	"$1.234 + 3 unknown"  three calls have none
//	""                    no call used anything
//
// An unknown cost is never zero. See [CostCell] for columns.
func Cost(s format.Spent) string {
	switch {
	case s.Unpriced == 0 && s.Cost == 0:
		return ""
	case s.Unpriced == 0:
		return dollars(s)
	case s.Cost == 0:
		return "unknown"
	}
	return fmt.Sprintf("%s + %s unknown", dollars(s), Number(s.Unpriced))
}

// CostCell is the short form of [Cost] for a column and other narrow places:
// "$1.234", "–" if no call has a known cost, "$1.234+" if some have none, and
// "" if no call used anything.
func CostCell(s format.Spent) string {
	switch {
	case s.Unpriced == 0:
		return Cost(s)
	case s.Cost == 0:
		return "–"
	}
	return dollars(s) + "+"
}

// ExactCell is like [CostCell] with all decimals.
func ExactCell(s format.Spent) string {
	if s.Cost == 0 {
		return CostCell(s)
	}
	micros, more := s.Cost.Micros(), ""
	if s.Unpriced > 0 {
		more = "+"
	}
	return fmt.Sprintf("%s$%s.%06d%s", mark(s), Number(micros/1e6), micros%1e6, more)
}

// dollars returns a known cost with the three decimals that pi shows, from $100
// on with two. A cost that would round to zero is "<$0.001".
func dollars(s format.Spent) string {
	micros := s.Cost.Micros()
	if micros < 500 {
		return mark(s) + "<$0.001"
	}
	if micros >= 100_000_000 {
		cents := micros/10_000 + micros%10_000/5_000
		return fmt.Sprintf("%s$%s.%02d", mark(s), Number(cents/100), cents%100)
	}
	thousandths := (micros + 500) / 1000
	return fmt.Sprintf("%s$%s.%03d", mark(s), Number(thousandths/1000), thousandths%1000)
}

// mark returns what an amount that includes an estimate begins with.
func mark(s format.Spent) string {
	if s.Estimated {
		return "~"
	}
	return ""
}

// Cents returns the known part of a cost with two decimals, for places where
// tenths of a cent would be noise: "$1.23", "~$1.23", "<$0.01", and "" if no
// call has a known cost. What is unknown must be said next to it.
func Cents(s format.Spent) string {
	micros := s.Cost.Micros()
	switch {
	case micros == 0:
		return ""
	case micros < 5_000:
		return mark(s) + "<$0.01"
	}
	cents := micros/10_000 + micros%10_000/5_000
	return fmt.Sprintf("%s$%s.%02d", mark(s), Number(cents/100), cents%100)
}
