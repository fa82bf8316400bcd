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

// Cost returns the cost of model calls, in the one form of all front ends:
//
//	"$1.234"              every call has a recorded cost
//	"unknown"             no call has one
//	"$1.234 + 3 unknown"  three calls have none
//	""                    no call used anything
//
// An unknown cost is never zero. See [CostCell] for columns.
func Cost(s format.Spent) string {
	switch {
	case s.Unpriced == 0 && s.Cost == 0:
		return ""
	case s.Unpriced == 0:
		return dollars(s.Cost)
	case s.Cost == 0:
		return "unknown"
	}
	return fmt.Sprintf("%s + %s unknown", dollars(s.Cost), Number(s.Unpriced))
}

// CostCell is the short form of [Cost] for a column and other narrow places:
// "$1.234", "–" if no call has a recorded cost, "$1.234+" if some have none,
// and "" if no call used anything.
func CostCell(s format.Spent) string {
	switch {
	case s.Unpriced == 0:
		return Cost(s)
	case s.Cost == 0:
		return "–"
	}
	return dollars(s.Cost) + "+"
}

// dollars returns an amount with the three decimals that pi shows, from $100 on
// with two. An amount that would round to zero is "<$0.001".
func dollars(m format.Money) string {
	micros := m.Micros()
	if micros < 500 {
		return "<$0.001"
	}
	if micros >= 100_000_000 {
		cents := micros/10_000 + micros%10_000/5_000
		return fmt.Sprintf("$%s.%02d", Number(cents/100), cents%100)
	}
	thousandths := (micros + 500) / 1000
	return fmt.Sprintf("$%s.%03d", Number(thousandths/1000), thousandths%1000)
}
