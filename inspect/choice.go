package inspect

import (
	"context"
	"fmt"
	"slices"
)

// A Choice selects turns. The zero Choice selects all.
type Choice struct {
	// Turns selects turns by number; see [Reading.Select]. The other conditions
	// apply to those.
	Turns string
	// Search selects turns that contain every word: in messages, thinking,
	// tool calls and results, summaries, names and labels. It ignores case. A
	// phrase in double quotes is one word.
	Search string
	// Roles selects turns that contain one of these roles; see [Roles].
	Roles []string
}

// A Selection is the result of a choice.
type Selection struct {
	Indexes []int // indices of the turns that match, in order
	Asked   []int // those that Choice.Turns names
}

// Choose returns the turns that match a choice. It reads lines only for
// Search.
func (r *Reading) Choose(ctx context.Context, c Choice) (Selection, error) {
	asked, err := r.Select(c.Turns)
	if err != nil {
		return Selection{}, err
	}
	for _, role := range c.Roles {
		if !slices.Contains(Roles(), role) {
			return Selection{}, fmt.Errorf("%w: unknown role %q", ErrChoice, role)
		}
	}
	match := newMatcher(c.Search)
	found := []int{}
	for _, i := range asked {
		ok, err := r.hasRole(i, c.Roles)
		if ok && err == nil { // the most expensive condition is the last
			ok, err = r.matches(ctx, i, match)
		}
		if err != nil {
			return Selection{}, err
		}
		if ok {
			found = append(found, i)
		}
	}
	return Selection{Indexes: found, Asked: asked}, nil
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
	return roleOf(r.view.Kind(r.path[k]))
}

// answerSpeaks reports whether a response, given by the index of its entry, has
// an item of one of the roles.
func (r *Reading) answerSpeaks(k int, roles []string) (bool, error) {
	line, err := r.lines.Line(r.path[k])
	if err != nil {
		return false, err
	}
	b := builder{x: &Turn{}, detail: Detail{MaxContent: 1, Roles: roles}, label: r.view.Label, calls: map[string]int{}}
	b.line(&line)
	return len(b.wanted()) > 0, nil
}
