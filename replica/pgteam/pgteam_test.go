package pgteam_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/store/pgstore/pgschema"
	"github.com/pith-sessions/pith/tests/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

const session = "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"

const text = `{"type":"session","version":3,"id":"` + session + `","timestamp":"2026-03-04T05:06:07.000Z","cwd":"/p"}` + "\n" +
	`{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-03-04T05:06:08.000Z","message":{"role":"user","content":"private words"}}` + "\n"

// A person of a test, with a connection for SQL of their own.
type person struct {
	t     *testing.T
	store *pgteam.Store
	team  *replica.Team
	sql   *pgx.Conn
	role  string
}

func join(t *testing.T, schema, name string) *person {
	t.Helper()
	role, dsn := pgtest.Person(t, name)
	s, err := pgteam.Connect(t.Context(), dsn, pgstore.Options{Schema: schema})
	if err != nil {
		t.Fatalf("Connect as %s = %v", name, err)
	}
	t.Cleanup(s.Close)
	if above, err := s.SeesAll(t.Context()); s.Person() != role || above || err != nil {
		t.Fatalf("%s is %s, above policies: %v, %v", role, s.Person(), above, err)
	}
	team, err := replica.New(s, replica.Options{Person: role, Machine: "laptop"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := pgx.Connect(t.Context(), dsn+" search_path="+schema)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.WithoutCancel(t.Context())) })
	return &person{t, s, team, c, role}
}

func (p *person) push(content string) {
	p.t.Helper()
	path := filepath.Join(p.t.TempDir(), session+".jsonl")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.team.Push(p.t.Context(), path, replica.PushOptions{}); err != nil {
		p.t.Fatalf("Push as %s = %v", p.role, err)
	}
}

// sees are the people whose copy of the session this one sees.
func (p *person) sees() string {
	p.t.Helper()
	l, err := p.team.List(p.t.Context(), "")
	if err != nil {
		p.t.Fatal(err)
	}
	var all []string
	for _, r := range l.Replicas {
		name, _, _ := strings.Cut(r.Person, "_")
		all = append(all, name)
	}
	return strings.Join(all, " ")
}

func (p *person) count(sql string, args ...any) (n int) {
	p.t.Helper()
	if err := p.sql.QueryRow(p.t.Context(), sql, args...).Scan(&n); err != nil {
		p.t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// T6, T9: plain roles, the same session id from two people, and every way to see or
// change what is another's.
func TestWhoSeesWhat(t *testing.T) {
	t.Run("a plain owner", func(t *testing.T) { testWhoSeesWhat(t, pgtest.DSN(t)) })
	t.Run("a superuser", func(t *testing.T) { testWhoSeesWhat(t, pgtest.Superuser(t)) }) // whom no policy holds
}

func testWhoSeesWhat(t *testing.T, owner string) {
	schema := pgtest.Schema(t)
	admin, err := pgteam.Init(t.Context(), owner, "", pgstore.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		admin.Close()
		pgtest.Exec(t, owner, "DROP SCHEMA "+schema+" CASCADE")
	})
	ana, bob, eve := join(t, schema, "ana"), join(t, schema, "bob"), join(t, schema, "eve")
	crew, _ := pgtest.Person(t, "crew")
	pgtest.Exec(t, pgtest.Superuser(t), "GRANT "+crew+" TO "+bob.role)
	ana.push(text)
	ana.pile()
	bob.push(strings.ReplaceAll(text, "private", "other"))
	for _, tt := range []struct {
		name          string
		grants        []pgteam.Grant
		bob, eve, own string
	}{
		{"owner alone", nil, "bob", "", "ana"},
		{"one person", []pgteam.Grant{{Session: session, Grantee: bob.role}}, "ana bob", "", "ana"},
		{"a group", []pgteam.Grant{{Session: session, Grantee: crew}}, "ana bob", "", "ana"},
		{"another session", []pgteam.Grant{{Session: "something", Grantee: bob.role}}, "bob", "", "ana"},
		{"all to one", []pgteam.Grant{{Grantee: eve.role}}, "bob", "ana", "ana"},
		{"everybody", []pgteam.Grant{{Session: session, Grantee: pgteam.Everybody}}, "ana bob", "ana", "ana"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := ana.store.Give(t.Context(), tt.grants...); err != nil {
				t.Fatal(err)
			}
			if got, err := ana.store.Grants(t.Context()); err != nil || len(got) != len(tt.grants) {
				t.Errorf("Grants = %v, %v", got, err)
			}
			if b, e, a := bob.sees(), eve.sees(), ana.sees(); b != tt.bob || e != tt.eve || a != tt.own {
				t.Errorf("bob sees %q, eve %q, ana %q; want %q, %q, %q", b, e, a, tt.bob, tt.eve, tt.own)
			}
			owner, err := replica.New(admin, replica.Options{Person: admin.Person(), Machine: "server"})
			if err != nil {
				t.Fatal(err)
			}
			if l, err := owner.List(t.Context(), ""); err != nil || tt.name != "everybody" && len(l.Replicas) > 0 {
				t.Errorf("who owns the tables sees %v, %v", l, err)
			}
			probe(t, eve, ana, tt.eve != "")
			probe(t, bob, ana, strings.Contains(tt.bob, "ana"))
			probe(t, eve, bob, false) // whose session has the same id
			if err := ana.store.Take(t.Context(), tt.grants...); err != nil {
				t.Fatal(err)
			}
			if b := bob.sees(); b != "bob" {
				t.Errorf("after taking it back bob sees %q", b)
			}
		})
	}
	if err := ana.store.Give(t.Context(), pgteam.Grant{Grantee: "nobody_at_all"}); !errors.Is(err, pgteam.ErrNoRole) {
		t.Errorf("Give to nobody = %v; want ErrNoRole", err)
	}
}

