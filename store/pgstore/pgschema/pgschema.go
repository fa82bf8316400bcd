// Package pgschema migrates the tables of one component in a PostgreSQL schema
// to the version that the program knows: step by step, each step once, by one
// client at a time.
//
// It needs neither advisory locks nor connection state, so it works through
// pgbouncer in transaction mode and on servers that only speak the protocol.
// Clients exclude each other by locking the row that holds the component's
// version.
//
// # Invariants
//
//	M1  A step and the version that counts it are committed together.
//	M2  A client that finds the version that it knows changes nothing, and needs no right to.
//	M3  A client that finds a newer version changes nothing.
//
// Stability: outside the core. Its exported names may still change.
package pgschema

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

var (
	// ErrNewer means that a newer program made the tables.
	ErrNewer = errors.New("the tables are from a newer version")
	// ErrOlder means that the tables are old or missing, and were not to be
	// changed.
	ErrOlder = errors.New("the tables are missing or from an older version")
	// ErrForeign means that the schema belongs to an untrusted role: the owner
	// of a schema can drop and add objects in it.
	ErrForeign = errors.New("the schema belongs to another role")
)

// A VersionError means that this program cannot use the tables. It matches
// ErrNewer or ErrOlder.
type VersionError struct {
	Schema, Component string
	Have, Want        int // version found, and version that this program knows
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("schema %q: %v: %s has version %d, this program supports %d", e.Schema, e.kind(), e.Component, e.Have, e.Want)
}

func (e *VersionError) kind() error {
	if e.Have > e.Want {
		return ErrNewer
	}
	return ErrOlder
}

// Unwrap returns ErrNewer or ErrOlder.
func (e *VersionError) Unwrap() error { return e.kind() }

// A Component is a set of tables with one version, which is the number of its steps.
type Component struct {
	Name string
	// Steps are SQL, in the order in which they run. In each, {schema} stands
	// for the quoted name of the schema; unqualified names are those of
	// pg_catalog. A released step never changes.
	Steps []string
}

// Check compares the version of a component's tables with the one that the
// program knows. It returns the role that logged in, and a *VersionError if the
// versions differ. It is one query.
func Check(ctx context.Context, pool *pgxpool.Pool, schema string, c Component) (role string, err error) {
	have := 0
	err = pool.QueryRow(ctx, in(schema, `SELECT version, session_user FROM {schema}.version WHERE component = $1`), pgx.QueryExecModeExec, c.Name).Scan(&have, &role)
	var refused *pgconn.PgError
	missing := errors.As(err, &refused) && (refused.Code == undefinedTable || refused.Code == undefinedSchema)
	if err != nil && !missing && !errors.Is(err, pgx.ErrNoRows) {
		return "", err
	}
	if have != len(c.Steps) {
		return role, &VersionError{schema, c.Name, have, len(c.Steps)}
	}
	return role, nil
}

// Apply creates the schema and the component's tables, or updates them. Of
// several concurrent clients, one works and the others wait for it. The error
// matches ErrNewer if the tables are newer than the program.
func Apply(ctx context.Context, pool *pgxpool.Pool, schema string, c Component) error {
	_, err := Check(ctx, pool, schema, c)
	if err == nil || !errors.Is(err, ErrOlder) {
		return err
	}
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := apply(ctx, pool, schema, c)
		if !concurrent(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// Pin protects a transaction that changes tables from other users of the
// database: unqualified names are PostgreSQL's own, and it does not wait long
// for a lock.
func Pin(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `SET LOCAL search_path = pg_catalog, pg_temp; SET LOCAL lock_timeout = '10s'`, pgx.QueryExecModeSimpleProtocol)
	return err
}

// apply runs the missing steps while it holds a lock on the version row.
func apply(ctx context.Context, pool *pgxpool.Pool, schema string, c Component) error {
	if err := prepare(ctx, pool, schema, c.Name); err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if err := Pin(ctx, tx); err != nil {
			return err
		}
		var have int
		err := tx.QueryRow(ctx, in(schema, `SELECT version FROM {schema}.version WHERE component = $1 FOR UPDATE`),
			pgx.QueryExecModeExec, c.Name).Scan(&have)
		if err != nil {
			return err
		}
		if have > len(c.Steps) {
			return &VersionError{schema, c.Name, have, len(c.Steps)}
		}
		for i, step := range c.Steps[have:] {
			// Several statements in one call need the simple protocol.
			if _, err := tx.Exec(ctx, in(schema, step), pgx.QueryExecModeSimpleProtocol); err != nil {
				return fmt.Errorf("schema %q: step %d of %s: %w", schema, have+i+1, c.Name, err)
			}
		}
		_, err = tx.Exec(ctx, in(schema, `UPDATE {schema}.version SET version = $2 WHERE component = $1`),
			pgx.QueryExecModeExec, c.Name, int64(len(c.Steps)))
		return err
	})
}

// prepare creates the version table and row if missing. Each statement is a
// separate transaction and may race with another client doing the same.
func prepare(ctx context.Context, pool *pgxpool.Pool, schema, component string) error {
	there, trusted := true, false
	err := pool.QueryRow(ctx, `SELECT pg_catalog.pg_has_role(n.nspowner, 'USAGE') OR r.rolsuper OR r.oid = d.datdba OR r.rolname = 'pg_database_owner'
		FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_roles r ON r.oid = n.nspowner
		JOIN pg_catalog.pg_database d ON d.datname = pg_catalog.current_database() WHERE n.nspname = $1::pg_catalog.name`,
		pgx.QueryExecModeExec, schema).Scan(&trusted)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		there = false
	case err != nil:
		return err
	case !trusted:
		return fmt.Errorf("schema %q: %w", schema, ErrForeign)
	}
	if !there { // CREATE SCHEMA IF NOT EXISTS needs the right to create it even if it exists
		if _, err := pool.Exec(ctx, in(schema, `CREATE SCHEMA IF NOT EXISTS {schema}`), pgx.QueryExecModeExec); err != nil {
			return err
		}
	}
	_, err = pool.Exec(ctx, in(schema, `CREATE TABLE IF NOT EXISTS {schema}.version (
		component pg_catalog.text COLLATE pg_catalog."C" PRIMARY KEY, version integer NOT NULL)`), pgx.QueryExecModeExec)
	if err != nil {
		return err
	}
	_, err = pool.Exec(ctx, in(schema, `INSERT INTO {schema}.version VALUES ($1, 0) ON CONFLICT DO NOTHING`),
		pgx.QueryExecModeExec, component)
	return err
}

func in(schema, sql string) string {
	return strings.ReplaceAll(sql, "{schema}", pgx.Identifier{schema}.Sanitize())
}

// SQLSTATE codes.
const (
	undefinedTable  = "42P01"
	undefinedSchema = "3F000"
)

// concurrent reports whether a change failed because another client made the
// same change at that moment. PostgreSQL's IF NOT EXISTS checks first and acts
// later.
func concurrent(err error) bool {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.Code {
	case "23505", "42P06", "42P07", "42710", "40001", "40P01":
		return true
	}
	return false
}
