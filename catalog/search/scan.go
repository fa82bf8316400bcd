package search

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A scanner searches the lines of files without an index. It is used by one
// goroutine.
type scanner struct {
	needed []byte // see neededBy
	judge  *judge
	entry  entry
	lines  jsonl.Lines
	lower  []byte // a line in lower case
	read   int64  // number of bytes read from all files
}

func newScanner(q *Query, weighs bool, v *Veil) *scanner {
	return &scanner{needed: neededBy(q), judge: newJudge(q, weighs, v)}
}

// errEnough ends a scan.
var errEnough = errors.New("enough entries")

// each calls take for the matching entries between two offsets, the last entry
// first, until take returns false. Both offsets are the start of a line or the
// end of the file. The error matches io.ErrUnexpectedEOF if the file is shorter.
func (s *scanner) each(ctx context.Context, in io.ReaderAt, from, to int64, take func(e *entry, f found, at int64) bool) error {
	err := s.lines.Back(ctx, in, from, to, s.matching(take))
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// stream calls take, in order, for the matching entries between two offsets of a
// session whose lines are made while they are read.
func (s *scanner) stream(ctx context.Context, path string, from, to int64, take func(e *entry, f found, at int64)) error {
	_, err := foreign.Lines(ctx, path, &s.lines, from, to, s.matching(func(e *entry, f found, at int64) bool {
		take(e, f, at)
		return true
	}))
	return err
}

// matching returns a function that calls take for lines that match, and returns
// errEnough if take returns false.
func (s *scanner) matching(take func(e *entry, f found, at int64) bool) func(*jsonl.Line) error {
	return func(l *jsonl.Line) error {
		s.read += l.Size
		if !s.mayMatch(l.Data) {
			return nil
		}
		if f, ok := s.judge.match(&s.entry, l.Data); ok && !take(&s.entry, f, l.At) {
			return errEnough
		}
		return nil
	}
}

// mayMatch reports whether a line has to be decoded.
func (s *scanner) mayMatch(line []byte) bool {
	if len(s.needed) == 0 || len(line) > longLine {
		return true
	}
	var ascii bool
	s.lower, ascii = appendLower(slices.Grow(s.lower[:0], len(line)), line)
	return !ascii || bytes.Contains(s.lower, s.needed) || bytes.Contains(s.lower, []byte(`\u`))
}
