package pgstore

import (
	"bytes"
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/pith-sessions/pith/store"
)

var _ store.TableKeeper = (*Store)(nil)

// largestTable is up to which a table is kept: a value has at most 1 GB.
const largestTable = 512 << 20

// LoadTable returns what was last saved for the log of that name; nil when there is
// nothing, or another log has the name now. With it and SaveTable a Store is a
// [store.TableKeeper]: large sessions open at once on every machine.
//
// Who may write to the database is trusted with it, as with the logs themselves.
func (s *Store) LoadTable(name string) (data []byte, owner any) {
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

// SaveTable keeps what fill writes for the log of that name, of which it covers so many bytes.
func (s *Store) SaveTable(name string, covered int64, fill store.Fill) error {
	const op = "save the table of"
	var table bytes.Buffer
	if err := fill(&table); err != nil {
		return &store.LogError{Op: op, Name: name, Err: err}
	}
	if table.Len() > largestTable {
		return nil
	}
	return s.try(op, name, func(ctx context.Context) error {
		_, err := s.pool.Exec(ctx, s.sql.saveTable, s.mode(), keyOf(name), covered, table.Bytes())
		return err
	})
}
