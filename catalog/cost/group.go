package cost

import (
	"cmp"
	"slices"
	"time"

	"github.com/pith-sessions/pith/format"
)

// A Group is the sum of the responses that have something in common.
type Group struct {
	Key       string
	Sessions  int // in which the responses were made
	Responses int
	format.Spent
}

// Between are the responses of a span of time; end itself is outside, and a zero
// time means no limit. A response without a time is in no span that has one.
func (l *Ledger) Between(start, end time.Time) *Ledger {
	if start.IsZero() && end.IsZero() {
		return l
	}
	return l.Where(func(r *Response) bool {
		return !r.Time.IsZero() && (start.IsZero() || !r.Time.Before(start)) && (end.IsZero() || r.Time.Before(end))
	})
}

// Where is the ledger with only the responses that keep lets through.
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

// Total is the sum of all responses.
func (l *Ledger) Total() Group {
	groups := l.By(func(*Response) string { return "" })
	if len(groups) == 0 {
		return Group{}
	}
	return groups[0]
}

// By adds up responses that have a key in common, sorted by key.
func (l *Ledger) By(key func(*Response) string) []Group {
	type counter struct {
		Group
		last int // the session counted last; responses come session by session
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

// DearestFirst sorts groups by cost, then by tokens.
func DearestFirst(groups []Group) {
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(b.Tokens, a.Tokens), cmp.Compare(a.Key, b.Key))
	})
}

// Day is the key of a response's day in a zone; "" for one without a time.
func (r *Response) Day(zone *time.Location) string { return r.stamp(zone, time.DateOnly) }

// Month is likewise the key of its month.
func (r *Response) Month(zone *time.Location) string { return r.stamp(zone, "2006-01") }

func (r *Response) stamp(zone *time.Location, layout string) string {
	if r.Time.IsZero() {
		return ""
	}
	return r.Time.In(zone).Format(layout)
}
