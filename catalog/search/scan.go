package search

import (
	"bytes"
	"context"
	"io"

	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/jsonl"
)

const (
	// scanSize is the number of bytes read at a time. They stay in the
	// processor's cache while they are searched.
	scanSize = 512 << 10
	// firstScan is the number of bytes read first: often the end of a file has
	// what is searched.
	firstScan = 64 << 10
	// longScan is the size up to which a line is searched within its block.
	longScan = 2 << 20
)

// A scanner searches the lines of files without an index. It is used by one
// goroutine.
type scanner struct {
	needed []byte // see neededBy
	judge  *judge
	entry  entry
	buf    []byte
	long   jsonl.Lines // reads lines that do not fit into a block
	lower  []byte      // a line in lower case
	lines  []lineAt
	read   int64 // number of bytes read from all files
}

func newScanner(q *Query, weighs bool, v *Veil) *scanner {
	return &scanner{needed: neededBy(q), judge: newJudge(q, weighs, v)}
}

// A lineAt is the position of a candidate in a block.
type lineAt struct{ start, end int }

// each calls take for the matching entries between two offsets, the last entry
// first, until take returns false. Both offsets are the start of a line or the
// end of the file. The error is io.ErrUnexpectedEOF if the file is shorter.
func (s *scanner) each(ctx context.Context, in io.ReaderAt, from, to int64, take func(e *entry, f found, at int64) bool) error {
	if s.buf == nil {
		s.buf = make([]byte, scanSize)
	}
	size := int64(firstScan)
	for to > from {
		if err := ctx.Err(); err != nil {
			return err
		}
		start := max(from, to-size)
		if n := int(to - start); n > len(s.buf) {
			s.buf = make([]byte, n)
		}
		block := s.buf[:to-start]
		n, err := in.ReadAt(block, start)
		if err == io.EOF && n < len(block) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil && err != io.EOF {
			return err
		}
		s.read += int64(len(block))
		skip := 0
		if start > from { // the block starts inside a line, which belongs to the next block
			skip = bytes.IndexByte(block, '\n') + 1
			if skip == 0 || skip == len(block) {
				if size *= 2; size <= longScan {
					continue
				}
				line, at, err := s.long.Last(ctx, in, from, to)
				if err != nil {
					return err
				}
				f, ok := s.judge.match(&s.entry, line)
				s.entry.length = int(to - at)
				if ok && !take(&s.entry, f, at) {
					return nil
				}
				to, size = at, scanSize
				continue
			}
		}
		size = min(2*size, scanSize)
		if !s.block(block[skip:], start+int64(skip), take) {
			return nil
		}
		to = start + int64(skip)
	}
	return nil
}

// stream calls take, in order, for the matching entries between two offsets of a
// session whose lines are made while they are read.
func (s *scanner) stream(ctx context.Context, path string, from, to int64, take func(e *entry, f found, at int64)) error {
	_, err := foreign.Lines(ctx, path, &s.long, from, to, func(line *jsonl.Line) error {
		s.read += line.Size
		if !s.mayMatch(line.Data) {
			return nil
		}
		if f, ok := s.judge.match(&s.entry, line.Data); ok {
			take(&s.entry, f, line.At)
		}
		return nil
	})
	return err
}

// block handles the candidates in a block of whole lines, the last one first.
func (s *scanner) block(block []byte, offset int64, take func(e *entry, f found, at int64) bool) bool {
	s.lines = s.lines[:0]
	for start := 0; start < len(block); {
		end := len(block)
		if i := bytes.IndexByte(block[start:], '\n'); i >= 0 {
			end = start + i
		}
		if s.mayMatch(block[start:end]) {
			s.lines = append(s.lines, lineAt{start, end})
		}
		start = end + 1
	}
	for i := len(s.lines) - 1; i >= 0; i-- {
		line := s.lines[i]
		if f, ok := s.judge.match(&s.entry, block[line.start:line.end]); ok && !take(&s.entry, f, offset+int64(line.start)) {
			return false
		}
	}
	return true
}

// mayMatch reports whether a line has to be decoded.
func (s *scanner) mayMatch(line []byte) bool {
	if len(s.needed) == 0 {
		return true
	}
	var ascii bool
	s.lower, ascii = appendLower(s.lower[:0], line)
	return !ascii || bytes.Contains(s.lower, s.needed) || bytes.Contains(s.lower, []byte(`\u`))
}
