package pgtest

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Trap is part of the error of each statement that used an object of
// PlantTraps.
const Trap = "the trap was sprung"

// PlantTraps fills a schema, as the user of a connection string, with
// look-alikes of PostgreSQL's own objects: operators and functions for many
// combinations of types, and types, casts and tables. A statement of any other
// user that uses one fails with Trap.
func PlantTraps(tb testing.TB, dsn, schema string) {
	tb.Helper()
	Exec(tb, dsn, strings.ReplaceAll(traps, "SCHEMA", pgx.Identifier{schema}.Sanitize()))
	var sql strings.Builder
	for _, name := range []string{"pg_roles", "pg_authid", "pg_auth_members", "pg_namespace", "pg_class", "log", "chunk", "learnt", "grants", "version"} {
		fmt.Fprintf(&sql, "CREATE VIEW SCHEMA.%s AS SELECT SCHEMA.caught('%[1]s') AS rolname; GRANT SELECT ON SCHEMA.%[1]s TO PUBLIC;", name)
	}
	for _, name := range []string{"bytea", "text", "name", "int8", "bool", "regclass", "timestamptz", "interval", "oid"} {
		fmt.Fprintf(&sql, `CREATE DOMAIN SCHEMA.%s AS pg_catalog.int4 CHECK (SCHEMA.caught('%[1]s') IS NULL);`, name)
	}
	sql.WriteString(`CREATE TYPE SCHEMA.sly AS (x int);
		CREATE FUNCTION SCHEMA.sly(pg_catalog.text) RETURNS SCHEMA.sly LANGUAGE plpgsql AS $$ BEGIN PERFORM SCHEMA.caught('cast'); END $$;
		CREATE FUNCTION SCHEMA.unsly(SCHEMA.sly) RETURNS pg_catalog.bytea LANGUAGE plpgsql AS $$ BEGIN PERFORM SCHEMA.caught('cast'); END $$;
		CREATE CAST (pg_catalog.text AS SCHEMA.sly) WITH FUNCTION SCHEMA.sly(pg_catalog.text) AS IMPLICIT;
		CREATE CAST (SCHEMA.sly AS pg_catalog.bytea) WITH FUNCTION SCHEMA.unsly(SCHEMA.sly) AS IMPLICIT;`)
	Exec(tb, dsn, strings.ReplaceAll(sql.String(), "SCHEMA", pgx.Identifier{schema}.Sanitize()))
}

const traps = `
SET search_path = pg_catalog;
CREATE FUNCTION SCHEMA.caught(what text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
	RAISE EXCEPTION '` + Trap + `: %, by %', what, session_user;
END $$;
DO $make$ DECLARE
	types text[] := '{bytea,smallint,integer,bigint,name,text,varchar,boolean,timestamptz,interval,oid,"double precision",numeric,"\"char\""}';
	few text[] := '{bytea,integer,bigint,text,name}';
	f text; a text; b text; c text; o text;
	make text := 'CREATE FUNCTION SCHEMA.%I(%s) RETURNS %s LANGUAGE plpgsql AS $f$ BEGIN PERFORM SCHEMA.caught(%L); RETURN NULL; END $f$';
BEGIN
	FOREACH a IN ARRAY types LOOP
		FOREACH b IN ARRAY types LOOP
			EXECUTE format(make, 'judge', a || ',' || b, 'boolean', 'an operator of ' || a || ' and ' || b);
			EXECUTE format(make, 'make', a || ',' || b, a, 'an operator of ' || a || ' and ' || b);
			FOREACH o IN ARRAY '{=,<>,<,<=,>,>=}'::text[] LOOP
				EXECUTE format('CREATE OPERATOR SCHEMA.%s (FUNCTION = SCHEMA.judge, LEFTARG = %s, RIGHTARG = %s)', o, a, b);
			END LOOP;
			FOREACH o IN ARRAY '{||,+,-,*}'::text[] LOOP
				EXECUTE format('CREATE OPERATOR SCHEMA.%s (FUNCTION = SCHEMA.make, LEFTARG = %s, RIGHTARG = %s)', o, a, b);
			END LOOP;
		END LOOP;
	END LOOP;
	FOREACH f IN ARRAY '{substr,octet_length,sha256,now,count,min,max,sum,string_agg,array_agg,unnest,encode,convert_to,split_part,current_setting,generate_series,make_interval}'::text[] LOOP
		FOREACH a IN ARRAY types LOOP
			EXECUTE format(make, f, a, a, f || ' of ' || a);
		END LOOP;
		FOREACH a IN ARRAY few LOOP
			FOREACH b IN ARRAY few LOOP
				EXECUTE format(make, f, a || ',' || b, a, f || ' of ' || a || ' and ' || b);
				FOREACH c IN ARRAY few LOOP
					CONTINUE WHEN f NOT IN ('substr', 'split_part', 'generate_series');
					EXECUTE format(make, f, a || ',' || b || ',' || c, a, f || ' of ' || a || ', ' || b || ' and ' || c);
				END LOOP;
			END LOOP;
		END LOOP;
	END LOOP;
END $make$;`

