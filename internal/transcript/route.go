package transcript

import "github.com/pith-sessions/pith/internal/envelope"

// A Route is a path that knows where things are, so that nobody has to walk along
// it to find them: a context is near its end, however long it is.
type Route interface {
	Path
	// LastOf is the last position before the given one of an entry of a kind, which
	// is a compaction, a reset of either kind, a change of model or of thinking level;
	// -1 when there is none.
	LastOf(kind envelope.Kind, before int) int
	// Find is the first position in [from, before) of an entry with that id, which
	// is not empty; -1 when there is none.
	Find(id string, from, before int) int
}

// walked is any path as a route.
type walked struct{ Path }

// LastOf implements Route.
func (w walked) LastOf(kind envelope.Kind, before int) int {
	for pos := before - 1; pos >= 0; pos-- {
		if k := w.At(pos).Kind; k == kind || k.Resets() && kind.Resets() {
			return pos
		}
	}
	return -1
}

// Find implements Route.
func (w walked) Find(id string, from, before int) int {
	for pos := from; pos < before; pos++ {
		if w.ID(pos) == id {
			return pos
		}
	}
	return -1
}
