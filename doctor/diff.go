package doctor

import (
	"hash/maphash"
	"io"
)

// A Hunk is a range of lines that a repair changes.
type Hunk struct {
	OldLine, NewLine int // number of the first line, 1-based
	Old, New         [][]byte
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
	c := comparison{a: a, b: b}
	i, j := 0, 0
	for i < len(old) || j < len(fresh) {
		if i < len(old) && j < len(fresh) && old[i].sum == fresh[j].sum {
			i, j = i+1, j+1
			continue
		}
		di, dj := resync(old[i:], fresh[j:])
		if err := c.add(old[i:i+di], fresh[j:j+dj], i+1, j+1); err != nil {
			return nil, err
		}
		i, j = i+di, j+dj
	}
	return c.hunks, nil
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

// textLines returns the lines of a text.
func textLines(r io.ReaderAt, size int64, seed maphash.Seed) ([]textLine, error) {
	var out []textLine
	var h maphash.Hash
	h.SetSeed(seed)
	buf := make([]byte, readAhead)
	start := int64(0)
	for at := int64(0); at < size; {
		b := buf[:min(int64(len(buf)), size-at)]
		if err := readFull(r, b, at); err != nil {
			return nil, err
		}
		from := 0
		for n, c := range b {
			if c != '\n' {
				continue
			}
			_, _ = h.Write(b[from : n+1]) // writing to a hash never fails
			end := at + int64(n) + 1
			out = append(out, textLine{start, end - start, h.Sum64()})
			h.Reset()
			start, from = end, n+1
		}
		_, _ = h.Write(b[from:])
		at += int64(len(b))
	}
	if start < size {
		out = append(out, textLine{start, size - start, h.Sum64()})
	}
	return out, nil
}

// A comparison collects the hunks.
type comparison struct {
	a, b  io.ReaderAt
	hunks []Hunk
}

func (c *comparison) add(old, fresh []textLine, oldLine, newLine int) error {
	h := Hunk{OldLine: oldLine, NewLine: newLine}
	for _, l := range old {
		line := make([]byte, l.len)
		if err := readFull(c.a, line, l.from); err != nil {
			return err
		}
		h.Old = append(h.Old, line)
	}
	for _, l := range fresh {
		line := make([]byte, l.len)
		if err := readFull(c.b, line, l.from); err != nil {
			return err
		}
		h.New = append(h.New, line)
	}
	if n := len(c.hunks); n > 0 {
		last := &c.hunks[n-1]
		if last.OldLine+len(last.Old) == oldLine && last.NewLine+len(last.New) == newLine {
			last.Old, last.New = append(last.Old, h.Old...), append(last.New, h.New...)
			return nil
		}
	}
	c.hunks = append(c.hunks, h)
	return nil
}
