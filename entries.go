package pith

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/tree"
)

// Entry is the entry with that id. Of several it is the last one in the file.
func (s *Session) Entry(id string) (format.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.find(id)
	if err != nil {
		return nil, err
	}
	return s.decode(i)
}

// Has reports whether the session has an entry with that id.
func (s *Session) Has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tree.Find(id) != tree.None
}

// Entries yields all entries in file order, those of all branches. An error
// comes once, last. The sequence can be ranged over again; entries appended
// meanwhile do not show in it.
func (s *Session) Entries() iter.Seq2[format.Entry, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.viewAll().decoded()
}

// A Line is an entry as it stands in the file, with what is known about it
// without decoding it.
type Line struct {
	Pos  int // among all entries, in file order; that of the entry's [Node]
	ID   string
	Type format.Type // "" for a type that pith does not know; the line says
	Role format.Role // of a message
	Raw  json.RawMessage
}

// Lines yields all entries in file order without decoding them. The bytes of a
// line stay valid until the next one is taken. An error comes once, last.
func (s *Session) Lines() iter.Seq2[Line, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.viewAll().lines()
}

// Path yields the entries from a root to an entry, the entry included: to
// LeafID, the active path. For "", before the first entry, there are none.
func (s *Session) Path(id string) (iter.Seq2[format.Entry, error], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.position(id)
	if err != nil {
		return nil, err
	}
	return s.view(s.tree.Path(i)).decoded(), nil
}

// PathIDs are the ids of Path.
func (s *Session) PathIDs(id string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.position(id)
	if err != nil {
		return nil, err
	}
	return s.idsOf(s.tree.Path(i)), nil
}

// Children are the ids of an entry's direct children in file order; for "", of
// the roots.
func (s *Session) Children(id string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.position(id)
	if err != nil {
		return nil, err
	}
	return s.idsOf(s.tree.Children(i)), nil
}

// CommonAncestor is the deepest entry on the paths to both; "" if there is none.
func (s *Session) CommonAncestor(a, b string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.find(a)
	if err != nil {
		return "", err
	}
	k, err := s.find(b)
	if err != nil {
		return "", err
	}
	return s.idOf(s.tree.CommonAncestor(i, k)), nil
}

func (s *Session) idsOf(list []int) []string {
	out := make([]string, len(list))
	for k, i := range list {
		out[k] = s.idOf(i)
	}
	return out
}

func (s *Session) decode(i int) (format.Entry, error) {
	line, err := s.line(i)
	if err != nil {
		return nil, err
	}
	return format.DecodeEntry(line)
}

func (s *Session) line(i int) (json.RawMessage, error) {
	e := &s.table.Entries[i]
	line := make([]byte, e.Len)
	if s.closed {
		return nil, s.wrap("read", ErrClosed)
	}
	if _, err := s.body().ReadAt(line, e.Offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, s.wrap("read", err)
	}
	return line, nil
}

// A view reads chosen entries of a session as it stood when the view was made.
// It implements transcript.Path.
type view struct {
	body    io.ReaderAt
	entries []envelope.Entry
	chosen  []int
	file    string
	window  []byte // bytes read ahead
	from    int64  // where the window begins in the body
}

func (s *Session) view(chosen []int) *view {
	n := len(s.table.Entries)
	body := s.body()
	if s.draft != nil {
		body = s.draft.snapshot() // the draft goes on growing while the view is read
	}
	return &view{body: body, entries: s.table.Entries[:n:n], chosen: chosen, file: s.file}
}

func (s *Session) viewAll() *view {
	all := make([]int, len(s.table.Entries))
	for i := range all {
		all[i] = i
	}
	return s.view(all)
}

// anew is the view with a window of its own, so that two walks along it do not
// overwrite each other's bytes.
func (v *view) anew() *view {
	own := *v
	own.window = nil
	return &own
}

// Len implements transcript.Path.
func (v *view) Len() int { return len(v.chosen) }

// At implements transcript.Path.
func (v *view) At(pos int) *envelope.Entry { return &v.entries[v.chosen[pos]] }

// readAhead is how much is read at once: entries of a path mostly stand one
// behind the other.
const readAhead = 256 << 10

// Line implements transcript.Path. It reads ahead, so that a walk along the
// file costs few reads. The bytes stay valid until the next call.
func (v *view) Line(pos int) ([]byte, error) {
	e := v.At(pos)
	end := e.Offset + int64(e.Len)
	if e.Offset < v.from || end > v.from+int64(len(v.window)) {
		if err := v.fill(e); err != nil {
			return nil, err
		}
	}
	i := e.Offset - v.from
	return v.window[i : i+int64(e.Len) : i+int64(e.Len)], nil
}

func (v *view) fill(e *envelope.Entry) error {
	want := max(int(e.Len), readAhead)
	if cap(v.window) < want {
		v.window = make([]byte, want)
	}
	v.window = v.window[:want]
	n, err := v.body.ReadAt(v.window, e.Offset)
	v.window, v.from = v.window[:n], e.Offset
	if n < int(e.Len) {
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

func (v *view) lines() iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		own := v.anew()
		for pos := range own.chosen {
			line, err := own.Line(pos)
			if err != nil {
				yield(Line{}, err)
				return
			}
			e := own.At(pos)
			if !yield(Line{own.chosen[pos], e.ID, e.Kind.Type(), e.Role.Name(), line}, nil) {
				return
			}
		}
	}
}

func (v *view) decoded() iter.Seq2[format.Entry, error] {
	return func(yield func(format.Entry, error) bool) {
		own := v.anew()
		for pos := range own.chosen {
			line, err := own.Line(pos)
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
