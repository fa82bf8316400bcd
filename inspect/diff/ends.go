package diff

import (
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// An End is the last entry of a branch: the conversation was not continued from
// it.
type End struct {
	Pos     int  // bookkeeping after it does not count
	Entries int  // on its path
	Turns   int  // on its path
	Current bool // whether it is on the path to the leaf
}

// OtherEnd returns the end of the most recent branch outside the active path:
// the last entry in the file without a child, except for bookkeeping. ok is
// false if the session has no other branch.
func OtherEnd(s *pith.Session) (id string, ok bool) {
	for _, b := range Ends(s.View()) {
		if !b.Current {
			return s.View().At(b.Pos).ID, true
		}
	}
	return "", false
}

// Ends returns the ends of all branches, the current one first, then the newest.
func Ends(v *pith.View) []End {
	active := make([]bool, v.Len())
	path, _ := v.Path("") // the leaf always has a path
	for _, pos := range path {
		active[pos] = true
	}
	chains := v.DepthFirst()
	type step struct {
		last           int32 // last entry that is not bookkeeping, or -1
		chain          int32 // chain of that entry
		entries, turns int32 // up to it
		further        int32 // bookkeeping after it
		heir           bool  // the conversation was continued from it in another chain
	}
	steps := make([]step, len(chains))
	for i, c := range chains {
		at := step{last: -1, chain: -1}
		if c.Parent >= 0 {
			at = steps[c.Parent]
			at.heir = false
		}
		for pos := c.Pos; pos < c.Pos+c.Len; pos++ {
			kind, role := v.Kind(int(pos))
			if isBookkeeping(kind) {
				at.further++
				continue
			}
			if at.chain >= 0 {
				steps[at.chain].heir = steps[at.chain].heir || at.chain != int32(i)
			}
			at.last, at.chain = pos, int32(i)
			at.entries, at.further = at.entries+at.further+1, 0
			if role == format.RoleUser {
				at.turns++
			}
		}
		steps[i] = at
	}
	var out []End
	for i, e := range steps {
		if e.chain != int32(i) || e.heir {
			continue
		}
		b := End{Pos: int(e.last), Entries: int(e.entries), Turns: int(e.turns), Current: active[e.last]}
		if !b.Current {
			if named, err := v.Find(v.At(b.Pos).ID); err == nil && named != b.Pos && active[named] {
				continue // its id names a later entry
			}
		}
		out = append(out, b)
	}
	slices.SortFunc(out, func(a, b End) int {
		if a.Current != b.Current {
			return map[bool]int{true: -1, false: 1}[a.Current]
		}
		return b.Pos - a.Pos
	})
	return out
}

// isBookkeeping reports whether an entry is not part of the conversation. That
// includes the entry that records a leaf.
func isBookkeeping(t format.Type) bool { return t == format.TypeCustom || format.Bookkeeping(t, "") }
