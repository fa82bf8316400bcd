package cost

import (
	"cmp"
	"slices"
	"time"

	"github.com/pith-sessions/pith/format"
)

// A Group is the sum of the responses with the same key.
type Group struct {
	Key       string
	Sessions  int // sessions in which the responses were made
	Responses int
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

// Where returns the ledger with only the responses for which keep returns true.
func (l *Ledger) Where(keep func(*Response) bool) *Ledger {
	out := *l
	out.Responses = nil
	for i := range l.Responses {
		if keep(&l.Responses[i]) {
			out.Responses = append(out.Responses, l.Responses[i])
		}
	}
	return &out
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
	for i := range l.Responses {
		r := &l.Responses[i]
		k := key(r)
		n, ok := at[k]
		if !ok {
			n = len(sums)
			at[k] = n
			sums = append(sums, counter{Group{Key: k}, -1})
		}
		c := &sums[n]
		c.Responses++
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

// Day returns the day of the response in a time zone as YYYY-MM-DD, or "" for a
// response without a time.
func (r *Response) Day(zone *time.Location) string { return r.stamp(zone, time.DateOnly) }

// Month returns the month of the response in a time zone as YYYY-MM, or "" for
// a response without a time.
func (r *Response) Month(zone *time.Location) string { return r.stamp(zone, "2006-01") }

func (r *Response) stamp(zone *time.Location, layout string) string {
	if r.Time.IsZero() {
		return ""
	}
	return r.Time.In(zone).Format(layout)
}
