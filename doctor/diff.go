package doctor

import (
	"bytes"
	"hash/maphash"
	"io"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Hunk is one place where a repair changes lines. Of a line over 8 MB it has the
// first 8 MB.
type Hunk struct {
	OldLine int      `json:"oldLine"` // number of the first line, 1-based
	NewLine int      `json:"newLine"`
	Old     [][]byte `json:"old"`
	New     [][]byte `json:"new"`
}

// A textLine is the position and the hash of a line.
type textLine struct {
	from, len int64
	sum       uint64
}

// window is how far to search for a line on the other side.
const window = 16

// diff compares two texts line by line. It is for texts that are mostly the
// same: for others it reports more differences than necessary.
func diff(a io.ReaderAt, sizeA int64, b io.ReaderAt, sizeB int64) ([]Hunk, error) {
	seed := maphash.MakeSeed()
	old, err := textLines(a, sizeA, seed)
	if err != nil {
		return nil, err
	}
	fresh, err := textLines(b, sizeB, seed)
	if err != nil {
		return nil, err
	}
	var hunks []Hunk
	i, j := 0, 0
	for i < len(old) || j < len(fresh) {
		if i < len(old) && j < len(fresh) && old[i].sum == fresh[j].sum {
			i, j = i+1, j+1
			continue
		}
		di, dj := resync(old[i:], fresh[j:])
		h := Hunk{OldLine: i + 1, NewLine: j + 1}
		if h.Old, err = readLines(a, old[i:i+di]); err != nil {
			return nil, err
		}
		if h.New, err = readLines(b, fresh[j:j+dj]); err != nil {
			return nil, err
		}
		hunks = withHunk(hunks, h)
		i, j = i+di, j+dj
	}
	return hunks, nil
}

// resync returns how many lines to skip on either side until both are the same
// again.
func resync(old, fresh []textLine) (int, int) {
	for sum := 1; sum <= 2*window; sum++ {
		for di := max(0, sum-len(fresh)); di <= min(sum, len(old)); di++ {
			dj := sum - di
			if di == len(old) && dj == len(fresh) || di < len(old) && dj < len(fresh) && old[di].sum == fresh[dj].sum {
				return di, dj
			}
		}
	}
	return min(1, len(old)), min(1, len(fresh))
}

// textLines finds the lines of a text. Holes of a sparse file are not read.
func textLines(r io.ReaderAt, size int64, seed maphash.Seed) ([]textLine, error) {
	var out []textLine
	var sum lineSum
	sum.hash.SetSeed(seed)
	buf := make([]byte, readAhead)
	start := int64(0)
	for at := int64(0); at < size; {
		if data := jsonl.NextData(r, at, size); data > at {
			sum.zeros += data - at
			at = data
			continue
		}
		b := buf[:min(int64(len(buf)), size-at)]
		if _, err := jsonl.ReadFull(r, b, at); err != nil {
			return nil, err
		}
		at += int64(len(b))
		for {
			n := bytes.IndexByte(b, '\n') + 1
			if n == 0 {
				break
			}
			sum.add(b[:n])
			b = b[n:]
			end := at - int64(len(b))
			out = append(out, textLine{start, end - start, sum.take()})
			start = end
		}
		sum.add(b)
	}
	if start < size {
		out = append(out, textLine{start, size - start, sum.take()})
	}
	return out, nil
}

// A lineSum is the hash of a line in which NUL bytes are counted, so that they need
// not be read.
type lineSum struct {
	hash  maphash.Hash
	zeros int64 // not hashed yet
}

func (s *lineSum) add(p []byte) {
	for len(p) > 0 {
		rest := bytes.TrimLeft(p, "\x00")
		s.zeros += int64(len(p) - len(rest))
		text, _, _ := bytes.Cut(rest, []byte{0})
		if len(text) > 0 {
			s.count()
			_, _ = s.hash.Write(text) // a hash takes everything
		}
		p = rest[len(text):]
	}
}

func (s *lineSum) count() {
	if s.zeros > 0 {
		maphash.WriteComparable(&s.hash, s.zeros)
		s.zeros = 0
	}
}

// take returns the hash of the line and starts the next one.
func (s *lineSum) take() uint64 {
	s.count()
	defer s.hash.Reset()
	return s.hash.Sum64()
}

// hunkLine is how many bytes of a line a Hunk has.
const hunkLine = 8 << 20

func readLines(r io.ReaderAt, lines []textLine) (out [][]byte, err error) {
	for _, l := range lines {
		line := make([]byte, min(l.len, hunkLine))
		if _, err := jsonl.ReadFull(r, line, l.from); err != nil {
			return nil, err
		}
		out = append(out, line)
	}
	return out, nil
}

// withHunk appends a hunk, or extends the last one if it is adjacent.
func withHunk(hunks []Hunk, h Hunk) []Hunk {
	if n := len(hunks); n > 0 {
		last := &hunks[n-1]
		if last.OldLine+len(last.Old) == h.OldLine && last.NewLine+len(last.New) == h.NewLine {
			last.Old, last.New = append(last.Old, h.Old...), append(last.New, h.New...)
			return hunks
		}
	}
	return append(hunks, h)
}
