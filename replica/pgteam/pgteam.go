// Package pgteam keeps the sessions of several people in one PostgreSQL
// database. Each person sees their own sessions and those that others share
// with them.
//
// A person is a database role. The database checks permissions by the role that
// logged in, in functions that are the only access to the tables. Direct SQL
// sees no more than this package does. Superusers and the owner of the tables
// see everything.
//
// Stability: outside the core. Its exported names may still change.
package pgteam

import (
	"cmp"
	"context"
	_ "embed" // for the tables
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pith-sessions/pith/store/pgstore"
)

// Schema is the default schema of a team's tables.
const Schema = "pith_team"

// Everybody is the grantee that means all roles that can log in.
const Everybody = "public"

// ErrNoRole means that a grantee is not a role of the database.
var ErrNoRole = errors.New("no such person or group in the database")

//go:embed migrations/001_team.sql
var step1 string

var tables = pgstore.Tables{Component: "team", Steps: []string{step1}}

// admission lets members call the functions. It runs with each Init.
//
//go:embed admission.sql
var admission string

// A Store is a team's store as one person sees it. It implements
// [replica.Store].
type Store struct {
	db     *pgstore.DB
	person string
}

// Connect opens a team's store that Init created. The error matches
// pgstore.ErrOlder if none exists.
func Connect(ctx context.Context, dsn string, o pgstore.Options) (*Store, error) {
	o.Schema = cmp.Or(o.Schema, Schema)
	db, err := pgstore.Dial(ctx, dsn, o)
	if err != nil {
		return nil, err
	}
	person, err := db.CheckTables(ctx, tables)
	if err != nil {
		db.Close()
		return nil, err
	}
	return &Store{db: db, person: person}, nil
}

// Init creates or updates the tables of a team, and gives members access to
// them: a role, or everyone who can log in for "". The role that runs it owns
// the tables.
func Init(ctx context.Context, dsn, members string, o pgstore.Options) (*Store, error) {
	o.Schema = cmp.Or(o.Schema, Schema)
	db, err := pgstore.Dial(ctx, dsn, o)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	to := "PUBLIC"
	if members != "" {
		to = pgx.Identifier{members}.Sanitize()
	}
	err = db.MakeTables(ctx, tables)
	if err == nil {
		err = db.Change(ctx, "admit members", strings.ReplaceAll(admission, "{members}", to))
	}
	if err != nil {
		return nil, err
	}
	return Connect(ctx, dsn, o)
}

// Close closes the connections.
func (s *Store) Close() { s.db.Close() }

// Person returns the role that logged in.
func (s *Store) Person() string { return s.person }

// SeesAll reports whether this person bypasses all policies.
func (s *Store) SeesAll(ctx context.Context) (bool, error) {
	return one[bool](ctx, s, "read the role", `SELECT COALESCE((SELECT r.rolsuper OR r.rolbypassrls FROM pg_catalog.pg_roles r
		WHERE r.rolname = session_user), false)`)
}

// A Grant lets a grantee read a session, or all of them if Session is "".
type Grant struct{ Session, Grantee string }

// Grants returns the grants that this person gave.
func (s *Store) Grants(ctx context.Context) ([]Grant, error) {
	return rows(ctx, s, "list grants", pgx.RowToStructByPos[Grant], "SELECT session, grantee FROM {schema}.given()")
}

// Give adds grants. The error matches ErrNoRole if a grantee is not a role. A
// role that is dropped and made again loses what was granted to it.
func (s *Store) Give(ctx context.Context, grants ...Grant) error {
	for _, g := range grants {
		given, err := one[bool](ctx, s, "grant", "SELECT {schema}.give($1, $2)", g.Session, g.Grantee)
		if err == nil && !given {
			err = fmt.Errorf("%q: %w", g.Grantee, ErrNoRole)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Take revokes grants.
func (s *Store) Take(ctx context.Context, grants ...Grant) error {
	for _, g := range grants {
		if _, err := one[bool](ctx, s, "revoke a grant", "SELECT {schema}.take($1, $2)", g.Session, g.Grantee); err != nil {
			return err
		}
	}
	return nil
}

// Purge deletes all copies of a session of this person, which no machine pushes
// again until Restore. An empty session means the old generations of all.
func (s *Store) Purge(ctx context.Context, session string) (copies, bytes int64, err error) {
	type deleted struct{ Copies, Bytes int64 }
	all, err := rows(ctx, s, "purge", pgx.RowToStructByPos[deleted], "SELECT copies, bytes FROM {schema}.purge($1)", session)
	if err != nil {
		return 0, 0, err
	}
	return all[0].Copies, all[0].Bytes, nil
}

// Restore allows a purged session to be pushed again. It returns false if it
// was not purged.
func (s *Store) Restore(ctx context.Context, session string) (bool, error) {
	return one[bool](ctx, s, "restore", "SELECT {schema}.restore($1)", session)
}
