package inspect

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// A Choice says which exchanges are wanted. The zero Choice wants all.
type Choice struct {
	// At chooses the exchange that holds an entry, and Around as many before it
	// and as many after it. The other conditions hold among those.
	At     string
	Around int
	// Search keeps exchanges in which every word occurs: in what was said or
	// thought, in calls and results of tools, in summaries, names and labels. Case
	// does not matter. Words between double quotes are one.
	Search string
	// Roles keeps exchanges in which one of these speaks; see [Roles].
	Roles []string
	// Since and Until keep exchanges with an entry of that time; zero means any.
	Since, Until time.Time
	// Offset skips so many of the exchanges that are left; a negative one leaves
	// only so many at the end. Limit is how many are taken then; 0 means all.
	Offset, Limit int
}

// A Selection is what a choice found.
type Selection struct {
	Indexes  []int // of the exchanges, in order
	Offset   int   // how many that match come before them
	Matching int   // how many match, before Offset and Limit
}

// After is how many exchanges that match come after those selected.
func (s *Selection) After() int { return s.Matching - s.Offset - len(s.Indexes) }

// Choose finds the exchanges that a choice wants. Lines are read only for Search.
func (r *Reading) Choose(ctx context.Context, c Choice) (Selection, error) {
	from, to := 0, len(r.spans)
	if c.At != "" {
		at, err := r.Holding(c.At)
		if err != nil {
			return Selection{}, err
		}
		from, to = max(0, at-c.Around), min(to, at+c.Around+1)
	}
	if c.Limit < 0 || c.Around < 0 {
		return Selection{}, fmt.Errorf("%w: a number of exchanges cannot be negative", ErrChoice)
	}
	for _, role := range c.Roles {
		if !slices.Contains(Roles(), role) {
			return Selection{}, fmt.Errorf("%w: there is no role %q", ErrChoice, role)
		}
	}
	match := newMatcher(c.Search)
	found := []int{}
	for i := from; i < to; i++ {
		ok, err := r.fits(ctx, i, &c, match)
		if err != nil {
			return Selection{}, err
		}
		if ok {
			found = append(found, i)
		}
	}
	return page(found, c.Offset, c.Limit), nil
}

// fits reports whether an exchange meets all conditions. What costs most is asked
// last.
func (r *Reading) fits(ctx context.Context, i int, c *Choice, m *matcher) (bool, error) {
	if !r.within(i, c.Since, c.Until) {
		return false, nil
	}
	if ok, err := r.speaks(i, c.Roles); !ok || err != nil {
		return false, err
	}
	return r.matches(ctx, i, m)
}

func page(found []int, offset, limit int) Selection {
	s := Selection{Matching: len(found)}
	if offset < 0 {
		offset = max(0, len(found)+offset)
	}
	s.Offset = min(offset, len(found))
	s.Indexes = found[s.Offset:]
	if limit > 0 && limit < len(s.Indexes) {
		s.Indexes = s.Indexes[:limit]
	}
	return s
}

// within reports whether an exchange has an entry of that time.
func (r *Reading) within(i int, since, until time.Time) bool {
	if since.IsZero() && until.IsZero() {
		return true
	}
	for k := r.spans[i].from; k < r.spans[i].to; k++ {
		t := r.at(k).Time
		if !t.IsZero() && (since.IsZero() || !t.Before(since)) && (until.IsZero() || !t.After(until)) {
			return true
		}
	}
	return false
}

// speaks reports whether one of the roles speaks in an exchange. Envelopes tell
// that of all but two: an answer may hold nothing but calls of tools, which speak
// for the tools, whether or not they left a result.
func (r *Reading) speaks(i int, roles []string) (bool, error) {
	if len(roles) == 0 {
		return true, nil
	}
	sp := r.spans[i]
	answers := false
	for k := sp.from; k < sp.to; k++ {
		role := r.roleAt(k)
		if role == RoleAssistant {
			answers = true
		} else if slices.Contains(roles, role) {
			return true, nil
		}
	}
	if !answers || !slices.Contains(roles, RoleAssistant) && !slices.Contains(roles, RoleTool) {
		return false, nil
	}
	for k := sp.to - 1; k >= sp.from; k-- { // an exchange mostly ends with words
		if r.roleAt(k) != RoleAssistant {
			continue
		}
		if ok, err := r.answerSpeaks(k, roles); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// roleAt is who speaks in an entry, as far as its envelope tells.
func (r *Reading) roleAt(k int) string {
	e := r.at(k)
	return roleOf(e.Type, e.Role)
}

// answerSpeaks reports whether an answer, given by the index of its entry, has an
// item of one of the roles.
func (r *Reading) answerSpeaks(k int, roles []string) (bool, error) {
	line, err := r.lines.Line(r.path[k])
	if err != nil {
		return false, err
	}
	b := builder{x: &Exchange{}, detail: Detail{MaxContent: 1, Roles: roles}, label: r.view.Label, calls: map[string]int{}}
	b.line(&line)
	return len(b.wanted()) > 0, nil
}
