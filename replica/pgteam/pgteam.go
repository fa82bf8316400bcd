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
	"embed"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/store/pgstore/pgschema"
)

// Schema is the default schema of a team's tables.
const Schema = "pith_team"

// Everybody is the grantee that means all roles that can log in.
const Everybody = "public"

// ErrNoRole means that a grantee is not a role of the database.
var ErrNoRole = errors.New("no such person or group in the database")

//go:embed migrations/*.sql
var migrations embed.FS

// A Store is a team's store as one person sees it.
type Store struct {
	*pgstore.Store
	person   string
	factless bool // the tables are from a version that kept no facts
	prepared prepared
}

var _ replica.Store = (*Store)(nil)

// beforeFacts is the last version of the tables that kept no facts. Everything
// else works with it.
const beforeFacts = 3

// Connect opens a team's store that Init created. The error matches
// pgschema.ErrOlder if none exists.
func Connect(ctx context.Context, dsn string, o pgstore.Options) (*Store, error) {
	o.NoMigrate = true
	factless := false
	logs, err := pgstore.Component()
	if err != nil {
		return nil, err
	}
	s, err := connect(ctx, dsn, o, func(ctx context.Context, pool *pgxpool.Pool, schema string, c pgschema.Component) (string, error) {
		person, err := pgschema.Check(ctx, pool, schema, logs, c)
		if v := (*pgschema.VersionError)(nil); errors.As(err, &v) && v.Component == c.Name && v.Have == beforeFacts {
			factless = true
			err = nil
		}
		return person, err
	})
	if err != nil {
		return nil, err
	}
	s.factless = factless
	return s, nil
}

// Init creates or updates the tables of a team, and gives members access to
// them: a role, or everyone who can log in for "". The role that runs it owns
// the tables.
func Init(ctx context.Context, dsn, members string, o pgstore.Options) (*Store, error) {
	return connect(ctx, dsn, o, func(ctx context.Context, pool *pgxpool.Pool, schema string, c pgschema.Component) (string, error) {
		if err := pgschema.Apply(ctx, pool, schema, c); err != nil {
			return "", err
		}
		if err := admit(ctx, pool, schema, members); err != nil {
			return "", err
		}
		return pgschema.Check(ctx, pool, schema, c)
	})
}

// admit lets members call the functions. They get no right on the tables except
// to read their version.
func admit(ctx context.Context, pool *pgxpool.Pool, schema, members string) error {
	to := "PUBLIC"
	if members != "" {
		to = pgx.Identifier{members}.Sanitize()
	}
	in := pgx.Identifier{schema}.Sanitize()
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if err := pgschema.Pin(ctx, tx); err != nil {
			return err
		}
		// Concurrent grants conflict, so take turns.
		if _, err := tx.Exec(ctx, fmt.Sprintf("SELECT FROM %s.version WHERE component = 'team' FOR UPDATE", in), pgx.QueryExecModeExec); err != nil {
			return err
		}
		for _, sql := range []string{
			"GRANT USAGE ON SCHEMA %s TO %s",
			"GRANT SELECT ON %s.version TO %s",
			"GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA %s TO %s",
		} {
			if _, err := tx.Exec(ctx, fmt.Sprintf(sql, in, to), pgx.QueryExecModeExec); err != nil {
				return err
			}
		}
		return nil
	})
}

// connect opens a store. prepare returns the role that logged in.
func connect(ctx context.Context, dsn string, o pgstore.Options, prepare func(context.Context, *pgxpool.Pool, string, pgschema.Component) (string, error)) (*Store, error) {
	component, err := pgschema.FromFiles("team", migrations)
	if err != nil {
		return nil, err
	}
	o.Schema = cmp.Or(o.Schema, Schema)
	o.Functions = true
	s, err := pgstore.Connect(ctx, dsn, o)
	if err != nil {
		return nil, err
	}
	t := &Store{Store: s}
	err = s.Do(ctx, "check the team tables", func(ctx context.Context, pool *pgxpool.Pool) (err error) {
		t.person, err = prepare(ctx, pool, s.Schema(), component)
		return err
	})
	if err != nil {
		s.Close()
		return nil, err
	}
	return t, nil
}

// Person returns the role that logged in.
func (s *Store) Person() string { return s.person }

// SeesAll reports whether this person bypasses all policies.
func (s *Store) SeesAll(ctx context.Context) (all bool, err error) {
	err = s.Do(ctx, "read the role", func(ctx context.Context, pool *pgxpool.Pool) error {
		return pool.QueryRow(ctx, `SELECT COALESCE((SELECT r.rolsuper OR r.rolbypassrls FROM pg_catalog.pg_roles r
			WHERE r.rolname = session_user), false)`, pgx.QueryExecModeExec).Scan(&all)
	})
	return all, err
}

// A Grant lets a grantee read a session, or all of them if Session is "".
type Grant struct{ Session, Grantee string }

// Grants returns the grants that this person gave.
func (s *Store) Grants(ctx context.Context) (all []Grant, err error) {
	err = s.Do(ctx, "list grants", func(ctx context.Context, pool *pgxpool.Pool) error {
		rows, err := pool.Query(ctx, `SELECT session, grantee FROM `+s.function("given")+`()`, pgx.QueryExecModeExec)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Grant])
		return err
	})
	return all, err
}

// Give adds grants. The error matches ErrNoRole if a grantee is not a role.
func (s *Store) Give(ctx context.Context, grants ...Grant) error {
	return s.Do(ctx, "grant", func(ctx context.Context, pool *pgxpool.Pool) error {
		for _, g := range grants {
			done, err := pool.Exec(ctx, `SELECT FROM `+s.function("give")+`($1, $2)`, pgx.QueryExecModeExec, g.Session, g.Grantee)
			if err != nil {
				return err
			}
			if done.RowsAffected() == 0 {
				return fmt.Errorf("%q: %w", g.Grantee, ErrNoRole)
			}
		}
		return nil
	})
}

// Take revokes grants.
func (s *Store) Take(ctx context.Context, grants ...Grant) error {
	return s.Do(ctx, "revoke a grant", func(ctx context.Context, pool *pgxpool.Pool) error {
		for _, g := range grants {
			if _, err := pool.Exec(ctx, `SELECT FROM `+s.function("take")+`($1, $2)`, pgx.QueryExecModeExec, g.Session, g.Grantee); err != nil {
				return err
			}
		}
		return nil
	})
}

// function returns the qualified name of a function of the team's schema.
func (s *Store) function(name string) string { return pgx.Identifier{s.Schema(), name}.Sanitize() }
