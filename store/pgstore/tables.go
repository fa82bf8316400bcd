package pgstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"
)

// largestTable is up to which a table is kept: a value has at most 1 GB.
const largestTable = 512 << 20

// Tables keeps, beside each log, what a session engine learnt of it, so that large
// sessions open at once on every machine. It has the methods of pith.TableStore. It is
// a cache: what it loses is learnt again.
//
// Who may write to the database is trusted with it, as with the logs themselves.
type Tables struct{ store *Store }

// Tables returns the tables that are kept in the same database.
func (s *Store) Tables() Tables { return Tables{s} }

// Load returns what was last saved for the log of that name; nil when there is nothing,
// or another log has the name now.
func (t Tables) Load(name string) (data []byte, owner any) {
	s := t.store
	err := s.try("load the table of", name, func(ctx context.Context) error {
		err := s.pool.QueryRow(ctx, s.sql.loadTable, s.mode(), keyOf(name)).Scan(&data)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	if err != nil || len(data) == 0 {
		return nil, nil
	}
	return data, data // of this call alone; large pieces of memory begin at multiples of 8
}

// Save keeps what fill writes for the log of that name, of which it covers so many bytes.
func (t Tables) Save(name string, covered int64, fill func(io.Writer) error) error {
	const op = "save the table of"
	var table bytes.Buffer
	if err := fill(&table); err != nil {
		return fmt.Errorf("%s %s: %w", op, name, err)
	}
	if table.Len() > largestTable {
		return nil
	}
	s := t.store
	return s.try(op, name, func(ctx context.Context) error {
		_, err := s.pool.Exec(ctx, s.sql.saveTable, s.mode(), keyOf(name), covered, table.Bytes())
		return err
	})
}
