package pgstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Tables are the tables of one component of a program in a schema. Their
// version is the number of steps that made them; it is committed together with
// each step. Clients exclude each other by locking the row that holds it.
type Tables struct {
	Component string
	// Steps are SQL, in the order in which they run. In each, {schema} stands
	// for the quoted name of the schema; unqualified names are those of
	// pg_catalog. A released step never changes.
	Steps []string
}

// CheckTables compares the version of tables with the one that the program
// knows. It returns the role that logged in, and a *VersionError if the versions
// differ. It is one query.
func (s *DB) CheckTables(ctx context.Context, t Tables) (role string, err error) {
	err = s.Do(ctx, "check the tables", func(ctx context.Context, pool *pgxpool.Pool) error {
		have := 0
		err := pool.QueryRow(ctx, s.In(`SELECT version, session_user FROM {schema}.version WHERE component = $1`), pgx.QueryExecModeExec, t.Component).Scan(&have, &role)
		state := stateOf(err)
		if err != nil && state != "42P01" && state != "3F000" && !errors.Is(err, pgx.ErrNoRows) { // no such table, no such schema
			return err
		}
		return s.versionError(t, have)
	})
	return role, err
}

func (s *DB) versionError(t Tables, have int) error {
	if have == len(t.Steps) {
		return nil
	}
	return &VersionError{s.options.Schema, t.Component, have, len(t.Steps)}
}

// MakeTables creates the schema and the tables, or updates them. Tables of the
// known version stay as they are, which needs no rights. Of several concurrent
// clients, one works and the others wait for it. The error matches ErrNewer if
// the tables are newer than the program.
func (s *DB) MakeTables(ctx context.Context, t Tables) error {
	_, err := s.CheckTables(ctx, t)
	if !errors.Is(err, ErrOlder) {
		return err
	}
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := s.change(ctx, "make the tables", func(tx pgx.Tx) error { return s.makeTables(ctx, tx, t) })
		if !madeElsewhere(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// makeTables runs the missing steps while it holds a lock on the row of the
// version.
func (s *DB) makeTables(ctx context.Context, tx pgx.Tx, t Tables) error {
	there, trusted := true, false
	err := tx.QueryRow(ctx, `SELECT pg_catalog.pg_has_role(n.nspowner, 'USAGE') OR r.rolsuper OR r.oid = d.datdba OR r.rolname = 'pg_database_owner'
		FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_roles r ON r.oid = n.nspowner
		JOIN pg_catalog.pg_database d ON d.datname = pg_catalog.current_database() WHERE n.nspname = $1::pg_catalog.name`,
		pgx.QueryExecModeExec, s.options.Schema).Scan(&trusted)
	if errors.Is(err, pgx.ErrNoRows) {
		there, err = false, nil
	}
	switch {
	case err != nil:
		return err
	case there && !trusted:
		return fmt.Errorf("schema %q: %w", s.options.Schema, ErrForeign)
	case !there: // CREATE SCHEMA IF NOT EXISTS needs the right to create it even if it exists
		err = s.exec(ctx, tx, `CREATE SCHEMA {schema}`)
	}
	if err == nil {
		err = s.exec(ctx, tx, `CREATE TABLE IF NOT EXISTS {schema}.version (component pg_catalog.text COLLATE pg_catalog."C" PRIMARY KEY, version integer NOT NULL)`)
	}
	if err == nil {
		_, err = tx.Exec(ctx, s.In(`INSERT INTO {schema}.version VALUES ($1, 0) ON CONFLICT DO NOTHING`), pgx.QueryExecModeExec, t.Component)
	}
	have := 0
	if err == nil {
		err = tx.QueryRow(ctx, s.In(`SELECT version FROM {schema}.version WHERE component = $1 FOR UPDATE`), pgx.QueryExecModeExec, t.Component).Scan(&have)
	}
	if err == nil && have > len(t.Steps) {
		err = s.versionError(t, have)
	}
	if err != nil {
		return err
	}
	for i, step := range t.Steps[have:] {
		if err := s.exec(ctx, tx, step); err != nil {
			return fmt.Errorf("step %d of %s: %w", have+i+1, t.Component, err)
		}
	}
	_, err = tx.Exec(ctx, s.In(`UPDATE {schema}.version SET version = $2 WHERE component = $1`), pgx.QueryExecModeExec, t.Component, int64(len(t.Steps)))
	return err
}

// Change runs statements that change tables in one transaction, in which
// {schema} stands for the name of the schema.
func (s *DB) Change(ctx context.Context, op, sql string) error {
	return s.change(ctx, op, func(tx pgx.Tx) error { return s.exec(ctx, tx, sql) })
}

// change runs f in a transaction that is protected from other users of the
// database: unqualified names are PostgreSQL's own, and it does not wait long
// for a lock.
func (s *DB) change(ctx context.Context, op string, f func(tx pgx.Tx) error) error {
	return s.try(ctx, op, "", func(ctx context.Context) error {
		return s.transact(ctx, func(tx pgx.Tx) error {
			if err := s.exec(ctx, tx, `SET LOCAL search_path = pg_catalog, pg_temp; SET LOCAL lock_timeout = '10s'`); err != nil {
				return err
			}
			return f(tx)
		})
	})
}

// exec runs several statements, which need the simple protocol.
func (s *DB) exec(ctx context.Context, tx pgx.Tx, sql string) error {
	_, err := tx.Exec(ctx, s.In(sql), pgx.QueryExecModeSimpleProtocol)
	return err
}

// In returns SQL in which {schema} is replaced by the name of the schema.
func (s *DB) In(sql string) string {
	return strings.ReplaceAll(sql, "{schema}", pgx.Identifier{s.options.Schema}.Sanitize())
}

// madeElsewhere reports whether a change failed because another client made the
// same object at that moment: PostgreSQL's IF NOT EXISTS checks first and acts
// later.
func madeElsewhere(err error) bool {
	switch stateOf(err) {
	case "23505", "42P06", "42P07", "42710":
		return true
	}
	return false
}