// probe tries with SQL what a stranger could; may says that reading is granted.
func probe(t *testing.T, eve, ana *person, may bool) {
	t.Helper()
	name := "/" + ana.role + "/laptop/" + session + "/1"
	probeTables(t, eve)
	var id, gen int64
	before := ana.holdings()
	if err := ana.sql.QueryRow(t.Context(), `SELECT id, gen FROM find($1)`, []byte(name)).Scan(&id, &gen); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		sql  string
		args []any
	}{
		{`SELECT count(*) FROM find($1)`, []any{[]byte(name)}},
		{`SELECT count(*) FROM list($1, NULL, 100) WHERE substr(name, 1, $2) = $1`, []any{[]byte("/" + ana.role + "/"), len(ana.role) + 2}},
		{`SELECT count(*) FROM list('/', NULL, 100) WHERE substr(name, 1, $2) = $1`, []any{[]byte("/" + ana.role + "/"), len(ana.role) + 2}},
		{`SELECT count(*) FROM read($1, 0, 1000)`, []any{id}},
		{`SELECT count(*) FROM size($1, $2)`, []any{id, gen}},
	} {
		if n := eve.count(tt.sql, tt.args...); (n > 0) != may {
			t.Errorf("%s: %s = %d; granted: %v", eve.role, tt.sql, n, may)
		}
	}
	for id, name := range ana.logs() {
		probeWriting(t, eve, id, name)
	}
	for _, name := range []string{name, "/" + ana.role + "/laptop/nothing/1"} {
		eve.cannot(`SELECT FROM stage($1)`, []byte(name))
	}
	eve.cannot(`SELECT FROM given()`)
	eve.cannot(`SELECT FROM take($1, $2)`, session, eve.role)
	if after := ana.holdings(); after != before {
		t.Errorf("%s changed what %s has from %s to %s", eve.role, ana.role, before, after)
	}
	l, err := eve.store.Open(t.Context(), name)
	if !may {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Open = %v; want that there is nothing", err)
		}
		return
	}
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	defer l.Close()
	if _, err := l.Append(t.Context(), int64(len(text)), []byte("x")); err == nil || !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Append to another's = %v; want ErrReadOnly", err)
	}
}

// probeWriting tries to change a log of another, and what only its owner needs to know.
func probeWriting(t *testing.T, eve *person, id int64, name string) {
	t.Helper()
	for gen := range int64(2) {
		for _, size := range []int64{0, 4, 8, int64(len(text))} {
			eve.cannot(`SELECT FROM add($1, $2, $3, 'x')`, id, gen, size)
			eve.cannot(`SELECT FROM retire($1, $2, $3, NULL)`, id, gen, size)
			eve.cannot(`SELECT FROM retire($1, $2, $3, $4)`, id, gen, size, []byte("/"+eve.role+"/x"))
			eve.cannot(`SELECT FROM publish($1, $2, $3)`, id, []byte(name), size)
			eve.cannot(`SELECT FROM merge($1, $2, $3)`, id, 4, size)
			eve.cannot(`SELECT FROM move_merged($1, $2)`, id, size)
		}
	}
	for _, sql := range []string{`SELECT FROM touch($1)`, `SELECT FROM fill($1, '{4}', '{x}')`, `SELECT FROM state($1)`, `SELECT FROM drop($1)`, `SELECT FROM smalls($1)`,
		`SELECT FROM waiting(0) id WHERE id = $1`, `SELECT FROM nameless(-1000) id WHERE id = $1`} {
		eve.cannot(sql, id)
	}
	for _, sql := range []string{`SELECT FROM take_over($1, 0)`, `SELECT FROM remove($1)`, `SELECT FROM erase($1) n WHERE n > 0`} {
		eve.cannot(sql, []byte(name))
	}
}

