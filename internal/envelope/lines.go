package envelope

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"sync"

	"github.com/pith-sessions/pith/internal/jsonl"
)

const (
	// headSize is the size of the first read. If the first line is enough, no
	// more is read.
	headSize = 8 << 10
	// largeLine is the size up to which lines are read through the buffer of
	// each Lines.
	largeLine = 1 << 20
	// longLine is the size up to which a line is held unchanged.
	longLine = 6 << 20
)

// large is the buffer for lines over largeLine, one at a time in the whole
// process.
var large struct {
	sync.Mutex
	buf       []byte
	condenser jsonl.Condenser
}

// A Line is one line of a file, as read by Lines.
type Line struct {
	// Data is the line without its line ending. For a line over longLine it is a
	// condensed form that contains the same record or has the same fault: see
	// [jsonl.Condenser]. It is valid until the function that received the line
	// returns.
	Data []byte
	// At is the offset of the line's first byte.
	At int64
	// Size is the number of bytes of the line in the file, including its line
	// ending.
	Size int64
	// Ended reports whether the line has a line ending. The last line may have
	// none, because it is torn or being written.
	Ended bool

	condensed *jsonl.Condenser // nil unless Data is condensed
	found     int              // where the last part that SizeOf was given begins in Data
}

// SizeOf returns the number of bytes of the file that part, a subslice of Data,
// represents. It finds the beginning of part quickly if parts are given in order.
func (l *Line) SizeOf(part []byte) int64 {
	if l.condensed == nil || len(part) == 0 {
		return int64(len(part))
	}
	for i := range l.Data {
		if at := (l.found + i) % len(l.Data); &l.Data[at] == &part[0] {
			l.found = at
			return l.condensed.SizeOf(at, at+len(part))
		}
	}
	return int64(len(part))
}

// Lines reads the lines of files, one file after the other, through one buffer.
// Memory is bounded, whatever the files contain. The zero value is ready to
// use. It must not be used concurrently.
type Lines struct {
	buf     []byte
	own     []byte // the own buffer while buf is large.buf; otherwise nil
	in      io.ReaderAt
	end, to int64 // offset up to which the file was read, and is to be read
	from    int   // buf[from:have] was read but not taken
	have    int
}

// File calls take for every line of a file and returns the number of bytes
// read.
func (r *Lines) File(ctx context.Context, path string, take func(*Line)) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return r.Each(ctx, f, 0, math.MaxInt64, func(l *Line) error { take(l); return nil })
}

// Each calls take, in order, for every line of in between two offsets; from
// must be the start of a line. Lines end only with LF. An error of take stops
// reading and is returned. If in is an [io.Seeker], holes of a sparse file are
// skipped if they make no difference. end is the offset up to which the file
// was read.
func (r *Lines) Each(ctx context.Context, in io.ReaderAt, from, to int64, take func(*Line) error) (end int64, err error) {
	r.in, r.end, r.to, r.from, r.have = in, from, to, 0, 0
	defer func() {
		r.have, r.in = 0, nil
		r.unlock()
	}()
	if r.buf == nil {
		r.buf = make([]byte, blockSize)
	}
	searched := 0 // buf[from:searched] contains no LF
	var line Line // one for all: take does not keep it
	for fill := headSize; ; fill = len(r.buf) {
		err := r.fill(fill)
		for {
			i := bytes.IndexByte(r.buf[searched:r.have], '\n')
			if i < 0 {
				break
			}
			next := searched + i + 1
			line = Line{Data: r.buf[r.from : next-1 : next-1], At: r.end - int64(r.have-r.from), Size: int64(next - r.from), Ended: true}
			if err := take(&line); err != nil {
				return r.end, err
			}
			r.from, searched = next, next
		}
		switch {
		case err == io.EOF && r.from < r.have:
			rest := r.buf[r.from:r.have:r.have]
			return r.end, take(&Line{Data: rest, At: r.end - int64(len(rest)), Size: int64(len(rest))})
		case err == io.EOF:
			return r.end, nil
		case err != nil:
			return r.end, err
		case ctx.Err() != nil:
			return r.end, ctx.Err()
		}
		r.have, r.from = copy(r.buf, r.buf[r.from:r.have]), 0
		searched = r.have
		switch {
		case r.have < len(r.buf):
			if r.have < blockSize {
				r.unlock()
			}
		case len(r.buf) < longLine:
			r.grow()
		default:
			if err := r.long(ctx, take); err != nil {
				if err == io.EOF {
					err = nil
				}
				return r.end, err
			}
			searched = 0
		}
	}
}

