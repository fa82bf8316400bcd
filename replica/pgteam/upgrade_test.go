package pgteam_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/store/pgstore/pgschema"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// Tables that an older pith made and filled: users get an error that they are
// old, two owners upgrade them concurrently, everything is there as before and
// continues, and the older pith gets an error that they are newer.
func TestUpgrade(t *testing.T) {
	logs, err := pgschema.FromFiles("log", os.DirFS("../../store/pgstore"))
	if err != nil {
		t.Fatal(err)
	}
	teams, err := pgschema.FromFiles("team", os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	newest := map[string]int{"log": len(logs.Steps), "team": len(teams.Steps)}
	for _, old := range []struct{ logs, teams int }{{1, 1}, {2, 2}, {3, 2}} { // versions that went together
		t.Run(fmt.Sprint(old), func(t *testing.T) {
			logs := pgschema.Component{Name: logs.Name, Steps: logs.Steps[:old.logs]}
			teams := pgschema.Component{Name: teams.Name, Steps: teams.Steps[:old.teams]}
			dsn, schema := pgtest.DSN(t), pgtest.Schema(t)
			pool, err := pgxpool.New(t.Context(), dsn)
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			for _, c := range []pgschema.Component{logs, teams} {
				if err := pgschema.Apply(t.Context(), pool, schema, c); err != nil {
					t.Fatal(err)
				}
			}
			ana, anaDSN := pgtest.Person(t, "ana")
			bob, bobDSN := pgtest.Person(t, "bob")
			_, eveDSN := pgtest.Person(t, "eve")
			fillOldTables(t, old.logs, schema, ana, bob)
			pgtest.Exec(t, dsn, fmt.Sprintf(`GRANT USAGE ON SCHEMA %[1]s TO PUBLIC; GRANT SELECT ON %[1]s.version TO PUBLIC`, schema))
			if _, err := pgteam.Connect(t.Context(), anaDSN, pgstore.Options{Schema: schema}); !errors.Is(err, pgschema.ErrOlder) {
				t.Errorf("Connect to old tables = %v; want ErrOlder", err)
			}
			initTwice(t, dsn, schema)
			for _, c := range []pgschema.Component{logs, teams} {
				if _, err := pgschema.Check(t.Context(), pool, schema, c); len(c.Steps) < newest[c.Name] && !errors.Is(err, pgschema.ErrNewer) {
					t.Errorf("version %d of %s finds %v; want ErrNewer", len(c.Steps), c.Name, err)
				}
			}
			name := "/" + ana + "/laptop/" + session + "/1"
			for dsn, want := range map[string]string{anaDSN: text, bobDSN: text, eveDSN: ""} {
				if got := readAs(t, dsn, schema, name); got != want {
					t.Errorf("%s reads %q; want %q", dsn, got, want)
				}
			}
			writeAs(t, anaDSN, schema, name)
			if got := readAs(t, bobDSN, schema, name); got != text+"more\n" {
				t.Errorf("bob reads %q", got)
			}
		})
	}
}

// initTwice is two clients that bring the tables up to date at the same moment.
func initTwice(t *testing.T, dsn, schema string) {
	t.Helper()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			s, err := pgteam.Init(t.Context(), dsn, "", pgstore.Options{Schema: schema})
			if err != nil {
				t.Errorf("Init = %v", err)
				return
			}
			s.Close()
		})
	}
	wg.Wait()
}

