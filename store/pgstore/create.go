package pgstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pith-sessions/pith/store"
)

// Create publishes a new log. Its bytes are sent to the database without a name
// as fill writes them; then the whole log gets its name in one step.
func (s *Store) Create(ctx context.Context, name string, fill store.Fill) (store.Log, error) {
	const op = "create"
	d, err := s.stage(ctx, op, name, fill)
	if err != nil {
		return nil, err
	}
	return d.publish(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, s.sql.takeOver, s.mode(), []byte(name), d.id)
		return err
	})
}

// Replace replaces the content of a log. The old log gets the backup name;
// nothing is copied.
func (s *Store) Replace(ctx context.Context, old store.Log, size int64, fill store.Fill, backup string) (store.Log, error) {
	const op = "replace"
	l, ok := old.(*log)
	if !ok || l.store != s {
		return nil, errors.New("replace: the log belongs to another store")
	}
	check := func(ctx context.Context) error { return l.check(ctx, size) }
	if err := s.try(ctx, op, l.name, check); err != nil { // avoids calling fill in vain
		return nil, err
	}
	d, err := s.stage(ctx, op, l.name, fill)
	if err != nil {
		return nil, err
	}
	next, err := d.publish(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		var name []byte // nil means no backup
		if backup != "" {
			name = []byte(backup)
		}
		done, err := tx.Exec(ctx, s.sql.retire, s.mode(), l.id, l.gen, size, name)
		if isTaken(err) {
			return fmt.Errorf("backup %s: %w", backup, store.ErrExist)
		}
		if err == nil && done.RowsAffected() == 0 {
			err = errNotAsBefore
		}
		return err
	})
	if errors.Is(err, errNotAsBefore) {
		if now := s.try(ctx, op, l.name, check); now != nil {
			return nil, now
		}
	}
	return next, err
}

// errNotAsBefore aborts the exchange of a log that has changed.
var errNotAsBefore = errors.New("the log changed in the meantime")

// A draft is a log that has no name yet. It receives the output of a fill.
type draft struct {
	store *Store
	op    string
	name  string
	id    int64
	size  int64 // bytes in the database
}

func (s *Store) stage(ctx context.Context, op, name string, fill store.Fill) (*draft, error) {
	d := &draft{store: s, op: op, name: name}
	err := s.try(ctx, op, name, func(ctx context.Context) error {
		return s.pool.QueryRow(ctx, s.sql.stage, s.mode(), []byte(name)).Scan(&d.id)
	})
	if err != nil {
		return nil, err
	}
	w := bufio.NewWriterSize(writerFunc(func(p []byte) (int, error) { return d.write(ctx, p) }), 4*pieceSize)
	if err = fill(w); err != nil {
		err = &store.LogError{Op: op, Name: name, Err: err}
	} else {
		err = w.Flush()
	}
	if err != nil {
		d.discard(ctx)
		return nil, err
	}
	return d, nil
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// write sends bytes in pieces. Those that an earlier attempt stored stay as they
// are, because the bytes of a log never change.
func (d *draft) write(ctx context.Context, p []byte) (written int, err error) {
	for part := range slices.Chunk(p, mostAtOnce) {
		pieces := slices.Collect(slices.Chunk(part, pieceSize))
		offsets := make([]int64, len(pieces))
		for i := range pieces {
			offsets[i] = d.size + int64(i*pieceSize)
		}
		err := d.store.try(ctx, d.op, d.name, func(ctx context.Context) error {
			_, err := d.store.pool.Exec(ctx, d.store.sql.fill, d.store.mode(), d.id, offsets, pieces)
			return err
		})
		if err != nil {
			return written, err
		}
		written, d.size = written+len(part), d.size+int64(len(part))
	}
	return written, nil
}

// discard removes the draft. If that fails, sweep removes it later.
func (d *draft) discard(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = d.store.prepared(func() error { // sweep tries again
		_, err := d.store.pool.Exec(ctx, d.store.sql.drop, d.store.mode(), d.id)
		return err
	})
}

// sweepPause is the time between two searches for logs without a name.
const sweepPause = 10 * time.Minute

// sweep removes logs that lost their names longer ago than Options.Keep, and
// drafts that were never finished, unless this store did so recently.
func (s *Store) sweep(ctx context.Context) {
	last, now := s.swept.Load(), time.Now().Unix()
	if now-last < int64(sweepPause/time.Second) || !s.swept.CompareAndSwap(last, now) {
		return
	}
	_ = s.prepared(func() error { // tried again after sweepPause
		_, err := s.pool.Exec(ctx, s.sql.sweep, s.mode(), int64(s.options.Keep/time.Second))
		return err
	})
}

// publish gives the draft its name in one transaction, after makeRoom has freed
// the name. If the answer to an attempt was lost, the draft's state shows
// whether it succeeded.
func (d *draft) publish(ctx context.Context, op string, makeRoom func(context.Context, pgx.Tx) error) (store.Log, error) {
	s, doubt := d.store, false
	err := s.try(ctx, op, d.name, func(ctx context.Context) error {
		if doubt {
			var gen int64
			if err := s.pool.QueryRow(ctx, s.sql.state, s.mode(), d.id).Scan(&gen); err != nil || gen > 0 {
				return err
			}
		}
		err := s.transact(ctx, func(tx pgx.Tx) error {
			if err := makeRoom(ctx, tx); err != nil {
				return err
			}
			done, err := tx.Exec(ctx, s.sql.publish, s.mode(), d.id, []byte(d.name), d.size)
			switch {
			case isTaken(err):
				return store.ErrExist
			case err == nil && done.RowsAffected() == 0:
				return fmt.Errorf("the new content: %w", fs.ErrNotExist) // made longer ago than Options.Keep
			}
			return err
		})
		doubt = doubt || err != nil && uncertain(err)
		return err
	})
	if err != nil {
		if doubt && transient(err) {
			return nil, fmt.Errorf("%w (%w)", err, ErrUncertain)
		}
		d.discard(ctx)
		return nil, err
	}
	s.sweep(ctx)
	l := &log{store: s, name: d.name, id: d.id, gen: 1}
	l.size.Store(d.size)
	l.merged.Store(d.size)
	return l, nil
}

func isTaken(err error) bool { return stateOf(err) == "23505" }
