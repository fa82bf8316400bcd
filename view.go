package pith

import (
	"errors"
	"io"
	"io/fs"
	"iter"
	"runtime"
	"slices"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/tree"
)

// A view reads chosen entries of a session as it stood when the view was made.
// It implements transcript.Path.
type view struct {
	table  *envelope.Table // a copy, which does not grow
	row    tree.Row        // of the entries chosen
	body   io.ReaderAt
	file   string
	window []byte // bytes read ahead
	from   int64  // where the window begins in the body
	ahead  int    // how much to read ahead
}

func (s *Session) view(chosen tree.Row) *view {
	body := s.body()
	if s.draft != nil {
		body = s.draft.snapshot() // the draft goes on growing while the view is read
	}
	table := *s.table
	return &view{table: &table, row: chosen, body: body, file: s.file}
}

func (s *Session) viewAll() *view { return s.view(tree.AllOf(s.table.Len())) }

// anew is the view with a window of its own, so that two walks along it do not
// overwrite each other's bytes.
func (v *view) anew() *view {
	own := *v
	own.window = nil
	return &own
}

// Len implements transcript.Path.
func (v *view) Len() int { return v.row.Len() }

// At implements transcript.Path.
func (v *view) At(pos int) envelope.Entry { return v.entry(v.row.At(pos)) }

// entry is a copy: a view may be all that keeps the memory of its table, and who
// has an entry need not have the view any more.
func (v *view) entry(i int) envelope.Entry {
	e := v.table.Entries[i]
	runtime.KeepAlive(v.table)
	return e
}

// ID implements transcript.Path.
func (v *view) ID(pos int) string { return v.table.ID(v.row.At(pos)) }

// parent is the id that the entry at a position names as its parent.
func (v *view) parent(pos int) string { return v.table.Parent(v.row.At(pos)) }

// The least and the most that is read at once. Entries of a path mostly stand one
// behind the other, but who looks at single ones should not pay for their
// neighbours.
const (
	leastAhead = 16 << 10
	mostAhead  = 256 << 10
)

// Line implements transcript.Path. It reads ahead, so that a walk along the
// file costs few reads. The bytes stay valid until the next call.
func (v *view) Line(pos int) ([]byte, error) { return v.lineOf(v.At(pos)) }

func (v *view) lineOf(e envelope.Entry) ([]byte, error) {
	end := e.Offset + int64(e.Len)
	if e.Offset < v.from || end > v.from+int64(len(v.window)) {
		if err := v.fill(e); err != nil {
			return nil, err
		}
	}
	i := e.Offset - v.from
	return v.window[i : i+int64(e.Len) : i+int64(e.Len)], nil
}

func (v *view) fill(e envelope.Entry) error {
	end := v.from + int64(len(v.window))
	near := len(v.window) > 0 && e.Offset <= end+mostAhead && e.Offset >= v.from-mostAhead
	back := near && e.Offset < v.from // a walk from the leaf to the root
	v.ahead = min(4*v.ahead, mostAhead)
	if !near {
		v.ahead = leastAhead
	}
	want := max(int64(e.Len), int64(v.ahead))
	v.from = e.Offset
	if back {
		v.from = max(0, e.Offset+int64(e.Len)-want)
	}
	v.window = slices.Grow(v.window[:0], int(want))[:want]
	n, err := v.body.ReadAt(v.window, v.from)
	v.window = v.window[:n]
	if v.from+int64(n) < e.Offset+int64(e.Len) {
		if err == nil || errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if errors.Is(err, fs.ErrClosed) {
			err = ErrClosed
		}
		v.window = v.window[:0]
		return &FileError{"read", v.file, err}
	}
	return nil
}

// read is an entry as it stands in the file, by its position among all entries.
// Its bytes stay valid until the next call.
func (v *view) read(i int) (Line, error) {
	e := v.entry(i)
	raw, err := v.lineOf(e)
	if err != nil {
		return Line{}, err
	}
	return Line{i, v.table.ID(i), e.Kind.Type(), e.Role.Name(), raw}, nil
}

func (v *view) lines() iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		own := v.anew()
		for _, i := range own.row.All() {
			line, err := own.read(i)
			if !yield(line, err) || err != nil {
				return
			}
		}
	}
}

func (v *view) decoded() iter.Seq2[format.Entry, error] {
	return func(yield func(format.Entry, error) bool) {
		own := v.anew()
		for _, i := range own.row.All() {
			line, err := own.lineOf(own.entry(i))
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

// A route is the path to an entry of a session, which it asks where things are.
// It implements transcript.Route while the session is locked.
type route struct {
	*view
	tree *tree.Tree
}

// LastOf implements transcript.Route.
func (r route) LastOf(kind envelope.Kind, before int) int {
	return r.row.LastOf(r.table.TurningPoints(kind), before)
}

// Find implements transcript.Route.
func (r route) Find(id string, from, before int) int {
	if !r.tree.Indexed() { // one search does not pay for that
		for pos := from; pos < before; pos++ {
			if r.ID(pos) == id {
				return pos
			}
		}
		return tree.None
	}
	found := tree.None
	for _, i := range r.tree.FindAll(id) {
		pos := r.row.Position(i)
		if from <= pos && pos < before && (found == tree.None || pos < found) {
			found = pos
		}
	}
	return found
}
