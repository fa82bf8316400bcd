package pgstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// sweepPause is the time between two searches for unused logs.
const sweepPause = 10 * time.Minute

// A caretaker does maintenance in one goroutine that exists while there is
// work: it merges small chunks of logs that grew, and removes logs that lost
// their names long ago. Failed work is retried later.
type caretaker struct {
	mu      sync.Mutex // guards all below
	grown   map[int64]bool
	sweeps  bool
	swept   time.Time
	working bool
	closed  bool
	done    sync.WaitGroup
}

// merge schedules the merging of a log's small chunks.
func (c *caretaker) merge(s *Store, id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.grown == nil {
		c.grown = map[int64]bool{}
	}
	c.grown[id] = true
	c.wake(s)
}

// sweep schedules the removal of unused logs, unless that was done recently.
func (c *caretaker) sweep(s *Store) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.swept) < sweepPause {
		return
	}
	c.swept, c.sweeps = time.Now(), true
	c.wake(s)
}

// wake starts the goroutine. The caller must hold mu.
func (c *caretaker) wake(s *Store) {
	if c.working || c.closed {
		return
	}
	c.working = true
	c.done.Go(func() { c.work(s) })
}

// wait waits until the goroutine ends. The store's context is already
// cancelled, so that does not take long.
func (c *caretaker) wait() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.done.Wait()
}

func (c *caretaker) work(s *Store) {
	for {
		c.mu.Lock()
		grown, sweeps := c.grown, c.sweeps
		c.grown, c.sweeps = nil, false
		if c.closed || len(grown) == 0 && !sweeps {
			c.working = false
			c.mu.Unlock()
			return
		}
		c.mu.Unlock()
		for id := range grown {
			_ = s.mergeLog(s.life, id) // merged when the log has grown further
		}
		if sweeps {
			_ = s.removeNameless(s.life) // retried after sweepPause
		}
	}
}

// Tidy merges the small chunks of all logs and removes those that lost their
// names longer ago than Options.Keep. A store does this by itself for the logs
// that it writes; Tidy does it immediately.
func (s *Store) Tidy(ctx context.Context) error {
	const op = "tidy"
	var ids []int64
	err := s.try(ctx, op, "", func(ctx context.Context) (err error) {
		ids, err = s.ids(ctx, s.sql.waiting, 2*pieceSize)
		return err
	})
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := s.mergeLog(ctx, id); err != nil {
			return fault(op, "", err)
		}
	}
	return fault(op, "", s.removeNameless(ctx))
}

// errElsewhere means that another client is merging the same chunks.
var errElsewhere = errors.New("another client is merging chunks")

// mergeLog merges runs of small chunks, each run in a transaction. Readers see
// the chunks as before or after.
func (s *Store) mergeLog(ctx context.Context, id int64) error {
	for {
		chunks, err := s.smallChunks(ctx, id)
		if err != nil {
			return err
		}
		runs := runsOf(chunks)
		if len(runs) == 0 {
			return nil
		}
		for _, r := range runs {
			if err := s.prepared(func() error { return s.mergeRun(ctx, id, r) }); err != nil {
				return err
			}
		}
	}
}

type chunk struct{ from, end int64 }

func (s *Store) smallChunks(ctx context.Context, id int64) (chunks []chunk, err error) {
	err = s.prepared(func() error {
		rows, _ := s.pool.Query(ctx, s.sql.smalls, s.mode(), id) // CollectRows returns the error
		chunks, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (chunk, error) {
			var off, length int64
			err := row.Scan(&off, &length)
			return chunk{off, off + length}, err
		})
		return err
	})
	return chunks, err
}

// A run is a sequence of adjacent chunks that is long enough to be merged into
// one.
type run struct {
	chunk
	single bool // it already is a single chunk
}

// runsOf divides chunks into runs of pieceSize bytes or a little more. It omits
// the last chunks if they are too short together.
func runsOf(chunks []chunk) []run {
	var runs []run
	var r run
	for i, c := range chunks {
		if r.end == 0 || r.end != c.from {
			r = run{chunk{c.from, c.from}, true}
		} else {
			r.single = false
		}
		r.end = c.end
		large := i+1 < len(chunks) && chunks[i+1].end-chunks[i+1].from >= pieceSize
		if r.end-r.from >= pieceSize || large {
			runs = append(runs, r)
			r = run{}
		}
	}
	return runs
}

func (s *Store) mergeRun(ctx context.Context, id int64, r run) error {
	return s.transact(ctx, func(tx pgx.Tx) error {
		if !r.single {
			done, err := tx.Exec(ctx, s.sql.merge, s.mode(), id, r.from, r.end)
			if err != nil {
				return err
			}
			if done.RowsAffected() != 1 {
				return errElsewhere
			}
		}
		_, err := tx.Exec(ctx, s.sql.moveMerged, s.mode(), id, r.end)
		return err
	})
}

// removeNameless removes logs that lost their names long ago, and drafts that
// were never finished.
func (s *Store) removeNameless(ctx context.Context) error {
	for {
		var ids []int64
		err := s.prepared(func() (err error) {
			ids, err = s.ids(ctx, s.sql.nameless, int64(s.options.Keep/time.Second))
			return err
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			if err := s.expunge(ctx, id); err != nil {
				return err
			}
		}
	}
}

// ids returns the ids of the logs that a statement selects.
func (s *Store) ids(ctx context.Context, sql string, limit int64) ([]int64, error) {
	rows, _ := s.pool.Query(ctx, sql, s.mode(), limit) // CollectRows returns the error
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// expunge removes a log that has no name, and its bytes.
func (s *Store) expunge(ctx context.Context, id int64) error {
	return s.prepared(func() error {
		_, err := s.pool.Exec(ctx, s.sql.drop, s.mode(), id)
		return err
	})
}