// fillOldTables writes a session of one person, which another may read, as a
// version of the tables held it.
func fillOldTables(t *testing.T, version int, schema, ana, bob string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), pgtest.Superuser(t)+" search_path="+schema)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.WithoutCancel(t.Context()))
	name := []byte("/" + ana + "/laptop/" + session + "/1")
	if version >= 3 { // the beginning of a name is written with it
		_, err = c.Exec(t.Context(), `ALTER TABLE log ALTER COLUMN head SET DEFAULT ''`)
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err = c.Exec(t.Context(), `WITH l AS (INSERT INTO log (name, key, len, gen, owner) VALUES ($1, sha256($1), $2, 1, $3) RETURNING id)
		INSERT INTO chunk (log, off, data) SELECT id, 0, $4 FROM l`, name, int64(len(text)), ana, []byte(text))
	if err == nil {
		_, err = c.Exec(t.Context(), `INSERT INTO grants (owner, session, grantee) VALUES ($1, $2, $3)`, ana, session, bob)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// writeAs continues a log that holds text, and makes another one next to it.
func writeAs(t *testing.T, dsn, schema, name string) {
	t.Helper()
	s, err := pgteam.Connect(t.Context(), dsn, pgstore.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l, err := s.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := l.Append(t.Context(), int64(len(text)), []byte("more\n")); err != nil {
		t.Errorf("Append = %v", err)
	}
	other, err := s.Create(t.Context(), name+"0", store.Bytes([]byte("new")))
	if err != nil {
		t.Fatalf("Create = %v", err)
	}
	other.Close()
}

// readAs is a log that is listed for a person; "" where there is none.
func readAs(t *testing.T, dsn, schema, name string) string {
	t.Helper()
	s, err := pgteam.Connect(t.Context(), dsn, pgstore.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for info, err := range s.List(t.Context(), name) {
		if err != nil {
			t.Fatal(err)
		}
		l, err := s.Open(t.Context(), info.Name)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		data := make([]byte, info.Size)
		if _, err := l.ReadAt(data, 0); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		return string(data)
	}
	return ""
}

// Anything that a member could do to the tables of an older version is undone
// by the upgrade: expressions with other people's operators, rights to tables,
// wrong lengths, and statistics.
func TestUpgradeUndoes(t *testing.T) {
	dsn, schema, super := pgtest.DSN(t), pgtest.Schema(t), pgtest.Superuser(t)
	eve, eveDSN := pgtest.Person(t, "eve")
	crew, _ := pgtest.Person(t, "crew")
	ana, anaDSN := pgtest.Person(t, "ana")
	pgtest.Exec(t, super, "GRANT "+crew+" TO "+ana+"; GRANT CREATE ON SCHEMA public TO "+eve)
	pgtest.Exec(t, eveDSN, `CREATE FUNCTION public.glue(name, name) RETURNS text LANGUAGE sql AS $$ SELECT $1::text || $2::text $$;
		CREATE OPERATOR public.|| (FUNCTION = public.glue, LEFTARG = name, RIGHTARG = name)`)
	pgtest.Exec(t, dsn, "CREATE SCHEMA "+schema+`; CREATE TABLE `+schema+`.version (component text PRIMARY KEY, version integer NOT NULL)`)
	for _, from := range []struct {
		name, dir string
		steps     int
	}{{"log", "../../store/pgstore", 3}, {"team", ".", 2}} {
		c, err := pgschema.FromFiles(from.name, os.DirFS(from.dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range c.Steps[:from.steps] { // with the search path that the user has, as older versions did
			pgtest.Exec(t, dsn, strings.ReplaceAll(step, "{schema}", schema))
		}
		pgtest.Exec(t, dsn, fmt.Sprintf("INSERT INTO %s.version VALUES ('%s', %d)", schema, from.name, from.steps))
	}
	for _, to := range []string{"PUBLIC", crew} {
		pgtest.Exec(t, dsn, fmt.Sprintf(`GRANT USAGE ON SCHEMA %[1]s TO %[2]s; GRANT SELECT ON %[1]s.version TO %[2]s;
			GRANT SELECT, DELETE, INSERT (name, head, key, len, gen, merged, since), UPDATE (name, head, key, len, gen, merged, since) ON %[1]s.log TO %[2]s;
			GRANT SELECT, INSERT, UPDATE, DELETE ON %[1]s.chunk, %[1]s.learnt, %[1]s.grants TO %[2]s`, schema, to))
	}
	for i, length := range []string{"9000000000000000000, 9000000000000000000", "-5, -5", "3, 3", "7, 7", "3, 5", "6, -1"} { // and up to where it was merged
		pgtest.Exec(t, eveDSN, fmt.Sprintf(`SET search_path = %s, public; INSERT INTO log (name, head, key, len, merged, gen)
			SELECT n, '', sha256(n), %s, 9223372036854775807 FROM convert_to('/' || session_user::text || '/m/s%d/1', 'UTF8') n;
			INSERT INTO chunk SELECT max(id), o, 'abc' FROM log, unnest('{0, 3, 9}'::int[]) o GROUP BY o`, schema, length, i))
	}
	for _, length := range []int{3000, 5000} { // longer than an index takes, and than a name may be
		pgtest.Exec(t, eveDSN, fmt.Sprintf(`SET search_path = %s, public; INSERT INTO log (name, head, key, gen)
			SELECT n, '', sha256(n), 9223372036854775807 FROM (SELECT convert_to('/' || session_user::text || '/m/s' ||
			string_agg(md5(i::text), '' ORDER BY i), 'UTF8') AS n FROM generate_series(1, %d) i) x`, schema, length/32))
	}
	pgtest.Exec(t, dsn, fmt.Sprintf(`GRANT ALL ON %[1]s.log, %[1]s.chunk TO %[2]s WITH GRANT OPTION; GRANT CREATE ON SCHEMA %[1]s TO %[2]s;
		CREATE POLICY sly ON %[1]s.log TO %[2]s USING (true); ANALYZE %[1]s.log`, schema, eve))
	initTwice(t, dsn, schema)

	c, err := pgx.Connect(t.Context(), super+" search_path="+schema)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.WithoutCancel(t.Context()))
	for what, sql := range map[string]string{
		"rights to tables":     `SELECT count(*) FROM pg_class c, aclexplode(relacl) a WHERE relnamespace = '` + schema + `'::regnamespace AND relname <> 'version' AND a.grantee <> relowner`,
		"rights to columns":    `SELECT count(*) FROM pg_attribute WHERE attrelid = 'log'::regclass AND attacl IS NOT NULL`,
		"rights to create":     `SELECT count(*) FROM pg_namespace n, aclexplode(nspacl) a WHERE nspname = '` + schema + `' AND a.grantee <> nspowner AND a.privilege_type = 'CREATE'`,
		"policies":             `SELECT count(*) FROM pg_policy WHERE polname = 'sly'`,
		"operators of others":  `SELECT count(*) FROM pg_depend WHERE refclassid = 'pg_operator'::regclass AND refobjid >= 16384`,
		"lengths":              `SELECT count(*) FROM log WHERE len NOT IN (0, 3, 6) OR merged > len OR head <> substr(name, 1, 512) OR key IS NOT NULL AND session NOT LIKE 's%' OR (key IS NULL) <> (length(name) > 4096)`,
		"statistics":           `SELECT count(*) FROM pg_statistic s JOIN pg_attribute a ON attrelid = starelid AND attnum = staattnum WHERE starelid IN ('log'::regclass, 'grants'::regclass) AND attname <> 'id'`,
		"functions not pinned": `SELECT count(*) FROM pg_proc WHERE pronamespace = '` + schema + `'::regnamespace AND (NOT prosecdef OR 'search_path=pg_catalog, pg_temp' <> ALL (coalesce(proconfig, '{}')))`,
	} {
		var n int
		if err := c.QueryRow(t.Context(), sql).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s that stayed: %d, %v", what, n, err)
		}
	}
	s, err := pgteam.Connect(t.Context(), anaDSN, pgstore.Options{Schema: schema}) // a member of a group that was let in before
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Create(t.Context(), "/"+ana+"/m/s/1", store.Bytes([]byte("abc"))); err != nil {
		t.Errorf("Create as a former member = %v", err)
	}
}

// A schema that another user made, to influence its content, is rejected.
func TestSchemaOfAnother(t *testing.T) {
	schema := pgtest.Schema(t)
	eve, eveDSN := pgtest.Person(t, "eve")
	pgtest.Exec(t, pgtest.Superuser(t), "GRANT CREATE ON DATABASE "+pgtest.User+" TO "+eve)
	pgtest.Exec(t, eveDSN, "CREATE SCHEMA "+schema+"; GRANT ALL ON SCHEMA "+schema+" TO PUBLIC")
	s, err := pgteam.Init(t.Context(), pgtest.DSN(t), "", pgstore.Options{Schema: schema})
	if !errors.Is(err, pgschema.ErrForeign) {
		t.Errorf("Init in the schema of another = %v; want ErrForeign", err)
	}
	if err == nil {
		s.Close()
	}
	pgtest.Exec(t, pgtest.Superuser(t), "DROP SCHEMA "+schema+" CASCADE")
}
