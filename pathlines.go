package pith

import (
	"github.com/pith-sessions/pith/internal/tree"
)

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
		out[k] = envelopeOf(s.table, i)
	}
	return out
}

// A LineReader reads lines of a session as it stood when the reader was made, one
// at a time and in any order. It reads ahead, so that lines that stand one behind
// the other cost few reads. It must not be used by two goroutines at once; a
// session may have several.
type LineReader struct{ *Reader }

// LineReader returns a reader of the session's lines.
func (s *Session) LineReader() *LineReader {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &LineReader{(&View{mu: &s.mu, snapshot: s.snapshot()}).Reader()}
}

// At is the entry at a position. Its bytes stay valid until the next call. The
// error matches ErrNoEntry when there is no such position.
func (r *LineReader) At(pos int) (Line, error) { return r.Line(pos) }
