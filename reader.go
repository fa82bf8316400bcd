package pith

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
)

// A Reader reads lines of a view sequentially. It reads ahead and reuses its
// buffer, so it is the fastest way to scan many lines without retaining them. A
// Reader is not safe for concurrent use, but a view may have several.
type Reader struct {
	view *View
	path *path
}

// Reader returns a new reader of the view's lines.
func (v *View) Reader() *Reader {
	return &Reader{view: v, path: v.path(nil)}
}

// Line returns the entry at a position. Its bytes are valid until the next
// call.
func (r *Reader) Line(pos int) (Line, error) {
	if pos < 0 || pos >= r.view.Len() {
		return Line{}, fmt.Errorf("position %d of %d: %w", pos, r.view.Len(), ErrNoEntry)
	}
	raw, err := r.path.lineOf(r.view.state.At(pos))
	if err != nil {
		return Line{}, err
	}
	return Line{r.view.At(pos), raw}, nil
}

// Lines yields all entries in file order. The bytes of a line are valid until
// the next iteration. An error is yielded once and ends the sequence.
func (r *Reader) Lines() iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for pos := range r.view.Len() {
			line, err := r.Line(pos)
			if !yield(line, err) || err != nil {
				return
			}
		}
	}
}

// LinesAt yields the entries at the given positions, in their order. It reads
// ahead only across entries that are close together in the file. The bytes of a
// line are valid until the next iteration. An error is yielded once and ends
// the sequence.
func (r *Reader) LinesAt(positions []int) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		defer func() { r.path.until = 0 }()
		together := 0
		for k, pos := range positions {
			if k >= together {
				together, r.path.until = r.stretch(positions, k)
			}
			line, err := r.Line(pos)
			if !yield(line, err) || err != nil {
				return
			}
		}
	}
}

// stretch returns the index after the last position, starting at k, whose
// entries are close enough in the file to be read together, and the offset at
// which they end.
func (r *Reader) stretch(positions []int, k int) (next int, end int64) {
	for next = k; next < len(positions); next++ {
		pos := positions[next]
		if pos < 0 || pos >= r.view.Len() {
			return max(next, k+1), end // Line reports the error later
		}
		e := r.view.state.At(pos)
		if next > k && (e.Offset < end || e.Offset > end+leastAhead) {
			break
		}
		end = e.Offset + int64(e.Len)
	}
	return next, end
}

// A path is a list of entries whose lines are read in order. It implements
// transcript.Path.
type path struct {
	view    *View
	entries []int32 // nil means all
	window  []byte  // bytes read ahead
	from    int64   // offset of the window in the body
	ahead   int     // how much to read ahead
	until   int64   // where reading ahead stops; 0 means the end of the body
}

// path returns the path of some entries, or of all for nil.
func (v *View) path(entries []int32) *path { return &path{view: v, entries: entries} }

// clone returns a copy of the path with its own window, so that two walks do not
// overwrite each other's bytes.
func (p *path) clone() *path { return p.view.path(p.entries) }

// Len implements transcript.Path.
func (p *path) Len() int {
	if p.entries == nil {
		return p.view.Len()
	}
	return len(p.entries)
}

// At implements transcript.Path.
func (p *path) At(pos int) *journal.Entry {
	if p.entries != nil {
		pos = int(p.entries[pos])
	}
	return p.view.state.At(pos)
}

// The least and the most to read at a time. Entries of a path are mostly
// consecutive in the file, but reading a single entry should not read its
// neighbors.
const (
	leastAhead = 16 << 10
	mostAhead  = 256 << 10
)

// Line implements transcript.Path. It reads ahead, so that a walk along the
// file needs few reads. The bytes are valid until the next call.
func (p *path) Line(pos int) ([]byte, error) { return p.lineOf(p.At(pos)) }

func (p *path) lineOf(e *journal.Entry) ([]byte, error) {
	end := e.Offset + int64(e.Len)
	if e.Offset < p.from || end > p.from+int64(len(p.window)) {
		if err := p.fill(e); err != nil {
			return nil, err
		}
	}
	i := e.Offset - p.from
	return p.window[i : i+int64(e.Len) : i+int64(e.Len)], nil
}

func (p *path) fill(e *journal.Entry) error {
	end := p.from + int64(len(p.window))
	near := len(p.window) > 0 && e.Offset <= end+mostAhead && e.Offset >= p.from-mostAhead
	back := near && e.Offset < p.from // a walk from the leaf to the root
	p.ahead = min(4*p.ahead, mostAhead)
	if !near {
		p.ahead = leastAhead
	}
	want := max(int64(e.Len), int64(p.ahead))
	p.from = e.Offset
	switch {
	case back:
		p.from = max(0, e.Offset+int64(e.Len)-want)
	case p.until > 0:
		want = max(int64(e.Len), min(want, p.until-e.Offset))
	}
	if int64(cap(p.window)) > 4*mostAhead {
		p.window = nil // of one very long line
	}
	p.window = slices.Grow(p.window[:0], int(want))[:want]
	n, err := p.view.state.Body.ReadAt(p.window, p.from)
	p.window = p.window[:n]
	if p.from+int64(n) < e.Offset+int64(e.Len) {
		p.window = p.window[:0]
		return p.view.unreadable(err)
	}
	return nil
}

// unreadable returns the error for a short read.
func (v *View) unreadable(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if errors.Is(err, fs.ErrClosed) {
		err = ErrClosed
	}
	return &FileError{"read", v.file, err}
}

// Line returns the entry at a position with its bytes in the file. The error
// matches ErrNoEntry if the position is out of range.
func (v *View) Line(pos int) (Line, error) {
	if pos < 0 || pos >= v.Len() {
		return Line{}, fmt.Errorf("position %d of %d: %w", pos, v.Len(), ErrNoEntry)
	}
	raw, err := v.state.Line(pos)
	if err != nil {
		err = v.unreadable(err)
	}
	return Line{v.At(pos), raw}, err
}

// Entry returns the decoded entry at a position.
func (v *View) Entry(pos int) (format.Entry, error) {
	line, err := v.Line(pos)
	if err != nil {
		return nil, err
	}
	return format.DecodeEntry(line.Raw)
}

// Entries yields the entries of all branches in file order. An error is yielded
// once and ends the sequence. The sequence can be ranged over again.
func (v *View) Entries() iter.Seq2[format.Entry, error] {
	return func(yield func(format.Entry, error) bool) {
		for line, err := range v.Reader().Lines() {
			var entry format.Entry
			if err == nil {
				entry, err = format.DecodeEntry(slices.Clone(line.Raw))
			}
			if !yield(entry, err) || err != nil {
				return
			}
		}
	}
}