// cannot checks that SQL of this person gives and changes nothing, and says nothing.
func (p *person) cannot(sql string, args ...any) {
	p.t.Helper()
	done, err := p.sql.Exec(p.t.Context(), sql, args...)
	var refused *pgconn.PgError
	if err == nil && done.RowsAffected() > 0 || err != nil && (!errors.As(err, &refused) || strings.Contains(refused.Message+refused.Detail, session)) {
		p.t.Errorf("%s: %s %v = %v, %v; want nothing", p.role, sql, args, done, err)
	}
}

// pile makes logs of all states: without bytes, grown, and not published.
func (p *person) pile() {
	p.t.Helper()
	ctx, name := p.t.Context(), "/"+p.role+"/laptop/"+session+"/more/"
	if _, err := p.store.Create(ctx, name+"empty", store.Bytes(nil)); err != nil {
		p.t.Fatal(err)
	}
	l, err := p.store.Create(ctx, name+"grown", store.Bytes([]byte("0123")))
	if err == nil {
		_, err = l.Append(ctx, 4, []byte("4567"))
	}
	if err == nil {
		_, err = p.sql.Exec(ctx, `SELECT FROM fill((SELECT id FROM stage($1)), '{0}', '{0123}')`, []byte(name+"draft"))
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// logs are all that this person has, and drafts.
func (p *person) logs() map[int64]string {
	p.t.Helper()
	c := p.above()
	defer c.Close(context.WithoutCancel(p.t.Context()))
	rows, err := c.Query(p.t.Context(), `SELECT id, convert_from(name, 'UTF8') FROM log WHERE owner = $1`, p.role)
	if err != nil {
		p.t.Fatal(err)
	}
	all := map[int64]string{}
	var id int64
	var name string
	if _, err := pgx.ForEachRow(rows, []any{&id, &name}, func() error { all[id] = name; return nil }); err != nil {
		p.t.Fatal(err)
	}
	return all
}

// above is a connection that sees all rows.
func (p *person) above() *pgx.Conn {
	p.t.Helper()
	c, err := pgx.Connect(p.t.Context(), pgtest.Superuser(p.t)+" search_path="+p.store.Schema())
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

// probeTables tries to use the tables without the functions, and to lock them: a member
// has no right to any of them but to read their version.
func probeTables(t *testing.T, eve *person) {
	t.Helper()
	sql := []string{`UPDATE version SET version = 1`, `DELETE FROM version`, `LOCK TABLE version IN ROW EXCLUSIVE MODE`, `SELECT FROM version FOR UPDATE`,
		`CREATE FUNCTION x() RETURNS int LANGUAGE sql AS 'SELECT 1'`, `CREATE TABLE x ()`, `SELECT setval('log_id_seq', 1)`}
	for _, table := range []string{"log", "chunk", "grants"} {
		for _, try := range []string{"SELECT FROM %s", "SELECT count(*) FROM %s", "EXPLAIN SELECT FROM %s", "INSERT INTO %s DEFAULT VALUES", "DELETE FROM %s", "TRUNCATE %s", "ALTER TABLE %s DISABLE ROW LEVEL SECURITY",
			"CREATE POLICY x ON %s USING (true)", "COPY %s TO STDOUT", "SELECT FROM %s FOR UPDATE", "CREATE TRIGGER x AFTER INSERT ON %s FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()"} {
			sql = append(sql, fmt.Sprintf(try, table))
		}
		for _, mode := range []string{"ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE ROW EXCLUSIVE", "EXCLUSIVE", "ACCESS EXCLUSIVE"} {
			sql = append(sql, "LOCK TABLE "+table+" IN "+mode+" MODE")
		}
	}
	for _, sql := range sql {
		tx, err := eve.sql.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, err = tx.Exec(t.Context(), sql)
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || refused.Code != "42501" {
			t.Errorf("%s: %s = %v; want no right to it", eve.role, sql, err)
		}
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// holdings is a hash of all rows that are about this person.
func (p *person) holdings() (sum string) {
	p.t.Helper()
	c := p.above()
	defer c.Close(context.WithoutCancel(p.t.Context()))
	err := c.QueryRow(p.t.Context(), `SELECT md5(coalesce((SELECT string_agg(l::text, '' ORDER BY id) FROM log l WHERE owner = $1), '')
		|| coalesce((SELECT string_agg(c::text, '' ORDER BY log, off) FROM chunk c WHERE log IN (SELECT id FROM log WHERE owner = $1)), '')
		|| coalesce((SELECT string_agg(g::text, '' ORDER BY session, grantee) FROM grants g WHERE owner = $1), ''))`, p.role).Scan(&sum)
	if err != nil {
		p.t.Fatal(err)
	}
	return sum
}

// A list of one's own logs, and of those one may read, must not take longer
// with each log of other people: their logs are not even visited.
func TestListsByIndex(t *testing.T) {
	schema := pgtest.Schema(t)
	admin, err := pgteam.Init(t.Context(), pgtest.DSN(t), "", pgstore.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	ana, bob := join(t, schema, "ana"), join(t, schema, "bob")
	ana.push(text)
	bob.push(text)
	if err := ana.store.Give(t.Context(), pgteam.Grant{Session: session, Grantee: bob.role}); err != nil {
		t.Fatal(err)
	}
	super := pgtest.Superuser(t)
	pgtest.Exec(t, super, `INSERT INTO `+schema+`.log (name, head, session, key, len, gen, owner) SELECT n, n, s, sha256(n), 1, 1, o FROM
		(SELECT 'p' || i % 100 AS o, i::text AS s, convert_to('/p' || i % 100 || '/laptop/' || i || '/1', 'UTF8') AS n FROM generate_series(1, 20000) i) x`)
	pgtest.Exec(t, super, `ANALYZE `+schema+`.log`)
	look, err := pgx.Connect(t.Context(), super)
	if err != nil {
		t.Fatal(err)
	}
	defer look.Close(context.WithoutCancel(t.Context()))
	const lists, most = 20, 20 * 1000 // rows: what was done before is counted late, too, but is much less
	count := func() (scans, rows int) {
		t.Helper()
		if err := look.QueryRow(t.Context(), `SELECT seq_scan + idx_scan, seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables
			WHERE schemaname = $1 AND relname = 'log'`, schema).Scan(&scans, &rows); err != nil {
			t.Fatal(err)
		}
		return scans, rows
	}
	scansBefore, rowsBefore := count()
	for range lists / 2 {
		if got := bob.sees(); got != "ana bob" {
			t.Fatalf("bob sees %q", got)
		}
		if _, err := bob.team.List(t.Context(), bob.role); err != nil {
			t.Fatal(err)
		}
	}
	bob.store.Close() // its counters are written at the latest when its connections end
	for scans, _ := count(); scans < scansBefore+lists; scans, _ = count() {
	}
	if _, rows := count(); rows > rowsBefore+most {
		t.Fatalf("%d lists read %d rows; want less than %d", lists, rows-rowsBefore, most)
	}
}

// A database without the tables, with newer ones, and without the right to make them.
func TestTables(t *testing.T) {
	dsn, schema := pgtest.DSN(t), pgtest.Schema(t)
	_, err := pgteam.Connect(t.Context(), dsn, pgstore.Options{Schema: schema})
	if !errors.Is(err, pgschema.ErrOlder) {
		t.Errorf("Connect without tables = %v; want ErrOlder", err)
	}
	_, plain := pgtest.Person(t, "plain")
	if _, err := pgteam.Init(t.Context(), plain, "", pgstore.Options{Schema: schema}); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Init without rights = %v; want ErrReadOnly", err)
	}
	s, err := pgteam.Init(t.Context(), dsn, "", pgstore.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	pgtest.Exec(t, dsn, "UPDATE "+schema+".version SET version = 99 WHERE component = 'team'")
	for _, open := range []func() (*pgteam.Store, error){
		func() (*pgteam.Store, error) {
			return pgteam.Connect(t.Context(), dsn, pgstore.Options{Schema: schema})
		},
		func() (*pgteam.Store, error) {
			return pgteam.Init(t.Context(), dsn, "", pgstore.Options{Schema: schema})
		},
	} {
		if _, err := open(); !errors.Is(err, pgschema.ErrNewer) {
			t.Errorf("newer tables = %v; want ErrNewer", err)
		}
	}
}

// Members can be one role alone.
func TestMembers(t *testing.T) {
	schema := pgtest.Schema(t)
	crew, _ := pgtest.Person(t, "crew")
	ana, anaDSN := pgtest.Person(t, "ana")
	_, eveDSN := pgtest.Person(t, "eve")
	pgtest.Exec(t, pgtest.Superuser(t), "GRANT "+crew+" TO "+ana)
	s, err := pgteam.Init(t.Context(), pgtest.DSN(t), crew, pgstore.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	s, err = pgteam.Connect(t.Context(), anaDSN, pgstore.Options{Schema: schema})
	if err != nil {
		t.Fatalf("Connect as a member = %v", err)
	}
	s.Close()
	if _, err := pgteam.Connect(t.Context(), eveDSN, pgstore.Options{Schema: schema}); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Connect as a stranger = %v; want ErrReadOnly", err)
	}
}