// At reads the line of a size at an offset, in the same form as Each. The
// result is valid until the next call.
func (r *Lines) At(ctx context.Context, in io.ReaderAt, at, size int64) (data []byte, err error) {
	_, err = r.Each(ctx, in, at, at+size, func(l *Line) error {
		if data != nil {
			return errors.New("more than one line")
		}
		data = bytes.Clone(l.Data)
		return nil
	})
	return data, err
}

// Last reads the last line between two offsets, from the start of a line to the
// end of one, in the same form as Each, and returns its offset. The result is
// valid until the next call.
func (r *Lines) Last(ctx context.Context, in io.ReaderAt, from, to int64) (data []byte, at int64, err error) {
	at, err = lineStart(ctx, in, from, to)
	if err == nil {
		data, err = r.At(ctx, in, at, to-at)
	}
	return data, at, err
}

// lineStart returns the start of the last line between two offsets.
func lineStart(ctx context.Context, in io.ReaderAt, from, to int64) (int64, error) {
	const stretch = 64 << 20 // in which a hole is looked for
	piece := make([]byte, blockSize)
	for end := to - 1; end > from; {
		start := max(from, end-stretch)
		data := NextData(in, start, end)
		for end > data {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			piece = piece[:min(end-data, blockSize)]
			if _, err := ReadFull(in, piece, end-int64(len(piece))); err != nil {
				return 0, err
			}
			if i := bytes.LastIndexByte(piece, '\n'); i >= 0 {
				return end - int64(len(piece)-i) + 1, nil
			}
			end -= int64(len(piece))
		}
		end = start
	}
	return from, nil
}

// fill reads into buf[have:size]. It returns io.EOF at the end.
func (r *Lines) fill(size int) error {
	p := r.buf[r.have:size]
	if rest := r.to - r.end; rest < int64(len(p)) {
		p = p[:rest]
	}
	if len(p) == 0 {
		return io.EOF
	}
	n, err := r.in.ReadAt(p, r.end)
	r.end += int64(n)
	r.have += n
	if err == io.EOF && n > 0 {
		err = nil // there is more to take first
	}
	return err
}

// grow makes room for a line that does not fit.
func (r *Lines) grow() {
	if len(r.buf) < largeLine {
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
		return
	}
	large.Lock()
	if large.buf == nil {
		large.buf = make([]byte, longLine)
	}
	copy(large.buf, r.buf[:r.have])
	r.own, r.buf = r.buf, large.buf
}

// unlock returns to the own buffer, if the large one is in use.
func (r *Lines) unlock() {
	if r.own == nil {
		return
	}
	copy(r.own, r.buf[:r.have])
	r.buf, r.own = r.own, nil
	large.Unlock()
}

// long condenses a line that fills the buffer, and calls take for it. It
// returns io.EOF after the last line.
func (r *Lines) long(ctx context.Context, take func(*Line) error) error {
	c := &large.condenser
	c.Reset()
	line := Line{At: r.end - int64(r.have), condensed: c}
	c.Write(r.buf[:r.have])
	for !line.Ended {
		if err := ctx.Err(); err != nil {
			return err
		}
		if c.Skippable() {
			if data := NextData(r.in, r.end, r.to); data > r.end {
				c.Skip(data - r.end)
				r.end = data
			}
		}
		r.from, r.have = 0, 0
		err := r.fill(blockSize)
		piece := r.buf[:r.have]
		if i := bytes.IndexByte(piece, '\n'); i >= 0 {
			piece, line.Ended, r.from = piece[:i], true, i+1
		}
		c.Write(piece)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	line.Data = c.Bytes()
	line.Size = r.end - int64(r.have-r.from) - line.At
	err := take(&line)
	if err == nil && !line.Ended {
		err = io.EOF
	}
	r.have, r.from = copy(r.buf, r.buf[r.from:r.have]), 0
	return err
}

// A Holed reads a file without its holes, for callers that ignore NUL bytes: of
// many in a row one is kept. It ends with its context.
type Holed struct {
	ctx  context.Context
	file io.ReaderAt
	at   int64
}

// NewHoled returns a reader of a file from its start.
func NewHoled(ctx context.Context, file io.ReaderAt) *Holed { return &Holed{ctx: ctx, file: file} }

// Read implements io.Reader.
func (h *Holed) Read(p []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	h.at = NextData(h.file, h.at, math.MaxInt64)
	n, err := h.file.ReadAt(p, h.at)
	h.at += int64(n)
	if n > 1 && len(bytes.TrimLeft(p[:n], "\x00")) == 0 {
		n = 1
	}
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}
