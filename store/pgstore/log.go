package pgstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/pith-sessions/pith/store"
)

const (
	// pieceSize is the preferred size of a chunk: small chunks slow down
	// reading a whole log, large ones slow down reading a part.
	pieceSize = 256 << 10
	// mostAtOnce is the largest number of bytes sent in one statement.
	mostAtOnce = 16 * pieceSize
)

type log struct {
	store   *Store
	name    string
	id, gen int64
	closed  atomic.Bool
	size    atomic.Int64 // last known size
	merged  atomic.Int64 // offset before which small chunks are merged
	ahead   Ahead
}

func (l *log) Size(ctx context.Context) (int64, error) {
	const op = "size of"
	if l.closed.Load() {
		return 0, fault(op, l.name, fs.ErrClosed)
	}
	var size int64
	err := l.store.try(ctx, op, l.name, func(ctx context.Context) (err error) {
		size, err = l.present(ctx)
		return err
	})
	if err != nil {
		return 0, err
	}
	if size < l.size.Swap(size) {
		l.ahead.drop() // the database was restored to an older state
	}
	return size, nil
}

// present returns the log's length. The error matches store.ErrGone if the log
// has lost its name.
func (l *log) present(ctx context.Context) (size int64, err error) {
	s := l.store
	err = s.pool.QueryRow(ctx, s.sql.size, s.mode(), l.id, l.gen).Scan(&size)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, store.ErrGone
	}
	return size, err
}

// check returns an error unless the log still exists and is size bytes long.
func (l *log) check(ctx context.Context, size int64) error {
	if l.closed.Load() {
		return fs.ErrClosed
	}
	have, err := l.present(ctx)
	if err == nil && have != size {
		err = &store.ConflictError{Name: l.name, Want: size, Have: have}
	}
	return err
}

// Append writes p in one statement, or in one transaction if it is large.
func (l *log) Append(ctx context.Context, at int64, p []byte) (int64, error) {
	const op = "append to"
	if l.closed.Load() {
		return 0, fault(op, l.name, fs.ErrClosed)
	}
	if len(p) == 0 {
		err := l.store.try(ctx, op, l.name, func(ctx context.Context) error { return l.check(ctx, at) })
		if err != nil {
			return 0, err
		}
		return at, nil
	}
	doubt := false // whether a failed attempt may have written p
	err := l.store.try(ctx, op, l.name, func(ctx context.Context) error {
		for range 2 { // the length may have differed only briefly
			written, err := l.add(ctx, at, p)
			if err != nil {
				doubt = doubt || uncertain(err)
				return err
			}
			if written {
				return nil
			}
			err = l.check(ctx, at)
			if doubt && errors.Is(err, store.ErrConflict) {
				return l.own(ctx, at, p, err)
			}
			if err != nil {
				return err
			}
		}
		return store.ErrReadOnly // a policy makes the log read-only for this user
	})
	if err != nil {
		if doubt && !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrGone) {
			err = fmt.Errorf("%w (%w)", err, ErrUncertain)
		}
		return 0, err
	}
	end := at + int64(len(p))
	l.size.Store(end)
	if merged := l.merged.Load(); end-merged >= 2*pieceSize && l.merged.CompareAndSwap(merged, end) {
		l.merge(ctx, end)
	}
	return at, nil
}

// merge makes large chunks of the small ones before an offset. If it fails,
// they stay small until the log has grown further.
func (l *log) merge(ctx context.Context, end int64) {
	s := l.store
	_ = s.prepared(func() error {
		return s.inTime(ctx, func(ctx context.Context) error {
			_, err := s.pool.Exec(ctx, s.sql.merge, s.mode(), l.id, end)
			return err
		})
	})
}

// add writes p if the log has the expected length.
func (l *log) add(ctx context.Context, at int64, p []byte) (written bool, err error) {
	s := l.store
	if len(p) <= 2*pieceSize {
		done, err := s.pool.Exec(ctx, s.sql.add, s.mode(), l.id, l.gen, at, p)
		return done.RowsAffected() == 1, err
	}
	err = s.transact(ctx, func(tx pgx.Tx) error {
		for off := 0; off < len(p); off += mostAtOnce {
			part := p[off:min(off+mostAtOnce, len(p))]
			done, err := tx.Exec(ctx, s.sql.addLarge, s.mode(), l.id, l.gen, at+int64(off), part)
			if err != nil || done.RowsAffected() == 0 {
				return err
			}
		}
		written = true
		return nil
	})
	return written && err == nil, err
}

// own returns nil if the log holds p at that offset, from an attempt whose
// answer was lost, and otherwise the conflict.
func (l *log) own(ctx context.Context, at int64, p []byte, conflict error) error {
	there := make([]byte, len(p))
	n, err := l.fetch(ctx, there, at)
	if err != nil {
		return err
	}
	if n == len(p) && bytes.Equal(there, p) {
		return nil
	}
	return conflict
}

// Sync makes commits durable that the server acknowledged before they were
// durable, which it does only if synchronous_commit is off.
func (l *log) Sync(ctx context.Context) error {
	const op = "sync"
	if l.closed.Load() {
		return fault(op, l.name, fs.ErrClosed)
	}
	s := l.store
	return s.try(ctx, op, l.name, func(ctx context.Context) error {
		var mode string
		err := s.pool.QueryRow(ctx, `SELECT pg_catalog.current_setting('synchronous_commit')`, s.mode()).Scan(&mode)
		if err != nil || mode != "off" {
			return err
		}
		// A commit that waits for the disk also makes all earlier ones durable.
		return s.transact(ctx, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, `SET LOCAL synchronous_commit = on`, pgx.QueryExecModeExec); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, s.sql.touch, s.mode(), l.id)
			return err
		})
	})
}

func (l *log) Close() error {
	if l.closed.Swap(true) {
		return fault("close", l.name, fs.ErrClosed)
	}
	l.ahead.drop()
	return nil
}
