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
	// pieceSize is how large a chunk is made when there is a choice: small ones cost
	// time when a log is read, large ones when a part of them is.
	pieceSize = 256 << 10
	// mostAtOnce is how much is sent in one statement.
	mostAtOnce = 16 * pieceSize
)

// log is one opened log.
type log struct {
	store   *Store
	name    string
	id, gen int64
	closed  atomic.Bool
	size    atomic.Int64 // when it was last seen
	merged  atomic.Int64 // up to where small chunks were merged, or are being merged
	ahead   ahead
	turn    *turn
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
	l.turn.saw(size)
	if size < l.size.Swap(size) {
		l.ahead.drop() // the database was set back to an older state
	}
	return size, nil
}

// present is the log's length; the error matches store.ErrGone when it has lost its
// name.
func (l *log) present(ctx context.Context) (size int64, err error) {
	s := l.store
	err = s.pool.QueryRow(ctx, s.sql.size, s.mode(), l.id, l.gen).Scan(&size)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, store.ErrGone
	}
	return size, err
}

// check reports whether the log is still there and size bytes long.
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
	// What this process knows to be longer need not be asked for: a log never shrinks.
	// Should the database have been set back, the caller's next try tells.
	longer, err := l.turn.take(ctx, at)
	if err != nil {
		return 0, fault(op, l.name, err)
	}
	if longer > 0 {
		return 0, fault(op, l.name, &store.ConflictError{Name: l.name, Want: at, Have: longer})
	}
	defer l.turn.give()
	doubt := false // whether a try that failed may have written p
	err = l.store.try(ctx, op, l.name, func(ctx context.Context) error {
		for range 2 { // it may have been longer for a moment
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
		return store.ErrReadOnly // a policy lets this user read it only
	})
	if conflict := (*store.ConflictError)(nil); errors.As(err, &conflict) {
		l.turn.saw(conflict.Have)
	}
	if err != nil {
		if doubt && !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrGone) {
			err = fmt.Errorf("%w (%w)", err, ErrUncertain)
		}
		return 0, err
	}
	end := at + int64(len(p))
	l.size.Store(end)
	l.turn.saw(end)
	if merged := l.merged.Load(); end-merged >= 2*pieceSize && l.merged.CompareAndSwap(merged, end) {
		l.store.merge(l.store, l.id)
	}
	return at, nil
}

// add writes p if the log has the right length.
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

// own is nil if the log holds p at that place, from a try whose answer was lost, and
// otherwise the conflict.
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

// Sync makes durable what the server acknowledged without being sure, which it does
// only where synchronous_commit is off.
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
		// A commit that waits for the disk brings all earlier ones there.
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
	l.store.turns.done(l.id)
	return nil
}
