package doctor

import (
	"context"
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
func diff(ctx context.Context, a io.ReaderAt, sizeA int64, b io.ReaderAt, sizeB int64) ([]Hunk, error) {
	seed := maphash.MakeSeed()
	old, err := textLines(ctx, a, sizeA, seed)
	if err != nil {
		return nil, err
	}
	fresh, err := textLines(ctx, b, sizeB, seed)
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

// textLines finds the lines of a text. Two lines that are too long to read count
// as the same if they have the same length: no repair changes one.
func textLines(ctx context.Context, r io.ReaderAt, size int64, seed maphash.Seed) (out []textLine, err error) {
	var lines jsonl.Lines
	_, err = lines.Each(ctx, r, 0, size, func(l *jsonl.Line) error {
		sum := maphash.Bytes(seed, l.Data)
		if l.TooLong {
			sum = maphash.Comparable(seed, l.Size)
		}
		if !l.Ended {
			sum++ // a line ending is a difference too
		}
		out = append(out, textLine{l.At, l.Size, sum})
		return nil
	})
	return out, err
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
