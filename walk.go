package pith

import (
	"errors"
	"io"
	"io/fs"
	"iter"
	"slices"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/tree"
)

// A walk reads selected entries of a session as of the time when the walk was
// made. It implements transcript.Path.
type walk struct {
	table  *envelope.Table // a copy, which does not grow
	row    tree.Row        // the selected entries
	body   io.ReaderAt
	file   string
	window []byte // bytes read ahead
	from   int64  // offset of the window in the body
	ahead  int    // how much to read ahead
	until  int64  // where reading ahead stops; 0 means the end of the body
}

// clone returns a copy of the walk with its own window, so that two walks do not
// overwrite each other's bytes.
func (w *walk) clone() *walk {
	own := *w
	own.window = nil
	return &own
}

func (w *walk) Len() int { return w.row.Len() }

func (w *walk) At(pos int) envelope.Entry { return w.table.At(w.row.At(pos)) }

func (w *walk) ID(pos int) string { return w.table.ID(w.row.At(pos)) }

// parent returns the parent id of the entry at a position.
func (w *walk) parent(pos int) string { return w.table.Parent(w.row.At(pos)) }

// The least and the most to read at a time. Entries of a path are mostly
// consecutive in the file, but reading a single entry should not read its
// neighbors.
const (
	leastAhead = 16 << 10
	mostAhead  = 256 << 10
)

// Line implements transcript.Path. It reads ahead, so that a walk along the
// file needs few reads. The bytes are valid until the next call.
func (w *walk) Line(pos int) ([]byte, error) { return w.lineOf(w.At(pos)) }

func (w *walk) lineOf(e envelope.Entry) ([]byte, error) {
	end := e.Offset + int64(e.Len)
	if e.Offset < w.from || end > w.from+int64(len(w.window)) {
		if err := w.fill(e); err != nil {
			return nil, err
		}
	}
	i := e.Offset - w.from
	return w.window[i : i+int64(e.Len) : i+int64(e.Len)], nil
}

func (w *walk) fill(e envelope.Entry) error {
	end := w.from + int64(len(w.window))
	near := len(w.window) > 0 && e.Offset <= end+mostAhead && e.Offset >= w.from-mostAhead
	back := near && e.Offset < w.from // a walk from the leaf to the root
	w.ahead = min(4*w.ahead, mostAhead)
	if !near {
		w.ahead = leastAhead
	}
	want := max(int64(e.Len), int64(w.ahead))
	w.from = e.Offset
	switch {
	case back:
		w.from = max(0, e.Offset+int64(e.Len)-want)
	case w.until > 0:
		want = max(int64(e.Len), min(want, w.until-e.Offset))
	}
	w.window = slices.Grow(w.window[:0], int(want))[:want]
	n, err := w.body.ReadAt(w.window, w.from)
	w.window = w.window[:n]
	if w.from+int64(n) < e.Offset+int64(e.Len) {
		w.window = w.window[:0]
		return w.failed(err)
	}
	return nil
}

// failed returns the error for a short read.
func (w *walk) failed(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if errors.Is(err, fs.ErrClosed) {
		err = ErrClosed
	}
	return &FileError{"read", w.file, err}
}

func (w *walk) decoded() iter.Seq2[format.Entry, error] {
	return func(yield func(format.Entry, error) bool) {
		own := w.clone()
		for _, i := range own.row.All() {
			line, err := own.lineOf(own.table.At(i))
			if err != nil {
				yield(nil, err)
				return
			}
			entry, err := format.DecodeEntry(append([]byte(nil), line...))
			if !yield(entry, err) || err != nil {
				return
			}
		}
	}
}

// A route is the path to an entry, with lookups in its session. It implements
// transcript.Route.
type route struct {
	*walk
	of *snapshot
}

func (r route) LastOf(kind envelope.Kind, before int) int {
	return r.row.LastOf(r.table.TurningPoints(kind), before)
}

func (r route) Find(id string, from, before int) int {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	if !r.of.tree.Indexed() { // one search does not justify an index
		for pos := from; pos < before; pos++ {
			if r.ID(pos) == id {
				return pos
			}
		}
		return tree.None
	}
	found := tree.None
	for _, i := range r.of.tree.FindAll(id) {
		pos := r.row.Position(i)
		if from <= pos && pos < before && (found == tree.None || pos < found) {
			found = pos
		}
	}
	return found
}
