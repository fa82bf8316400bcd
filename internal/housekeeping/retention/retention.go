// Package retention chooses which sessions may go, by rules that a person gives,
// and says why each goes or stays.
//
// It deletes nothing and reads no files: it decides over a list. When in doubt a
// session stays.
//
// # Invariants
//
//	R1  Without a rule nothing goes.
//	R2  What is pinned, named, in use or the parent of another session stays,
//	    whatever the rules say.
//	R3  Only sessions in pi's own folders, or in one that the user chose, may go.
//
// Stability: outside the core. Its exported names may still change.
package retention

import (
	"cmp"
	"slices"
	"time"

	"github.com/pith-sessions/pith/catalog"
)

// Rules say what may go. A session goes when one of Before, Empty, Keep alone or
// MaxSize asks for it and nothing keeps it.
type Rules struct {
	// Before: sessions that were last used before this moment go. Zero means that
	// age is no reason.
	Before time.Time
	// Empty: sessions in which nobody said anything go.
	Empty bool
	// Keep: so many sessions of each project stay, those used last. Without Before,
	// Empty and MaxSize all others go. Zero means that the number is no matter.
	Keep int
	// MaxSize: the sessions that were not used for longest go until the rest is no
	// larger. Zero means that size is no reason.
	MaxSize int64
	// Named lets sessions with a display name go too.
	Named bool
	// Now is the present moment.
	Now time.Time
}

// inUse is for how long after its last use a session is taken to be in use.
const inUse = time.Hour

// Any reports whether there is a reason for anything to go.
func (r *Rules) Any() bool { return !r.Before.IsZero() || r.Empty || r.Keep > 0 || r.MaxSize > 0 }

// A Reason says why a session goes, or why it stays although a rule asked for it.
type Reason string

// The reasons to go.
const (
	Old      Reason = "old"
	NoWords  Reason = "empty"
	Beyond   Reason = "beyond" // the number to keep of its project
	TooLarge Reason = "size"   // all together are too large
)

// The reasons to stay.
const (
	Pinned   Reason = "pinned"
	Named    Reason = "named"
	Parent   Reason = "children" // other sessions were made from it
	Used     Reason = "in use"
	Youngest Reason = "kept" // it is among the number to keep
	Foreign  Reason = "foreign"
)

// A Verdict is about one session that a rule asked for.
type Verdict struct {
	Session int // index into the list
	Why     Reason
	// Stays is why the session stays; "" when it goes.
	Stays Reason
}

// A Plan is what the rules mean for a list.
type Plan struct {
	// Verdicts are about the sessions that a rule asked for, the one not used for
	// longest first.
	Verdicts []Verdict
	// Size is that of all sessions, Freed that of those that go.
	Size, Freed int64
	// Short is how much more than Rules.MaxSize stays.
	Short int64
}

// Goes are the sessions that go, as indexes into the list.
func (p *Plan) Goes() []int {
	var out []int
	for _, v := range p.Verdicts {
		if v.Stays == "" {
			out = append(out, v.Session)
		}
	}
	return out
}

// Choose applies rules to a list of all sessions. project gives sessions of one
// project the same number, and pinned tells which must stay.
func Choose(infos []catalog.Info, rules Rules, project func(i int) int, pinned func(i int) bool) Plan {
	c := chooser{infos: infos, rules: rules, keeps: make([]Reason, len(infos))}
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
	infos []catalog.Info
	rules Rules
	order []int    // the one not used for longest first
	keeps []Reason // why a session must stay; "" when nothing says so
}

// protect finds out what must stay, the weightiest reason last.
func (c *chooser) protect(project func(int) int, pinned func(int) bool) {
	children := catalog.Children(c.infos)
	seen := map[int]int{}
	for _, i := range slices.Backward(c.order) {
		s := &c.infos[i]
		if n := project(i); c.rules.Keep > 0 && !c.isEmpty(s) {
			if seen[n]++; seen[n] <= c.rules.Keep {
				c.keeps[i] = Youngest
			}
		}
		switch {
		case s.Root != catalog.RootPi && s.Root != catalog.RootCustom:
			c.keeps[i] = Foreign
		case pinned(i):
			c.keeps[i] = Pinned
		case len(children[s.Path]) > 0:
			c.keeps[i] = Parent
		case s.Name != "" && !c.rules.Named:
			c.keeps[i] = Named
		case c.rules.Now.Sub(s.Modified) < inUse || c.rules.Now.Sub(s.FileTime) < inUse:
			c.keeps[i] = Used
		}
	}
}

// isEmpty reports whether a session goes because nobody said anything in it, on any
// branch: the active path is empty too where somebody went back before the first
// message. Such a session does not take one of the places of those to keep.
func (c *chooser) isEmpty(s *catalog.Info) bool {
	return c.rules.Empty && s.Status == catalog.StatusEmpty && s.MessageCount == 0
}

// why is the reason for a session to go, apart from the size of all.
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
		if why == "" || why == Beyond && c.keeps[i] == Youngest {
			continue
		}
		gone[i] = true
		p.Verdicts = append(p.Verdicts, Verdict{i, why, c.keeps[i]})
		if c.keeps[i] == "" {
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
		if gone[i] || c.keeps[i] != "" {
			continue
		}
		p.Verdicts = append(p.Verdicts, Verdict{i, TooLarge, ""})
		p.Freed += c.infos[i].Size
	}
	p.Short = max(0, p.Size-p.Freed-c.rules.MaxSize)
	return p
}
