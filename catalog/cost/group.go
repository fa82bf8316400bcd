package cost

import (
	"cmp"
	"slices"
	"time"

	"github.com/pith-sessions/pith/format"
)

// A Group is the sum of the responses with the same key.
type Group struct {
	Key        string
	Sessions   int `json:"sessions"` // sessions in which the responses were made
	Responses  int `json:"responses"`
	CacheWarms int `json:"cacheWarms"` // requests of kind CacheWarm, which Responses leaves out and Spent includes
	format.Spent
}

// Between returns the ledger with only the responses from start to end,
// excluding end. A zero time means no limit. A response without a time is left
// out if there is a limit.
func (l *Ledger) Between(start, end time.Time) *Ledger {
	if start.IsZero() && end.IsZero() {
		return l
	}
	return l.Where(func(r *Response) bool {
		return !r.Time.IsZero() && (start.IsZero() || !r.Time.Before(start)) && (end.IsZero() || r.Time.Before(end))
	})
}

// Where returns the ledger with only the responses and copies for which keep
// returns true.
func (l *Ledger) Where(keep func(*Response) bool) *Ledger {
	out := *l
	out.Responses, out.Copied = where(l.Responses, keep), where(l.Copied, keep)
	return &out
}

func where(list []Response, keep func(*Response) bool) (kept []Response) {
	for i := range list {
		if keep(&list[i]) {
			kept = append(kept, list[i])
		}
	}
	return kept
}

// Copies returns the number of copies, without cache warm-ups, and the sum that all
// of them would have added.
func (l *Ledger) Copies() (n int, again format.Spent) {
	for i := range l.Copied {
		if l.Copied[i].Kind != CacheWarm {
			n++
		}
		again = again.Plus(l.Copied[i].Spent)
	}
	return n, again
}

// Total returns the sum of all responses.
func (l *Ledger) Total() Group {
	groups := l.By(func(*Response) string { return "" })
	if len(groups) == 0 {
		return Group{}
	}
	return groups[0]
}

// By returns the sums of the responses with the same key, sorted by key.
func (l *Ledger) By(key func(*Response) string) []Group {
	type counter struct {
		Group
		last int // the session counted last; responses are ordered by session
	}
	at := map[string]int{}
	var sums []counter
	n := 0 // index of the last sum: neighbors often have the same key
	for i := range l.Responses {
		r := &l.Responses[i]
		if k := key(r); len(sums) == 0 || k != sums[n].Key {
			var ok bool
			if n, ok = at[k]; !ok {
				n = len(sums)
				at[k] = n
				sums = append(sums, counter{Group{Key: k}, -1})
			}
		}
		c := &sums[n]
		if r.Kind == CacheWarm {
			c.CacheWarms++
		} else {
			c.Responses++
		}
		c.Spent = c.Plus(r.Spent)
		if c.last != r.Session {
			c.last = r.Session
			c.Sessions++
		}
	}
	out := make([]Group, len(sums))
	for i := range sums {
		out[i] = sums[i].Group
	}
	slices.SortFunc(out, func(a, b Group) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

// DearestFirst sorts groups by decreasing cost, then by decreasing tokens.
func DearestFirst(groups []Group) {
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.Key, b.Key))
	})
}

// Days returns a function for [Ledger.By] that returns the day of a response in
// a time zone as YYYY-MM-DD, or "" for a response without a time. The function
// must not be used concurrently.
func Days(zone *time.Location) func(*Response) string {
	return spans(zone, time.DateOnly, func(t time.Time) (from, to time.Time) {
		y, m, d := t.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, zone), time.Date(y, m, d+1, 0, 0, 0, 0, zone)
	})
}

// Weeks is like Days for the first day of the week.
func Weeks(zone *time.Location, first time.Weekday) func(*Response) string {
	day := Days(zone)
	var last, text string
	return func(r *Response) string {
		if d := day(r); d != last {
			last, text = d, d
			if at, err := time.Parse(time.DateOnly, d); err == nil {
				text = at.AddDate(0, 0, -int(at.Weekday()-first+7)%7).Format(time.DateOnly)
			}
		}
		return text
	}
}

// Months is like Days for the month, as YYYY-MM.
func Months(zone *time.Location) func(*Response) string {
	return spans(zone, "2006-01", func(t time.Time) (from, to time.Time) {
		y, m, _ := t.Date()
		return time.Date(y, m, 1, 0, 0, 0, 0, zone), time.Date(y, m+1, 1, 0, 0, 0, 0, zone)
	})
}

// spans formats the time of a response, but not again while it stays within the
// same span.
func spans(zone *time.Location, layout string, span func(time.Time) (from, to time.Time)) func(*Response) string {
	var from, to time.Time
	var text string
	return func(r *Response) string {
		if r.Time.IsZero() {
			return ""
		}
		if r.Time.Before(from) || !r.Time.Before(to) {
			at := r.Time.In(zone)
			text = at.Format(layout)
			from, to = span(at)
			// A zone may skip or repeat midnight.
			if from.Format(layout) != text {
				from = at
			}
			if to.Add(-1).Format(layout) != text {
				to = at.Add(1)
			}
		}
		return text
	}
}
