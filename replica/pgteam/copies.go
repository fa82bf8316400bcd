package pgteam

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
)

var _ replica.Store = (*Store)(nil)

// rows runs a statement in which {schema} is the schema, and returns its rows. It is not prepared, because most commands run each
// statement once.
func rows[T any](ctx context.Context, s *Store, op string, row pgx.RowToFunc[T], sql string, args ...any) (all []T, err error) {
	err = s.db.Do(ctx, op, func(ctx context.Context, pool *pgxpool.Pool) error {
		found, err := pool.Query(ctx, s.db.In(sql), append([]any{pgx.QueryExecModeExec}, args...)...)
		if err == nil {
			all, err = pgx.CollectRows(found, row)
		}
		return err
	})
	return all, err
}

// one is rows for a statement with one value as its result.
func one[T any](ctx context.Context, s *Store, op, sql string, args ...any) (value T, err error) {
	all, err := rows(ctx, s, op, pgx.RowTo[T], sql, args...)
	if err == nil && len(all) > 0 {
		value = all[0]
	}
	return value, err
}

// Describes implements replica.Store.
func (s *Store) Describes() bool { return true }

// List implements replica.Store.
func (s *Store) List(ctx context.Context, person, session string) (*replica.Listing, error) {
	var deleted []string
	all, err := rows(ctx, s, "list", func(row pgx.CollectableRow) (c replica.Copy, err error) {
		var about []byte
		err = row.Scan(&c.Number, &c.Person, &c.Machine, &c.Session, &c.Generation, &c.Stored, &about)
		if err == nil && (json.Unmarshal(about, &c.About) != nil || c.Length < 0 || c.Length > c.Stored) {
			c.About = replica.About{} // not described yet, or wrongly
		}
		return c, err
	}, "SELECT id, person, machine, session, gen, len, about FROM {schema}.copies($1, $2)", person, session)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(c replica.Copy) bool {
		if c.Machine == "" {
			deleted = append(deleted, c.Session)
		}
		return c.Machine == ""
	})
	l := replica.NewListing(all)
	for _, session := range deleted {
		l.Deleted[session] = true
	}
	return l, nil
}

// Append implements replica.Store.
func (s *Store) Append(ctx context.Context, c replica.Copy, at int64, p []byte) error {
	written, err := one[bool](ctx, s, "append to "+c.String(), "SELECT {schema}.append($1, $2, $3, $4, $5)", c.Machine, c.Session, int32(c.Generation), at, p)
	if err == nil && !written {
		err = fmt.Errorf("append to %s: %w", c, store.ErrConflict)
	}
	return err
}

// Describe implements replica.Store.
func (s *Store) Describe(ctx context.Context, c replica.Copy, from int64, d replica.Description) error {
	about, err := json.Marshal(d.About)
	if err != nil {
		return err
	}
	facts, err := json.Marshal(d.Facts)
	if err != nil {
		return err
	}
	offsets, sizes, words := make([]int64, len(d.Lines)), make([]int32, len(d.Lines)), make([]string, len(d.Lines))
	for i, l := range d.Lines {
		offsets[i], sizes[i], words[i] = l.Offset, int32(l.Size), l.Words
	}
	n := len(d.Responses)
	keys, times, models, tokens, costs := make([][]byte, n), make([]int64, n), make([]string, n), make([]int64, n), make([]int64, n)
	for i := range d.Responses {
		r := &d.Responses[i]
		keys[i], models[i], tokens[i], costs[i] = r.Key[:], r.Model, r.Tokens, r.Cost
		if y := r.Time.Year(); y >= 1970 && y <= 9999 {
			times[i] = r.Time.UnixMicro()
		}
	}
	done, err := one[bool](ctx, s, "describe "+c.String(), "SELECT {schema}.describe($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
		c.Machine, c.Session, int32(c.Generation), from, d.Length, about, facts, d.Facts.Modified, offsets, sizes, words, keys, times, models, tokens, costs)
	if err == nil && !done {
		err = fmt.Errorf("describe %s: %w", c, store.ErrConflict)
	}
	return err
}

// Open implements replica.Store.
func (s *Store) Open(ctx context.Context, c replica.Copy) (replica.Bytes, error) {
	return &reader{ctx: ctx, store: s, copy: c}, nil
}

// A reader reads a copy.
type reader struct {
	ctx   context.Context // of Open: an io.ReaderAt has none
	store *Store
	copy  replica.Copy
	ahead pgstore.Ahead
}

func (r *reader) Close() error { return nil }

func (r *reader) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.ahead.Read(p, off, r.copy.Stored, r.fetch)
	if err == nil && n < len(p) {
		err = io.EOF
		if end := off + int64(n); end < r.copy.Stored {
			err = fmt.Errorf("read %s: %w after byte %d", r.copy, store.ErrDamaged, end)
		}
	}
	return n, err
}

func (r *reader) fetch(p []byte, off int64) (n int, err error) {
	err = r.store.db.Do(r.ctx, "read "+r.copy.String(), func(ctx context.Context, pool *pgxpool.Pool) error {
		rows, err := pool.Query(ctx, r.store.db.In("SELECT off, data FROM {schema}.read($1, $2, $3)"), pgx.QueryExecModeExec, r.copy.Number, off, off+int64(len(p)))
		if err == nil {
			n, err = pgstore.ReadChunks(rows, p, off)
		}
		return err
	})
	return n, err
}
