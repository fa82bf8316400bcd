package inspect

import (
	"slices"
	"sort"

	"github.com/pith-sessions/pith"
)

// A path is a list of positions. It contains stretches of consecutive entries of
// the file, so that a long conversation takes little memory.
type path []stretch

// A stretch is a part of a path: the entries from pos on, up to index end of the
// path.
type stretch struct{ pos, end int }

// pathTo returns the positions from a root to an entry, inclusive. For a
// negative position it is empty.
func pathTo(v *pith.View, pos int) path {
	chains := v.DepthFirst()
	k := slices.IndexFunc(chains, func(c struct{ Pos, Len, Parent int32 }) bool {
		return int(c.Pos) <= pos && pos < int(c.Pos+c.Len)
	})
	var p path
	for last := pos; k >= 0; k = int(chains[k].Parent) {
		first := int(chains[k].Pos)
		if p != nil {
			last = first + int(chains[k].Len) - 1
		}
		p = append(p, stretch{first, last + 1 - first}) // its length, for now
	}
	slices.Reverse(p)
	for i := 1; i < len(p); i++ {
		p[i].end += p[i-1].end
	}
	return p
}

func (p path) len() int {
	if len(p) == 0 {
		return 0
	}
	return p[len(p)-1].end
}

// at returns the position at an index.
func (p path) at(k int) int {
	i := 0
	if len(p) > 1 {
		i = sort.Search(len(p), func(i int) bool { return p[i].end > k })
	}
	start := 0
	if i > 0 {
		start = p[i-1].end
	}
	return p[i].pos + k - start
}

// positions appends the positions at the indexes from one up to, but not
// including, another.
func (p path) positions(dst []int, from, to int) []int {
	for k := from; k < to; k++ {
		dst = append(dst, p.at(k))
	}
	return dst
}
