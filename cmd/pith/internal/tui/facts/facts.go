// Package facts words the facts of sessions, turns and calls for the screens of the
// app: costs, times, agents, outcomes.
package facts

import (
	"fmt"
	"strings"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/format"
)

// Cost returns a cost in cents: "$1.20", "~$1.20" if some of it was estimated, "–" if
// nothing of it is known, and "" if no model was used.
func Cost(s format.Spent) string {
	switch {
	case s.Cost == 0 && s.Unpriced > 0:
		return "–"
	case s.Cost == 0:
		return ""
	}
	mark, cents := "", (s.Cost.Micros()+5_000)/10_000
	if s.Estimated {
		mark = "~"
	}
	if cents == 0 {
		return mark + "<$0.01"
	}
	return fmt.Sprintf("%s$%s.%02d", mark, humanize.Number(cents/100), cents%100)
}

// Sum is like Cost for a sum, and says how many of its parts have no known cost.
func Sum(s format.Spent, unknown int) string {
	cost := Cost(s)
	switch {
	case unknown > 0 && (cost == "" || cost == "–"):
		return humanize.Count(unknown, "unknown cost")
	case unknown > 0:
		return fmt.Sprintf("%s + %d unknown", cost, unknown)
	}
	return cost
}

// Age returns the time since something as one number and a unit.
func Age(d time.Duration) string {
	if days := int(d / (24 * time.Hour)); days >= 7 && days <= 14 {
		return fmt.Sprintf("%dd", days)
	}
	return humanize.Age(d)
}

// Duration returns a duration in at most two units, without fractions of more than ten
// seconds.
func Duration(d time.Duration) string {
	switch {
	case d < 100*time.Millisecond:
		return "0.1 s"
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d%time.Minute < time.Second && d < time.Hour, d >= 10*time.Minute && d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return humanize.Duration(d)
}

// Tokens returns a number of tokens.
func Tokens(n int64) string { return humanize.Short(n) + " tokens" }

// Join joins the facts that are known.
func Join(parts ...string) string {
	var known []string
	for _, p := range parts {
		if p != "" {
			known = append(known, p)
		}
	}
	return strings.Join(known, " · ")
}

// Changes returns the size of changes as spans: lines added and removed.
func Changes(added, removed int) []paint.Span {
	var out []paint.Span
	if added > 0 {
		out = append(out, paint.Span{Tone: paint.Added, Text: fmt.Sprintf("+%d", added)})
	}
	if removed > 0 {
		if added > 0 {
			out = append(out, paint.Span{Text: " "})
		}
		out = append(out, paint.Span{Tone: paint.Removed, Text: fmt.Sprintf("−%d", removed)})
	}
	return out
}

// Text returns the text of spans.
func Text(spans []paint.Span) string {
	text := ""
	for _, s := range spans {
		text += s.Text
	}
	return text
}
