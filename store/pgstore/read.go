package pgstore

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/pith-sessions/pith/store"
)

const (
	// leastAhead is the minimum size of a read that counts as part of a
	// sequential scan.
	leastAhead = pieceSize / 2
	// mostAhead is how much such a scan reads at a time.
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
	if size := l.size.Load(); len(p) < leastAhead || off+int64(len(p)) > size {
		n, err = read(p, off)
	} else {
		n, err = l.ahead.Read(p, off, size, read)
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
	return ReadChunks(rows, p, off)
}

// ReadChunks fills p with the bytes from off of rows that hold the offsets and
// bytes of adjacent chunks. It returns fewer bytes if the rows end before, and
// closes them.
func ReadChunks(rows pgx.Rows, p []byte, off int64) (int, error) {
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

// Ahead holds bytes that a sequential scan of a log reads next, because on a
// slow connection the number of queries matters. The bytes of a log never
// change, so they stay valid. The zero value is ready to use.
type Ahead struct {
	mu   sync.Mutex // guards all below
	from int64
	data []byte
}

func (a *Ahead) drop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.from, a.data = 0, nil
}

// Read fills p with the bytes at off of a log of a size. It gets them from read,
// and more than p has room for if the last ones ended there.
func (a *Ahead) Read(p []byte, off, size int64, read func([]byte, int64) (int, error)) (n int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for n < len(p) && off < size {
		end := a.from + int64(len(a.data))
		switch {
		case off >= a.from && off < end:
		case off == 0 || off == end:
			data := make([]byte, min(max(mostAhead, int64(len(p)-n)), size-off))
			m, err := read(data, off)
			if err != nil || m == 0 {
				return n, err
			}
			a.from, a.data = off, data[:m]
		default:
			a.from, a.data = off+int64(len(p)-n), nil // a scan may start here
			a.mu.Unlock()
			m, err := read(p[n:], off)
			a.mu.Lock()
			return n + m, err
		}
		m := copy(p[n:], a.data[off-a.from:])
		n, off = n+m, off+int64(m)
	}
	if off == size {
		a.from, a.data = 0, nil // the scan is over
	}
	return n, nil
}
