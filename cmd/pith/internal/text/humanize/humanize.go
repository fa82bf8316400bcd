// Package humanize formats numbers, money, times and paths for people.
//
// The command, the terminal app and the servers use it, so that a value looks
// the same everywhere. Results are short and on one line. Amounts that web
// pages show too are formatted by package amount.
package humanize

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith/internal/amount"
)

// Count returns a number with its noun, which is given in the singular.
func Count(n int, noun string) string { return amount.Count(int64(n), noun) }

// Number returns a number with commas between the thousands.
func Number(n int64) string { return amount.Number(n) }

// Short returns a number in few characters: 999, 1.2k, 45k, 3.4M, 10.5B.
func Short(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 10_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	if n < 999_950_000 {
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1fB", float64(n)/1e9)
}

// Bytes returns a number of bytes, in units of a thousand.
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

// Path returns a path with ~ for the user's home directory, by whole names;
// home may be empty.
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
