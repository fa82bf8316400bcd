package flags

import (
	"strconv"
	"strings"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
)

// Time parses a time that a person typed.
func Time(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, ok := ops.Moment(text, now)
	if !ok {
		return t, exit.Usagef("invalid --%s %q: use 2026-01-31, 2026-01-31T15:04, 12h, 7d, yesterday or last-week", flag, text)
	}
	return t, nil
}

// Size parses a size that a person typed.
func Size(flag, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	number := strings.TrimRight(strings.ToUpper(text), "BKMGTI ")
	n, err := strconv.ParseFloat(number, 64)
	unit := strings.TrimSuffix(strings.TrimSpace(strings.ToUpper(text)[len(number):]), "B")
	factors := map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "KI": 1 << 10, "MI": 1 << 20, "GI": 1 << 30, "TI": 1 << 40}
	factor, ok := factors[unit]
	if err != nil || !ok || !(n >= 0 && n*factor <= 1e18) { // NaN is neither
		return 0, exit.Usagef("invalid --%s %q: use a size like 500KB or 10MB", flag, text)
	}
	return int64(n * factor), nil
}
