package team_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pith-sessions/pith/tests/pgtest"
)

// A hostileServer is one on which every member may create objects, as PostgreSQL 13 and
// 14 let everybody do in schema public.
type hostileServer struct {
	*pgtest.Server
	owner, ana, bob, eve string // connection strings
}

func newHostileServer(t *testing.T, pooled bool) *hostileServer {
	t.Helper()
	s := &hostileServer{Server: pgtest.Start(t, append(pgtest.LogStatements, "fsync=off", "max_locks_per_transaction=1000")...)}
	for _, sql := range []string{"CREATE ROLE ana LOGIN", "CREATE ROLE bob LOGIN", "CREATE ROLE eve LOGIN",
		"GRANT CREATE ON SCHEMA public TO PUBLIC", "GRANT CREATE ON DATABASE " + pgtest.User + " TO PUBLIC"} {
		pgtest.Exec(t, s.Superuser(), sql)
	}
	s.owner = s.DSN()
	if pooled {
		s.owner = s.Pooler(t, "ana", "bob", "eve")
	}
	s.ana, s.bob, s.eve = s.AsUser(s.owner, "ana"), s.AsUser(s.owner, "bob"), s.AsUser(s.owner, "eve")
	return s
}

// plant puts look-alikes wherever the unqualified names of others are looked up: in
// public, and in a schema that is called like its user.
func (s *hostileServer) plant(t *testing.T) {
	t.Helper()
	eve := s.AsUser(s.DSN(), "eve")
	for _, schema := range []string{"public", "ana"} {
		if schema != "public" {
			pgtest.Exec(t, eve, "CREATE SCHEMA "+schema+"; GRANT USAGE ON SCHEMA "+schema+" TO PUBLIC")
		}
		pgtest.PlantTraps(t, eve, schema)
	}
}

// S1: whatever a member creates in schemas that everybody may use, and whenever, no
// statement of anybody else uses it.
func TestPlantedObjects(t *testing.T) {
	for _, tt := range []struct {
		name           string
		before, pooled bool
	}{{"before init", true, false}, {"after init", false, false}, {"behind pgbouncer", true, true}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel() // each has a server of its own
			s := newHostileServer(t, tt.pooled)
			if tt.before {
				s.plant(t)
			}
			newDesk(t, s.owner, "admin").do("team", "init")
			if !tt.before {
				s.plant(t)
			}
			everyCommand(t, s)
			sent := s.Statements(t, pgtest.User, "ana", "bob")
			for _, sql := range sent {
				if names := pgtest.Sprung(t, s.Superuser(), sql); len(names) > 0 {
					t.Errorf("%s\nuses %q", sql, names)
				}
			}
			if len(sent) < 20 {
				t.Errorf("only %d statements were looked at: %q", len(sent), sent)
			}
		})
	}
}

// everyCommand runs all that talks to the store.
func everyCommand(t *testing.T, s *hostileServer) {
	t.Helper()
	laptop, desktop, other := newDesk(t, s.ana, "laptop"), newDesk(t, s.ana, "desktop"), newDesk(t, s.bob, "tower")
	laptop.samples()
	laptop.begin(oneID, "/w", strings.Repeat("a long line ", 1<<17))
	laptop.do("team", "push", "--all")
	laptop.local("append", oneID, "one more")
	laptop.do("team", "push", oneID)
	laptop.local("append", oneID, strings.Repeat("much more ", 1<<20))
	laptop.do("team", "push", oneID, "--redact", "all")
	laptop.do("team", "grant", "--all", "--to", "bob")
	laptop.do("team", "grant", oneID, "--to", "everybody")
	desktop.do("team", "sync")
	other.do("team", "ls", "--json")
	other.do("team", "search", "linker", "--json")
	other.do("team", "usage", "--json")
	other.do("team", "pull", "ana/"+oneID)
	other.do("team", "show", "ana/"+oneID)
	laptop.do("team", "status", "--json")
	laptop.do("team", "purge", "--old", "--yes")
	laptop.do("team", "purge", oneID, "--yes")
	laptop.do("team", "purge", oneID, "--undelete")
	laptop.do("team", "grant", "--all", "--to", "bob", "--revoke")
	newDesk(t, s.owner, "admin").do("team", "init")
}

// S1, as found: a member's SQL operator that hands over the tables when another
// user runs it.
func TestTakeover(t *testing.T) {
	s := newHostileServer(t, false)
	pgtest.Exec(t, s.eve, `CREATE FUNCTION public.take(a name, b name) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
			IF session_user <> 'eve' THEN
				BEGIN
					EXECUTE 'CREATE POLICY eve ON pith_team.log FOR SELECT TO eve USING (true)';
					EXECUTE 'CREATE POLICY eve ON pith_team.chunk FOR SELECT TO eve USING (true)';
				EXCEPTION WHEN OTHERS THEN NULL;
				END;
			END IF;
			RETURN a::text OPERATOR(pg_catalog.||) b::text;
		END $$;
		CREATE OPERATOR public.|| (FUNCTION = public.take, LEFTARG = name, RIGHTARG = name)`)
	newDesk(t, s.owner, "admin").do("team", "init")
	for _, dsn := range []string{s.owner, s.ana} {
		d := newDesk(t, dsn, "laptop")
		d.begin(oneID, "/w", "the turnip is in the cellar")
		d.do("team", "push", "--all")
	}
	if n := readable(t, s.eve); n > 0 {
		t.Errorf("eve reads %d logs of others", n)
	}
}

// S1: temporary objects of a member come before those of PostgreSQL for a function that
// the member calls, unless its search path says otherwise.
func TestTemporaryObjects(t *testing.T) {
	s := newHostileServer(t, false)
	newDesk(t, s.owner, "admin").do("team", "init")
	laptop := newDesk(t, s.ana, "laptop")
	laptop.begin(oneID, "/w", "the turnip is in the cellar")
	laptop.do("team", "push", "--all")
	laptop.do("team", "grant", "--all", "--to", "bob")
	pretend := `CREATE TEMP VIEW pg_roles AS SELECT oid, CASE rolname WHEN 'bob' THEN 'eve' WHEN 'eve' THEN 'bob' ELSE rolname END AS rolname FROM pg_catalog.pg_roles
			UNION ALL SELECT (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = 'bob'), 'bob';
		CREATE TEMP VIEW pg_auth_members AS SELECT (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = 'bob') AS roleid, oid AS member FROM pg_catalog.pg_roles;
		GRANT SELECT ON pg_temp.pg_roles, pg_temp.pg_auth_members TO PUBLIC`
	if n := readable(t, s.eve, pretend); n > 0 {
		t.Errorf("eve reads %d logs that are for bob", n)
	}
	if n := readable(t, s.bob, pretend); n == 0 {
		t.Error("bob reads nothing: this test tests nothing")
	}
}

// readable is how many logs of others a member reads with SQL, by any way.
func readable(t *testing.T, dsn string, first ...string) (most int) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.WithoutCancel(t.Context()))
	for _, sql := range first {
		if _, err := c.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, sql := range []string{`SELECT count(*) FROM pith_team.log l JOIN pith_team.person p ON p.id = l.person WHERE p.name <> session_user`, `SELECT count(*) FROM pith_team.copies('', '') WHERE person <> session_user`} {
		var n int
		if err := c.QueryRow(t.Context(), sql).Scan(&n); err == nil { // otherwise there is no right to it
			most = max(most, n)
		}
	}
	return most
}
