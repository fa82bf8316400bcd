package jsonl

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
)

const (
	// MaxLine is the size in bytes of the longest line that is read.
	MaxLine = 256 << 20
	// headSize is the size of the first read. If the first line is enough, no
	// more is read.
	headSize = 8 << 10
	// bufSize is the size of the other reads. Longer lines are read a second
	// time, into a buffer of their size.
	bufSize = 256 << 10
	// firstBack is the size of the first read from the end: often it is enough.
	firstBack = 64 << 10
	// largeLine is the size from which on the process holds one line at a time.
	largeLine = 8 << 20
)

// A Line is one line of a file, as read by Lines.
type Line struct {
	// Data is the line without its line ending. It is valid until the function
	// that received the line returns.
	Data []byte
	// At is the offset of the line's first byte.
	At int64
	// Size is the number of bytes of the line in the file, including its line
	// ending.
	Size int64
	// Ended reports whether the line has a line ending. The last line may have
	// none, because it is torn or being written.
	Ended bool
	// TooLong reports whether the line is longer than MaxLine. Data is then nil.
	TooLong bool
}

// Lines reads the lines of files, one file after the other, through one buffer.
// The zero value is ready to use. It must not be used concurrently.
type Lines struct {
	buf    []byte
	long   []byte // for a line that does not fit into buf
	starts []int  // of the lines in buf
}

// large is held while a line over largeLine is in memory.
var large sync.Mutex

// Each calls take, in order, for every line of in between two offsets; from
// must be the start of a line. Lines end only with LF. An error of take stops
// reading and is returned. Holes of a sparse file are skipped in a line that is
// too long. end is the offset up to which the file was read.
func (r *Lines) Each(ctx context.Context, in io.ReaderAt, from, to int64, take func(*Line) error) (end int64, err error) {
	in = Until(ctx, in)
	if r.buf == nil {
		r.buf = make([]byte, bufSize)
	}
	var line Line       // one for all: take does not keep it
	at, have := from, 0 // buf[:have] was read at this offset
	for fill := headSize; ; fill = bufSize {
		n, err := readUpTo(in, r.buf[have:max(have, fill)], at+int64(have), to)
		searched := have // buf[:searched] contains no LF
		have += n
		taken := 0
		for {
			i := bytes.IndexByte(r.buf[searched:have], '\n')
			if i < 0 {
				break
			}
			next := searched + i + 1
			line = Line{Data: r.buf[taken : next-1 : next-1], At: at + int64(taken), Size: int64(next - taken), Ended: true}
			if err := take(&line); err != nil {
				return at + int64(have), err
			}
			taken, searched = next, next
		}
		at, have = at+int64(taken), copy(r.buf, r.buf[taken:have])
		switch {
		case err == io.EOF && have > 0:
			line = Line{Data: r.buf[:have:have], At: at, Size: int64(have)}
			return at + int64(have), take(&line)
		case err == io.EOF:
			return at, nil
		case err != nil:
			return at + int64(have), err
		case have == bufSize:
			line = Line{At: at}
			if err := r.readLong(ctx, in, to, &line, take); err != nil || !line.Ended {
				return at + line.Size, err
			}
			at, have = at+line.Size, 0
		}
	}
}

