package pith

import (
	"fmt"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/tree"
)

// An Envelope is what is known of an entry without reading its line.
type Envelope struct {
	Pos int // among all entries, in file order; ids can occur twice
	ID  string
	// ParentID is empty for a root; it may name an entry that does not exist.
	ParentID string
	Type     format.Type // "" for a type that pith does not know; the line says
	Role     format.Role // of a message
	Time     time.Time   // zero when the entry does not say
	Size     int         // of the line, in bytes
}

// Envelopes are those of all entries, in file order. No line is read.
func (s *Session) Envelopes() []Envelope {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.envelopes(tree.AllOf(s.table.Len()))
}

// PathEnvelopes are those of the entries that Path yields, from the root on. No
// line is read.
func (s *Session) PathEnvelopes(id string) ([]Envelope, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.position(id)
	if err != nil {
		return nil, err
	}
	return s.envelopes(s.tree.Path(i)), nil
}

func (s *Session) envelopes(row tree.Row) []Envelope {
	s.ownIDs(row)
	out := make([]Envelope, row.Len())
	for k, i := range row.All() {
		e := &s.table.Entries[i]
		out[k] = Envelope{Pos: i, ID: s.table.ID(i), ParentID: s.table.Parent(i), Type: e.Kind.Type(), Role: e.Role.Name(), Size: int(e.Len)}
		if e.Time != envelope.NoTime {
			out[k].Time = time.UnixMilli(e.Time)
		}
	}
	return out
}

// A LineReader reads lines of a session as it stood when the reader was made, one
// at a time and in any order. It reads ahead, so that lines that stand one behind
// the other cost few reads. It must not be used by two goroutines at once; a
// session may have several.
type LineReader struct{ view *view }

// LineReader returns a reader of the session's lines.
func (s *Session) LineReader() *LineReader {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &LineReader{s.viewAll()}
}

// At is the entry at a position. Its bytes stay valid until the next call. The
// error matches ErrNoEntry when there is no such position.
func (r *LineReader) At(pos int) (Line, error) {
	if pos < 0 || pos >= r.view.table.Len() {
		return Line{}, fmt.Errorf("position %d of %d: %w", pos, r.view.table.Len(), ErrNoEntry)
	}
	return r.view.read(pos)
}