// Sprung returns the objects of PlantTraps in schema public that a statement
// refers to for a user with the usual search path. The statement is parsed, not
// run; one that neither queries nor changes rows refers to none. dsn must be
// that of a superuser.
func Sprung(tb testing.TB, dsn, sql string) (names []string) {
	tb.Helper()
	switch verb, _, _ := strings.Cut(strings.TrimSpace(sql), " "); strings.ToUpper(verb) {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH":
	default:
		return nil
	}
	ctx := context.Background()
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close(ctx)
	// A function with a parsed body depends on the objects that it refers to.
	var types string
	steps := []func() error{
		func() error { return run(c, "SET search_path = public") },
		func() error { return run(c, "PREPARE probe AS "+sql) },
		func() error {
			return c.QueryRow(ctx, `SELECT coalesce(pg_catalog.array_to_string(parameter_types, ','), '') FROM pg_catalog.pg_prepared_statements WHERE name OPERATOR(pg_catalog.=) 'probe'::pg_catalog.text`).Scan(&types)
		},
		func() error { return run(c, "BEGIN") },
		func() error {
			return run(c, "CREATE FUNCTION public.probe("+types+") RETURNS void BEGIN ATOMIC "+sql+"; END")
		},
		func() error { return run(c, "SET LOCAL search_path = pg_catalog") },
		func() error {
			return c.QueryRow(ctx, `SELECT array(SELECT d FROM (SELECT pg_describe_object(refclassid, refobjid, refobjsubid) AS d FROM pg_depend
				WHERE objid = (SELECT p.oid FROM pg_proc p WHERE p.proname = 'probe') AND refclassid <> 'pg_namespace'::regclass) x WHERE d LIKE '% public.%')`).Scan(&names)
		},
	}
	for _, step := range steps {
		if err := step(); err != nil {
			tb.Fatalf("%s: %v", sql, err)
		}
	}
	return names
}

func run(c *pgx.Conn, sql string) error {
	_, err := c.PgConn().Exec(context.Background(), sql).ReadAll()
	return err
}

// LogStatements are settings with which a server logs the statements that it
// receives, for Statements.
var LogStatements = []string{"logging_collector=on", "log_destination=csvlog", "log_filename=statements", "log_statement=all"}

// Statements returns the distinct statements that the given users sent to a
// server.
func (s *Server) Statements(tb testing.TB, users ...string) []string {
	tb.Helper()
	f, err := os.Open(filepath.Join(s.data(), "log", "statements.csv"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	const user, message = 1, 13 // columns of the log
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	var all []string
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			tb.Fatal(err)
		}
		_, sql, found := strings.Cut(row[message], ": ")
		if head := row[message]; found && slices.Contains(users, row[user]) && (strings.HasPrefix(head, "statement: ") || strings.HasPrefix(head, "execute ")) {
			all = append(all, sql)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