// readUpTo reads into p, but nothing from an offset on. It returns io.EOF only if
// it read nothing.
func readUpTo(in io.ReaderAt, p []byte, off, to int64) (int, error) {
	if rest := to - off; rest < int64(len(p)) {
		p = p[:rest]
	}
	if len(p) == 0 {
		return 0, io.EOF
	}
	n, err := in.ReadAt(p, off)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// readLong reads a line that does not fit into the buffer, which has its start,
// and calls take for it.
func (r *Lines) readLong(ctx context.Context, in io.ReaderAt, to int64, line *Line, take func(*Line) error) error {
	if err := line.measure(ctx, in, to); err != nil {
		return err
	}
	size := line.Size
	if line.Ended {
		size--
	}
	if line.TooLong = size > MaxLine; line.TooLong {
		return take(line)
	}
	if size > largeLine {
		large.Lock()
		defer large.Unlock()
		defer func() { r.long = nil }()
	}
	if int64(cap(r.long)) < size {
		r.long = make([]byte, size)
	}
	line.Data = r.long[:size:size]
	n := copy(line.Data, r.buf)
	if _, err := ReadFull(in, line.Data[n:], line.At+int64(n)); err != nil {
		return err
	}
	return take(line)
}

// measure finds the end of a line whose first bufSize bytes have no line ending.
func (l *Line) measure(ctx context.Context, in io.ReaderAt, to int64) error {
	piece := make([]byte, bufSize)
	for off := l.At + bufSize; ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		off = NextData(in, off, to)
		n, err := readUpTo(in, piece, off, to)
		i := bytes.IndexByte(piece[:n], '\n')
		l.Ended = i >= 0
		if l.Ended {
			n = i + 1
		}
		off += int64(n)
		l.Size = off - l.At
		if l.Ended || err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// At reads the line of a size at an offset. It returns nil for a line that is
// too long.
func (r *Lines) At(ctx context.Context, in io.ReaderAt, at, size int64) (data []byte, err error) {
	line, err := r.one(ctx, in, at, size)
	return line.Data, err
}

// one reads a line, which may be kept.
func (r *Lines) one(ctx context.Context, in io.ReaderAt, at, size int64) (line Line, err error) {
	_, err = r.Each(ctx, in, at, at+size, func(l *Line) error {
		if line.Size > 0 {
			return errors.New("more than one line")
		}
		line = *l
		if l.Size > bufSize {
			r.long = nil
		} else {
			line.Data = bytes.Clone(l.Data)
		}
		return nil
	})
	return line, err
}

// Back is like Each, but calls take for the last line first, and take may read long
// lines itself. to must be the end of a line, or that of the file. If in is shorter,
// the error matches io.ErrUnexpectedEOF.
func (r *Lines) Back(ctx context.Context, in io.ReaderAt, from, to int64, take func(*Line) error) error {
	in = Until(ctx, in)
	if r.buf == nil {
		r.buf = make([]byte, bufSize)
	}
	for size := int64(firstBack); to > from; size = min(2*size, bufSize) {
		start := max(from, to-size)
		block := r.buf[:to-start]
		if _, err := ReadFull(in, block, start); err != nil {
			return err
		}
		skip := 0
		if start > from { // the block starts inside a line, which belongs to the next block
			skip = bytes.IndexByte(block, '\n') + 1
			if skip == 0 || skip == len(block) { // no line starts in it
				at, err := lineStart(ctx, in, from, start+1)
				if err != nil {
					return err
				}
				line, err := r.one(ctx, in, at, to-at)
				if err != nil {
					return err
				}
				if err := take(&line); err != nil {
					return err
				}
				to = at
				continue
			}
		}
		if err := r.takeBack(block[skip:], start+int64(skip), take); err != nil {
			return err
		}
		to = start + int64(skip)
	}
	return nil
}

// takeBack calls take for the lines of a block, the last one first.
func (r *Lines) takeBack(block []byte, at int64, take func(*Line) error) error {
	r.starts = r.starts[:0]
	for start, next := 0, 0; start < len(block); start = next {
		r.starts = append(r.starts, start)
		next = len(block)
		if i := bytes.IndexByte(block[start:], '\n'); i >= 0 {
			next = start + i + 1
		}
	}
	for _, start := range slices.Backward(r.starts) {
		data, ended := bytes.CutSuffix(block[start:], []byte{'\n'})
		line := Line{Data: data[:len(data):len(data)], At: at + int64(start), Size: int64(len(block) - start), Ended: ended}
		if err := take(&line); err != nil {
			return err
		}
		block = block[:start]
	}
	return nil
}

// lineStart returns the start of the last line between two offsets.
func lineStart(ctx context.Context, in io.ReaderAt, from, to int64) (int64, error) {
	const stretch = 64 << 20 // in which a hole is looked for
	piece := make([]byte, bufSize)
	for end := to - 1; end > from; {
		start := max(from, end-stretch)
		data := NextData(in, start, end)
		for end > data {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			piece = piece[:min(end-data, bufSize)]
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
