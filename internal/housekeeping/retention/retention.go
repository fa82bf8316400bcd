// Package retention selects sessions to delete, by rules that the user gives,
// with the reason why each goes or stays.
//
// It deletes nothing and reads no files: it decides from a list. When in doubt
// a session stays.
//
// # Invariants
//
//	R1  Without a rule nothing goes.
//	R2  A session that is pinned, named, in use or the parent of another session
//	    stays, whatever the rules are.
//	R3  Only sessions in pi's own directories, in one that the user chose, or of
//	    agents that the user named may go.
package retention

import (
	"cmp"
	"slices"
	"time"

	"github.com/pith-sessions/pith/catalog"
)

// Rules select sessions. A session goes if Before, Empty, Keep alone or MaxSize
// selects it and nothing protects it.
type Rules struct {
	// Before selects sessions that were last used before this time. Zero means
	// no limit of age.
	Before time.Time
	// Empty selects sessions without messages.
	Empty bool
	// Keep protects this number of most recently used sessions of each project.
	// Without Before, Empty and MaxSize, it selects all others. Zero means no
	// limit.
	Keep int
	// MaxSize selects the least recently used sessions until the rest is no
	// larger. Zero means no limit of size.
	MaxSize int64
	// Named also selects sessions with a display name.
	Named bool
	// Agents are the other agents whose sessions may go.
	Agents []string
	// Now is the current time.
	Now time.Time
}

// inUse is the time after its last use for which a session counts as in use.
const inUse = time.Hour

// Any reports whether any rule selects sessions.
func (r *Rules) Any() bool { return !r.Before.IsZero() || r.Empty || r.Keep > 0 || r.MaxSize > 0 }

// A Reason names why a session goes, or why it stays although a rule selects
// it.
type Reason string

// The reasons to go.
const (
	Old      Reason = "old"
	NoWords  Reason = "empty"
	Beyond   Reason = "beyond" // beyond the number to keep of its project
	TooLarge Reason = "size"   // all sessions together are too large
)

// The reasons to stay.
const (
	Pinned   Reason = "pinned"
	Named    Reason = "named"
	Parent   Reason = "children" // other sessions were made from it
	Used     Reason = "in use"
	Youngest Reason = "kept" // it is within the number to keep
	Foreign  Reason = "foreign"
)

// A Verdict concerns one session that a rule selects.
type Verdict struct {
	Session int // index into the list
	Why     Reason
	// Stays is why the session stays, or "" if it goes.
	Stays Reason
}

// A Plan is the result of applying the rules to a list.
type Plan struct {
	// Verdicts concern the sessions that a rule selects, the least recently
	// used first.
	Verdicts []Verdict
	// Size is the size of all sessions, Freed that of those that go.
	Size, Freed int64
	// Short is the size by which the rest exceeds Rules.MaxSize.
	Short int64
}

// Goes returns the sessions that go, as indexes into the list.
func (p *Plan) Goes() []int {
	var out []int
	for _, v := range p.Verdicts {
		if v.Stays == "" {
			out = append(out, v.Session)
		}
	}
	return out
}

// Choose applies rules to a list of all sessions. project returns the same
// number for sessions of one project, and pinned reports whether a session must
// stay.
func Choose(infos []catalog.Info, rules Rules, project func(i int) int, pinned func(i int) bool) Plan {
	c := chooser{infos: infos, rules: rules, reasons: make([]Reason, len(infos))}
	c.order = make([]int, len(infos))
	for i := range c.order {
		c.order[i] = i
	}
	slices.SortStableFunc(c.order, func(a, b int) int {
		return cmp.Or(infos[a].Modified.Compare(infos[b].Modified), cmp.Compare(infos[a].Path, infos[b].Path))
	})
	c.protect(project, pinned)
	return c.plan()
}

type chooser struct {
	infos   []catalog.Info
	rules   Rules
	order   []int    // the least recently used first
	reasons []Reason // why a session must stay, or ""
}

// protect determines which sessions must stay, the strongest reason last.
func (c *chooser) protect(project func(int) int, pinned func(int) bool) {
	children := catalog.Children(c.infos)
	seen := map[int]int{}
	for _, i := range slices.Backward(c.order) {
		s := &c.infos[i]
		if n := project(i); c.rules.Keep > 0 && !c.isEmpty(s) {
			if seen[n]++; seen[n] <= c.rules.Keep {
				c.reasons[i] = Youngest
			}
		}
		switch {
		case s.Root != catalog.RootPi && s.Root != catalog.RootCustom && !slices.Contains(c.rules.Agents, s.Root):
			c.reasons[i] = Foreign
		case pinned(i):
			c.reasons[i] = Pinned
		case len(children[s.Path]) > 0:
			c.reasons[i] = Parent
		case s.Name != "" && !c.rules.Named:
			c.reasons[i] = Named
		case c.rules.Now.Sub(s.Modified) < inUse || c.rules.Now.Sub(s.FileTime) < inUse:
			c.reasons[i] = Used
		}
	}
}

// isEmpty reports whether a session goes because it has no messages on any
// branch: the active path can be empty only because the leaf is before the
// first message. Such a session does not count for the number to keep.
func (c *chooser) isEmpty(s *catalog.Info) bool {
	return c.rules.Empty && s.Status == catalog.StatusEmpty && s.MessageCount == 0
}

// why returns the reason for a session to go, apart from the total size.
func (c *chooser) why(s *catalog.Info) Reason {
	switch {
	case c.isEmpty(s):
		return NoWords
	case !c.rules.Before.IsZero() && s.Modified.Before(c.rules.Before):
		return Old
	case c.rules.Keep > 0 && c.rules.Before.IsZero() && !c.rules.Empty && c.rules.MaxSize == 0:
		return Beyond
	}
	return ""
}

func (c *chooser) plan() (p Plan) {
	gone := make([]bool, len(c.infos))
	for _, i := range c.order {
		p.Size += c.infos[i].Size
		why := c.why(&c.infos[i])
		if why == "" || why == Beyond && c.reasons[i] == Youngest {
			continue
		}
		gone[i] = true
		p.Verdicts = append(p.Verdicts, Verdict{i, why, c.reasons[i]})
		if c.reasons[i] == "" {
			p.Freed += c.infos[i].Size
		}
	}
	if c.rules.MaxSize == 0 {
		return p
	}
	for _, i := range c.order {
		if p.Size-p.Freed <= c.rules.MaxSize {
			return p
		}
		if gone[i] || c.reasons[i] != "" {
			continue
		}
		p.Verdicts = append(p.Verdicts, Verdict{i, TooLarge, ""})
		p.Freed += c.infos[i].Size
	}
	p.Short = max(0, p.Size-p.Freed-c.rules.MaxSize)
	return p
}
