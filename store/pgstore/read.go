package pgstore

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/pith-sessions/pith/store"
)

const (
	// leastAhead is the minimum size of a read that counts as part of a
	// sequential scan.
	leastAhead = pieceSize / 2
	// mostAhead is the most to read at a time in such a scan: on a slow
	// connection the number of queries matters.
	mostAhead = 4 << 20
)

// ReadAt reads from the database. A sequential scan of a large log reads ahead,
// and returns the rest from memory.
func (l *log) ReadAt(p []byte, off int64) (int, error) {
	return l.ReadAtContext(context.Background(), p, off)
}

// ReadAtContext is ReadAt with a context.
func (l *log) ReadAtContext(ctx context.Context, p []byte, off int64) (int, error) {
	const op = "read"
	switch {
	case l.closed.Load():
		return 0, fault(op, l.name, fs.ErrClosed)
	case off < 0:
		return 0, fault(op, l.name, fmt.Errorf("negative offset %d", off))
	case len(p) == 0:
		return 0, nil
	}
	var n int
	read := func(into []byte, from int64) (n int, err error) {
		err = l.store.try(ctx, op, l.name, func(ctx context.Context) error {
			n, err = l.fetch(ctx, into, from)
			return err
		})
		return n, err
	}
	var err error
	if len(p) < leastAhead {
		n, err = read(p, off)
	} else {
		n, err = l.ahead.read(p, off, l.size.Load(), read)
	}
	if end := off + int64(n); err == nil && n < len(p) {
		err = io.EOF
		if end < l.size.Load() {
			err = fault(op, l.name, fmt.Errorf("%w: after byte %d", store.ErrDamaged, end))
		}
	}
	return n, err
}

// fetch reads the log at off, up to its end.
func (l *log) fetch(ctx context.Context, p []byte, off int64) (int, error) {
	s := l.store
	rows, err := s.pool.Query(ctx, s.sql.read, s.mode(), l.id, off, off+int64(len(p)))
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	n, next := 0, int64(-1)
	for rows.Next() {
		var at int64
		var data pgtype.DriverBytes // valid until the next row
		if err := rows.Scan(&at, &data); err != nil {
			return n, err
		}
		if next < 0 && at > off || next >= 0 && at != next {
			return n, fmt.Errorf("%w: after byte %d", store.ErrDamaged, max(next, off))
		}
		next = at + int64(len(data))
		if next <= off {
			continue // ends before off: off is at or after the end
		}
		n += copy(p[n:], data[max(0, off-at):])
	}
	return n, rows.Err()
}

// ahead holds bytes read ahead. The bytes of a log never change, so they are
// always valid; they are dropped at the end of the scan.
type ahead struct {
	mu           sync.Mutex // guards all below
	last, before window
	step         int // how much to read next
}

type window struct {
	from int64
	data []byte
}

func (w *window) end() int64 { return w.from + int64(len(w.data)) }

func (w *window) holds(off, end int64) bool { return w.from <= off && end <= w.end() }

func (a *ahead) drop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last, a.before, a.step = window{}, window{}, 0
}

// read fills p from the windows, or from a new one. size is the known length of
// the log. Several goroutines may scan adjacent parts.
func (a *ahead) read(p []byte, off, size int64, read func([]byte, int64) (int, error)) (int, error) {
	a.mu.Lock()
	end := off + int64(len(p))
	for _, w := range []*window{&a.last, &a.before} {
		if w.holds(off, end) {
			n := copy(p, w.data[off-w.from:])
			if end == size {
				a.last, a.before, a.step = window{}, window{}, 0
			}
			a.mu.Unlock()
			return n, nil
		}
	}
	walk := off == 0 || a.last.data != nil && off > a.last.end()-mostAhead && off < a.last.end()+mostAhead/4
	a.step = min(max(2*a.step, 1<<20), mostAhead)
	want := min(int64(a.step), size-off)
	if !walk || want <= int64(len(p)) {
		a.mu.Unlock()
		return read(p, off)
	}
	defer a.mu.Unlock() // other readers most likely wait for the same bytes
	data := make([]byte, want)
	n, err := read(data, off)
	if err != nil {
		return 0, err
	}
	a.before, a.last = a.last, window{off, data[:n]}
	return copy(p, a.last.data), nil
}
