// Package humanize is how pith says numbers, money, times and paths to people.
//
// The command, the terminal app and the server for programs all say them with
// it, so that one value reads the same everywhere. What it returns is short, on
// one line and holds nothing but what it was given.
//
// # Invariants
//
//	H1  Money is rounded half up, never cut, and only when it is shown.
//	H2  A number and its noun agree: 1 entry, 2 entries.
package humanize

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Count is a number and its noun, which is given for one.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Number(int64(n)) + " " + Plural(noun)
}

// Plural is a noun for more than one.
func Plural(noun string) string {
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

// Short is a number in few characters: 999, 1.2k, 45k, 3.4M.
func Short(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 10_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// Bytes is an amount of bytes, in units of a thousand.
func Bytes(n int64) string {
	units := []string{"B", "KB", "MB", "GB", "TB"}
	f, u := float64(n), 0
	for f >= 999.5 && u < len(units)-1 {
		f /= 1000
		u++
	}
	switch {
	case u == 0:
		return fmt.Sprintf("%d B", n)
	case f < 9.95:
		return fmt.Sprintf("%.1f %s", f, units[u])
	}
	return fmt.Sprintf("%.0f %s", f, units[u])
}

// Dollars is a cost in millionths, rounded to the three decimals that pi shows.
func Dollars(micros int64) string {
	thousandths := micros/1000 + micros%1000/500
	return fmt.Sprintf("$%d.%03d", thousandths/1000, thousandths%1000)
}

// ExactDollars is a cost in millionths with all its decimals.
func ExactDollars(micros int64) string { return fmt.Sprintf("$%d.%06d", micros/1e6, micros%1e6) }

// Path is a path with ~ for the user's home folder, by whole names; "" is no home.
func Path(home, path string) string {
	home = strings.TrimSuffix(home, string(filepath.Separator))
	switch {
	case home == "":
		return path
	case path == home:
		return "~"
	}
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}
