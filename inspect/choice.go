package inspect

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// A Choice selects turns. The zero Choice selects all.
type Choice struct {
	// At selects the turn that contains an entry, and Around as many before
	// and after it. The other conditions apply to those.
	At     string
	Around int
	// Search selects turns that contain every word: in messages, thinking,
	// tool calls and results, summaries, names and labels. It ignores case. A
	// phrase in double quotes is one word.
	Search string
	// Roles selects turns that contain one of these roles; see [Roles].
	Roles []string
	// Since and Until select turns with an entry in that time; zero means
	// any.
	Since, Until time.Time
	// Offset skips that many of the selected turns; a negative value keeps
	// only that many at the end. Limit is the maximum number after that; 0
	// means all.
	Offset, Limit int
}

// A Selection is the result of a choice.
type Selection struct {
	Indexes  []int // indices of the turns, in order
	Offset   int   // number of matches before them
	Matching int   // number of matches before Offset and Limit
}

// After returns the number of matching turns after those selected.
func (s *Selection) After() int { return s.Matching - s.Offset - len(s.Indexes) }

// Choose returns the turns that match a choice. It reads lines only for
// Search.
func (r *Reading) Choose(ctx context.Context, c Choice) (Selection, error) {
	from, to := 0, r.Len()
	if c.At != "" {
		at, err := r.Holding(c.At)
		if err != nil {
			return Selection{}, err
		}
		from, to = max(0, at-c.Around), min(to, at+c.Around+1)
	}
	if c.Limit < 0 || c.Around < 0 {
		return Selection{}, fmt.Errorf("%w: a number of turns cannot be negative", ErrChoice)
	}
	for _, role := range c.Roles {
		if !slices.Contains(Roles(), role) {
			return Selection{}, fmt.Errorf("%w: unknown role %q", ErrChoice, role)
		}
	}
	match := newMatcher(c.Search)
	if len(match.words) == 0 && len(c.Roles) == 0 && c.Since.IsZero() && c.Until.IsZero() {
		s := page(to-from, c.Offset, c.Limit)
		for i := range s.Indexes {
			s.Indexes[i] = from + s.Offset + i
		}
		return s, nil
	}
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
	s := page(len(found), c.Offset, c.Limit)
	copy(s.Indexes, found[s.Offset:])
	return s, nil
}

// fits reports whether a turn meets all conditions. The most expensive is
// checked last.
func (r *Reading) fits(ctx context.Context, i int, c *Choice, m *matcher) (bool, error) {
	if !r.within(i, c.Since, c.Until) {
		return false, nil
	}
	if ok, err := r.hasRole(i, c.Roles); !ok || err != nil {
		return false, err
	}
	return r.matches(ctx, i, m)
}

// page returns a selection of some of the given number of matches, without the
// indexes themselves.
func page(matching, offset, limit int) Selection {
	if offset < 0 {
		offset = max(0, matching+offset)
	}
	s := Selection{Matching: matching, Offset: min(offset, matching)}
	n := matching - s.Offset
	if limit > 0 {
		n = min(n, limit)
	}
	s.Indexes = make([]int, n)
	return s
}

// within reports whether a turn has an entry in that time.
func (r *Reading) within(i int, since, until time.Time) bool {
	if since.IsZero() && until.IsZero() {
		return true
	}
	from, to := r.span(i)
	for k := from; k < to; k++ {
		t := r.at(k).Time
		if !t.IsZero() && (since.IsZero() || !t.Before(since)) && (until.IsZero() || !t.After(until)) {
			return true
		}
	}
	return false
}

// hasRole reports whether a turn contains one of the roles. Envelopes
// determine that for all but two: a response may consist only of tool calls,
// which count as the role tool, whether or not they have a result.
func (r *Reading) hasRole(i int, roles []string) (bool, error) {
	if len(roles) == 0 {
		return true, nil
	}
	from, to := r.span(i)
	answers := false
	for k := from; k < to; k++ {
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
	for k := to - 1; k >= from; k-- { // a turn mostly ends with text
		if r.roleAt(k) != RoleAssistant {
			continue
		}
		if ok, err := r.answerSpeaks(k, roles); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

// roleAt returns the role of an entry as far as its envelope determines it.
func (r *Reading) roleAt(k int) string {
	return roleOf(r.view.Kind(r.path.at(k)))
}

// answerSpeaks reports whether a response, given by the index of its entry, has
// an item of one of the roles.
func (r *Reading) answerSpeaks(k int, roles []string) (bool, error) {
	line, err := r.lines.Line(r.path.at(k))
	if err != nil {
		return false, err
	}
	b := builder{x: &Turn{}, detail: Detail{MaxContent: 1, Roles: roles}, label: r.view.Label, calls: map[string]int{}}
	b.line(&line)
	return len(b.wanted()) > 0, nil
}
