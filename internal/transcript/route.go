package transcript

import "github.com/pith-sessions/pith/internal/envelope"

// A Route is a path with an index, so that a caller need not walk along it: a
// context is near its end, however long it is.
type Route interface {
	Path
	// LastOf returns the last position before the given one of an entry of a
	// kind, which is a compaction, a reset of either kind, a change of model or
	// of thinking level, or -1.
	LastOf(kind envelope.Kind, before int) int
	// Find returns the first position in [from, before) of an entry with that
	// id, which is not empty, or -1.
	Find(id string, from, before int) int
}

// walked makes a route from any path.
type walked struct{ Path }

func (w walked) LastOf(kind envelope.Kind, before int) int {
	for pos := before - 1; pos >= 0; pos-- {
		if k := w.At(pos).Kind; k == kind || k.Resets() && kind.Resets() {
			return pos
		}
	}
	return -1
}

func (w walked) Find(id string, from, before int) int {
	for pos := from; pos < before; pos++ {
		if w.ID(pos) == id {
			return pos
		}
	}
	return -1
}
