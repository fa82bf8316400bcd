// Package pgteam keeps the sessions of several people in one PostgreSQL database, each
// of whom sees their own and what others let them read.
//
// A person is a role of the database. Who may read what is decided by the database, by
// policies on the role that logged in, not by this package: SQL of one's own sees no
// more. Superusers, and who owns the tables, can take the policies away.
//
// Stability: outside the core. Its exported names may still change.
package pgteam

import (
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

// Schema is where a team's tables are, unless Options say otherwise.
const Schema = "pith_team"

// Everybody is the grantee that stands for all who can log in.
const Everybody = "public"

// ErrNoRole says that a grantee is no role of the database.
var ErrNoRole = errors.New("there is no such person or group in the database")

//go:embed migrations/*.sql
var migrations embed.FS

// A Store is a team's store as one person sees it.
type Store struct {
	*pgstore.Store
	person string
	above  bool
}

var _ replica.Store = (*Store)(nil)

// Connect opens a team's store that Init made. The error matches pgschema.ErrOlder when
// there is none.
func Connect(ctx context.Context, dsn string, o pgstore.Options) (*Store, error) {
	o.NoMigrate = true
	return connect(ctx, dsn, o, pgschema.Check)
}

// Init makes the tables of a team, or brings them up to date, and lets members use
// them: a role, or everybody who can log in for "". Who runs it owns the tables.
func Init(ctx context.Context, dsn, members string, o pgstore.Options) (*Store, error) {
	return connect(ctx, dsn, o, func(ctx context.Context, pool *pgxpool.Pool, schema string, c pgschema.Component) error {
		if err := pgschema.Apply(ctx, pool, schema, c); err != nil {
			return err
		}
		return admit(ctx, pool, schema, members)
	})
}

// admit lets members use the tables. What numbers and owners logs have is not theirs to
// say: a number of their own choice would tell by a conflict that there is such a log.
func admit(ctx context.Context, pool *pgxpool.Pool, schema, members string) error {
	to := "PUBLIC"
	if members != "" {
		to = pgx.Identifier{members}.Sanitize()
	}
	in := pgx.Identifier{schema}.Sanitize()
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		// Two clients that grant the same at once disturb each other: one after the other.
		if _, err := tx.Exec(ctx, fmt.Sprintf("SELECT FROM %s.version WHERE component = 'team' FOR UPDATE", in), pgx.QueryExecModeExec); err != nil {
			return err
		}
		for _, sql := range []string{
			"GRANT USAGE ON SCHEMA %s TO %s",
			"GRANT SELECT ON %s.version TO %s",
			"REVOKE INSERT, UPDATE ON %s.log FROM %s",
			"GRANT SELECT, DELETE, INSERT (name, head, key, len, gen, merged, since), UPDATE (name, head, key, len, gen, merged, since) ON %s.log TO %s",
			"GRANT SELECT, INSERT, UPDATE, DELETE ON %[1]s.chunk, %[1]s.learnt, %[1]s.grants TO %[2]s",
		} {
			if _, err := tx.Exec(ctx, fmt.Sprintf(sql, in, to), pgx.QueryExecModeExec); err != nil {
				return err
			}
		}
		return nil
	})
}

func connect(ctx context.Context, dsn string, o pgstore.Options, prepare func(context.Context, *pgxpool.Pool, string, pgschema.Component) error) (*Store, error) {
	component, err := pgschema.FromFiles("team", migrations)
	if err != nil {
		return nil, err
	}
	if o.Schema == "" {
		o.Schema = Schema
	}
	s, err := pgstore.Connect(ctx, dsn, o)
	if err != nil {
		return nil, err
	}
	t := &Store{Store: s}
	err = s.Do(ctx, "look at the team's tables", func(ctx context.Context, pool *pgxpool.Pool) error {
		if err := prepare(ctx, pool, s.Schema(), component); err != nil {
			return err
		}
		return pool.QueryRow(ctx, `SELECT session_user, COALESCE((SELECT rolsuper OR rolbypassrls FROM pg_catalog.pg_roles
			WHERE rolname = session_user), false)`, pgx.QueryExecModeExec).Scan(&t.person, &t.above)
	})
	if err != nil {
		s.Close()
		return nil, err
	}
	return t, nil
}

// WithContext returns the same store for calls that end when ctx does.
func (s *Store) WithContext(ctx context.Context) *Store {
	return &Store{s.Store.WithContext(ctx), s.person, s.above}
}

// Person is the role that logged in.
func (s *Store) Person() string { return s.person }

// SeesAll reports whether no policy holds for this person.
func (s *Store) SeesAll() bool { return s.above }

// A Grant lets somebody read a session, or all of them where Session is "".
type Grant struct{ Session, Grantee string }

// Grants are those that this person gave.
func (s *Store) Grants(ctx context.Context) (all []Grant, err error) {
	err = s.do(ctx, "list grants", func(ctx context.Context, pool *pgxpool.Pool, table string) error {
		rows, err := pool.Query(ctx, `SELECT session, grantee FROM `+table+` WHERE owner = session_user ORDER BY session, grantee`, pgx.QueryExecModeExec)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Grant])
		return err
	})
	return all, err
}

// Give adds grants. The error matches ErrNoRole when a grantee is none.
func (s *Store) Give(ctx context.Context, grants ...Grant) error {
	return s.do(ctx, "grant", func(ctx context.Context, pool *pgxpool.Pool, table string) error {
		for _, g := range grants {
			done, err := pool.Exec(ctx, `INSERT INTO `+table+` (session, grantee) SELECT $1, $2::name
				WHERE $2 = 'public' OR EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = $2::name)
				ON CONFLICT (owner, session, grantee) DO UPDATE SET session = excluded.session`, pgx.QueryExecModeExec, g.Session, g.Grantee)
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

// Take takes grants back.
func (s *Store) Take(ctx context.Context, grants ...Grant) error {
	return s.do(ctx, "take a grant back", func(ctx context.Context, pool *pgxpool.Pool, table string) error {
		for _, g := range grants {
			_, err := pool.Exec(ctx, `DELETE FROM `+table+` WHERE owner = session_user AND session = $1 AND grantee = $2::name`,
				pgx.QueryExecModeExec, g.Session, g.Grantee)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) do(ctx context.Context, op string, f func(ctx context.Context, pool *pgxpool.Pool, table string) error) error {
	return s.Do(ctx, op, func(ctx context.Context, pool *pgxpool.Pool) error {
		return f(ctx, pool, pgx.Identifier{s.Schema(), "grants"}.Sanitize())
	})
}
