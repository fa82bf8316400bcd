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

// A Store is a team's store as one person sees it. It implements
// [replica.Store].
type Store struct {
	db     *pgstore.DB
	schema string
	person string
}

// Connect opens a team's store that Init created. The error matches
// pgschema.ErrOlder if none exists.
func Connect(ctx context.Context, dsn string, o pgstore.Options) (*Store, error) {
	return connect(ctx, dsn, o, pgschema.Check)
}

// Init creates or updates the tables of a team, and gives members access to
// them: a role, or everyone who can log in for "". The role that runs it owns
// the tables.
func Init(ctx context.Context, dsn, members string, o pgstore.Options) (*Store, error) {
	return connect(ctx, dsn, o, func(ctx context.Context, pool *pgxpool.Pool, schema string, all ...pgschema.Component) (string, error) {
		for _, c := range all {
			if err := pgschema.Apply(ctx, pool, schema, c); err != nil {
				return "", err
			}
		}
		if err := admit(ctx, pool, schema, members); err != nil {
			return "", err
		}
		return pgschema.Check(ctx, pool, schema, all...)
	})
}

// connect opens a store. prepare returns the role that logged in.
func connect(ctx context.Context, dsn string, o pgstore.Options, prepare func(context.Context, *pgxpool.Pool, string, ...pgschema.Component) (string, error)) (*Store, error) {
	component, err := pgschema.FromFiles("team", migrations)
	if err != nil {
		return nil, err
	}
	o.Schema = cmp.Or(o.Schema, Schema)
	db, err := pgstore.Dial(ctx, dsn, o)
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, schema: o.Schema}
	err = db.Do(ctx, "check the team tables", func(ctx context.Context, pool *pgxpool.Pool) (err error) {
		s.person, err = prepare(ctx, pool, o.Schema, component)
		return err
	})
	if err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

// admit lets members call the functions. They get no right on the tables except
// to read their version. It also hides the counters of tables from members,
// which tell how much others have; only a superuser can do that, and for others
// it changes nothing.
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
			fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s", in, to),
			fmt.Sprintf("GRANT SELECT ON %s.version TO %s", in, to),
			fmt.Sprintf("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA %s TO %s", in, to),
			hideCounters,
		} {
			if _, err := tx.Exec(ctx, sql, pgx.QueryExecModeExec); err != nil {
				return err
			}
		}
		return nil
	})
}

// hideCounters takes the counters of tables, indexes and functions from all
// roles but superusers and those that monitor the server.
const hideCounters = `DO $$ DECLARE o record; BEGIN
	IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
		RETURN;
	END IF;
	FOR o IN SELECT format('TABLE %I.%I', n.nspname, c.relname) AS it FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE n.nspname = 'pg_catalog' AND c.relkind = 'v' AND c.relname ~ '^pg_stat(io)?_(xact_)?(all|user|sys)_'
		UNION ALL SELECT 'FUNCTION ' || p.oid::regprocedure FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
			WHERE n.nspname = 'pg_catalog' AND p.pronargs = 1 AND p.proname ~ '^pg_stat_get_(xact_)?(numscans|tuples|live_tuples|dead_tuples|mod_since|ins_since|blocks|function|lastscan)' LOOP
		EXECUTE 'REVOKE ALL ON ' || o.it || ' FROM PUBLIC';
		EXECUTE 'GRANT ' || CASE WHEN o.it ~ '^TABLE' THEN 'SELECT' ELSE 'EXECUTE' END || ' ON ' || o.it || ' TO pg_monitor';
	END LOOP;
END $$`

// Close closes the connections.
func (s *Store) Close() { s.db.Close() }

// Person returns the role that logged in.
func (s *Store) Person() string { return s.person }

// SeesAll reports whether this person bypasses all policies.
func (s *Store) SeesAll(ctx context.Context) (all bool, err error) {
	err = s.db.Do(ctx, "read the role", func(ctx context.Context, pool *pgxpool.Pool) error {
		return pool.QueryRow(ctx, `SELECT COALESCE((SELECT r.rolsuper OR r.rolbypassrls FROM pg_catalog.pg_roles r
			WHERE r.rolname = session_user), false)`, pgx.QueryExecModeExec).Scan(&all)
	})
	return all, err
}

// A Grant lets a grantee read a session, or all of them if Session is "".
type Grant struct{ Session, Grantee string }

// Grants returns the grants that this person gave.
func (s *Store) Grants(ctx context.Context) ([]Grant, error) {
	return rows(ctx, s, "list grants", pgx.RowToStructByPos[Grant], "SELECT session, grantee FROM {given}()")
}

// Give adds grants. The error matches ErrNoRole if a grantee is not a role. A
// role that is dropped and made again loses what was granted to it.
func (s *Store) Give(ctx context.Context, grants ...Grant) error {
	for _, g := range grants {
		given, err := one[bool](ctx, s, "grant", "SELECT {give}($1, $2)", g.Session, g.Grantee)
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
		if _, err := one[bool](ctx, s, "revoke a grant", "SELECT {take}($1, $2)", g.Session, g.Grantee); err != nil {
			return err
		}
	}
	return nil
}

// Purge deletes all copies of a session of this person, which no machine pushes
// again until Restore. An empty session means the old generations of all.
func (s *Store) Purge(ctx context.Context, session string) (copies, bytes int64, err error) {
	type deleted struct{ Copies, Bytes int64 }
	all, err := rows(ctx, s, "purge", pgx.RowToStructByPos[deleted], "SELECT copies, bytes FROM {purge}($1)", session)
	if err != nil {
		return 0, 0, err
	}
	return all[0].Copies, all[0].Bytes, nil
}

// Restore allows a purged session to be pushed again. It returns false if it
// was not purged.
func (s *Store) Restore(ctx context.Context, session string) (bool, error) {
	return one[bool](ctx, s, "restore", "SELECT {restore}($1)", session)
}
