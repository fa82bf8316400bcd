package pgteam_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
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

	schema, dsn string
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
	return &person{t, s, team, c, role, schema, dsn}
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
	l, err := p.store.List(p.t.Context(), "", "")
	if err != nil {
		p.t.Fatal(err)
	}
	var all []string
	for _, c := range l.Copies {
		name, _, _ := strings.Cut(c.Person, "_")
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
	ana.push(text + `{"type":"message","id":"00000002","parentId":"00000001","timestamp":"2026-03-04T05:06:09.000Z","message":{"role":"assistant","content":[],"provider":"p","model":"m","usage":{"input":10,"output":5,"totalTokens":15,"cost":{"total":0.003}}}}` + "\n")
	bob.push(strings.ReplaceAll(text, "private", "other"))
	for _, tt := range []struct {
		name     string
		grants   []pgteam.Grant
		bob, eve string
	}{
		{"owner alone", nil, "bob", ""},
		{"one person", []pgteam.Grant{{Session: session, Grantee: bob.role}}, "ana bob", ""},
		{"a group", []pgteam.Grant{{Session: session, Grantee: crew}}, "ana bob", ""},
		{"another session", []pgteam.Grant{{Session: "something", Grantee: bob.role}}, "bob", ""},
		{"all to one", []pgteam.Grant{{Grantee: eve.role}}, "bob", "ana"},
		{"everybody", []pgteam.Grant{{Session: session, Grantee: pgteam.Everybody}}, "ana bob", "ana"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := ana.store.Give(t.Context(), tt.grants...); err != nil {
				t.Fatal(err)
			}
			if got, err := ana.store.Grants(t.Context()); err != nil || len(got) != len(tt.grants) {
				t.Errorf("Grants = %v, %v", got, err)
			}
			if b, e, a := bob.sees(), eve.sees(), ana.sees(); b != tt.bob || e != tt.eve || a != "ana" {
				t.Errorf("bob sees %q, eve %q, ana %q; want %q, %q, ana", b, e, a, tt.bob, tt.eve)
			}
			if l, err := admin.List(t.Context(), "", ""); err != nil || tt.name != "everybody" && len(l.Copies) > 0 {
				t.Errorf("who owns the tables sees %v, %v", l, err)
			}
			probe(t, eve, ana, tt.eve != "")
			probe(t, bob, ana, strings.Contains(tt.bob, "ana"))
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
	probeTables(t, eve)
	l, err := ana.store.List(t.Context(), ana.role, session)
	if err != nil || len(l.Copies) != 1 {
		t.Fatalf("List = %v, %v", l, err)
	}
	id, before := l.Copies[0].Number, ana.holdings()
	for _, tt := range []struct {
		sql  string
		args []any
	}{
		{`SELECT count(*) FROM copies($1, '')`, []any{ana.role}},
		{`SELECT count(*) FROM copies('', $2) WHERE person = $1`, []any{ana.role, session}},
		{`SELECT count(*) FROM read($1, 0, 1000)`, []any{id}},
		{`SELECT count(*) FROM sessions(100, 'infinity', 1000000) WHERE person = $1`, []any{ana.role}},
		{`SELECT count(*) FROM search('{private}', '{}', 100)`, nil},
		{`SELECT count(*) FROM search('{}', '{priv}', 100)`, nil},
		{`SELECT count(*) FROM search('{private words}', '{}', 100)`, nil},
		{`SELECT count(*) FROM usage('person', NULL, NULL) WHERE key = $1`, []any{ana.role}},
		{`SELECT may_read($1)::integer`, []any{id}},
	} {
		if n := eve.count(tt.sql, tt.args...); (n > 0) != may {
			t.Errorf("%s: %s = %d; granted: %v", eve.role, tt.sql, n, may)
		}
	}
	// The same names are this one's own rows, whatever another has.
	for _, tt := range []struct {
		sql  string
		want bool
	}{
		{`SELECT append('laptop', '` + session + `', 7, 0, 'mine')`, true}, {`SELECT append('laptop', '` + session + `', 7, 400, 'mine')`, false},
		{`SELECT describe('laptop', '` + session + `', 9, 0, 0, '', '', now(), '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')`, false},
		{`SELECT restore('` + session + `')`, false}, {`SELECT take('', 'public')`, false}, {`SELECT take('` + session + `', '` + eve.role + `')`, false},
	} {
		var got bool
		if err := eve.sql.QueryRow(t.Context(), tt.sql).Scan(&got); err != nil || got != tt.want {
			t.Errorf("%s: %s = %t, %v; want %t", eve.role, tt.sql, got, err, tt.want)
		}
	}
	eve.cannot(`SELECT FROM given()`)
	pgtest.Exec(t, pgtest.Superuser(t), `DELETE FROM `+eve.schema+`.log WHERE gen = 7; UPDATE `+eve.schema+`.log SET current = true`)
	if after := ana.holdings(); after != before {
		t.Errorf("%s changed what %s has from %s to %s", eve.role, ana.role, before, after)
	}
}

// S7, S10: what a member claims, in names, offsets and words, neither reaches
// others nor fails in a way that tells of them.
func TestHostileClaims(t *testing.T) {
	schema := pgtest.Schema(t)
	s, err := pgteam.Init(t.Context(), pgtest.DSN(t), "", pgstore.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ana, eve := join(t, schema, "ana"), join(t, schema, "eve")
	ana.push(text)
	before := ana.holdings()
	for _, sql := range []string{
		`SELECT append('..', 'x', 1, 0, 'x')`, `SELECT append('a/b', 'x', 1, 0, 'x')`, `SELECT append('-x', 'x', 1, 0, 'x')`, `SELECT append('m', '', 1, 0, 'x')`, `SELECT append('m', E'x\ny', 1, 0, 'x')`,
		`SELECT append('m', 'x', 0, 0, 'x')`, `SELECT append('m', 'x', 1, 0, '')`, `SELECT append('m', 'x', 1, 0, convert_to(repeat('x', 4194305), 'UTF8'))`, `SELECT append(NULL, 'x', 1, 0, 'x')`,
	} {
		var done *bool
		if err := eve.sql.QueryRow(t.Context(), sql).Scan(&done); err == nil && done != nil && *done {
			t.Errorf("%s was done", sql)
		}
	}
	if got := eve.count(`SELECT append('m', 'x', 1, 0, 'word x')::integer`); got != 1 {
		t.Fatal("eve cannot push at all")
	}
	for _, words := range []string{"'#1'", "'a #2'", "'#1:3'"} { // as if they were another's
		eve.cannot(`SELECT describe('m', 'x', 1, 0, 6, '', '', now(), '{0}', '{6}', ARRAY[` + words + `], '{}', '{}', '{}', '{}', '{}')`)
	}
	// The same bytes as many lines would be fetched by everybody's search.
	eve.cannot(`SELECT describe('m', 'x', 1, 0, 6, '', '', now(), '{0,1}', '{5,5}', '{a,a}', '{}', '{}', '{}', '{}', '{}')`)
	for _, to := range []string{"7", "-1", "9223372036854775807"} { // more than there is
		if eve.count(`SELECT describe('m', 'x', 1, 0, `+to+`, '', '', now(), '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')::integer`) != 0 {
			t.Errorf("a copy of 6 bytes was described up to %s", to)
		}
	}
	eve.count(`SELECT describe('m', 'x', 1, 0, 6, convert_to('{"length":6000000,"file":"../../x"}', 'UTF8'), convert_to('no JSON', 'UTF8'), 'infinity', '{0}', '{6}', '{private}',
		ARRAY[decode(repeat('00', 16), 'hex'), decode(repeat('01', 16), 'hex')], '{0,0}', '{m,m}', '{9223372036854775807,9223372036854775807}', '{9223372036854775807,-5}')::integer`)
	if err := eve.store.Give(t.Context(), pgteam.Grant{Grantee: pgteam.Everybody}); err != nil {
		t.Fatal(err)
	}
	if after := ana.holdings(); after != before {
		t.Error("eve changed what ana has")
	}
	for _, by := range []string{"day", "month", "model", "person", "session"} {
		if sums, err := ana.store.Usage(t.Context(), by, time.Time{}, time.Time{}); err != nil || len(sums) != 1 || sums[0].Cost < 0 {
			t.Errorf("Usage by %s = %v, %v; want a sum, whatever eve claims", by, sums, err)
		}
	}
	// T1: a time in the future does not count as newest.
	for x, err := range ana.store.Sessions(t.Context()) {
		if err != nil || x.Used.After(time.Now().Add(time.Minute)) {
			t.Errorf("%s of %s was used %s, %v", x.ID, x.Person, x.Used, err)
		}
	}
	l, err := ana.store.List(t.Context(), eve.role, "")
	if err != nil || len(l.Copies) != 1 || l.Copies[0].Length != 0 {
		t.Errorf("List = %+v, %v; want a copy that is not described", l, err)
	}
	found, err := ana.store.Search(t.Context(), []string{"private"}, nil, 10)
	if err != nil || len(found) != 2 || string(found[0].Line) != "word x" && string(found[1].Line) != "word x" {
		t.Errorf("Search = %v, %v; want her own line, and eve's with its bytes", found, err)
	}
}

// T2: a role that is dropped and made again is another person: it has neither the
// sessions nor the grants of the former.
func TestRoleMadeAgain(t *testing.T) {
	schema := pgtest.Schema(t)
	s, err := pgteam.Init(t.Context(), pgtest.DSN(t), "", pgstore.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ana, bob := join(t, schema, "ana"), join(t, schema, "bob")
	ana.push(text)
	bob.push(text)
	if err := errors.Join(ana.store.Give(t.Context(), pgteam.Grant{Grantee: bob.role}), bob.store.Give(t.Context(), pgteam.Grant{Grantee: ana.role})); err != nil {
		t.Fatal(err)
	}
	if got := ana.sees() + ", " + bob.sees(); got != "ana bob, ana bob" {
		t.Fatalf("before: %s", got)
	}
	bob.store.Close()
	bob.sql.Close(t.Context())
	pgtest.Exec(t, pgtest.Superuser(t), "DROP OWNED BY "+bob.role+"; DROP ROLE "+bob.role+"; CREATE ROLE "+bob.role+" LOGIN")
	again, err := pgteam.Connect(t.Context(), bob.dsn, pgstore.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if l, err := again.List(t.Context(), "", ""); err != nil || len(l.Copies) != 0 {
		t.Errorf("the new bob sees %v, %v", l, err)
	}
	if got := ana.sees(); got != "ana" {
		t.Errorf("ana sees %q; want nothing of somebody who is gone", got)
	}
	if grants, err := ana.store.Grants(t.Context()); err != nil || len(grants) != 0 {
		t.Errorf("Grants = %v, %v; want none to somebody who is gone", grants, err)
	}
}

// S8: answers, errors and plans are the same for what others have and for what
// does not exist, and the counters of tables are for nobody.
func TestNothingTells(t *testing.T) {
	schema := pgtest.Schema(t)
	s, err := pgteam.Init(t.Context(), pgtest.Superuser(t), "", pgstore.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		pgtest.Exec(t, pgtest.Superuser(t), "DROP SCHEMA "+schema+" CASCADE")
	})
	ana, eve := join(t, schema, "ana"), join(t, schema, "eve")
	ana.push(text)
	l, err := ana.store.List(t.Context(), "", "")
	if err != nil || len(l.Copies) != 1 {
		t.Fatal(err)
	}
	for question, answers := range map[string][2]any{
		`SELECT count(*)::text FROM copies($1, '')`:                                          {ana.role, "nobody"},
		`SELECT count(*)::text FROM copies('', $1)`:                                          {session, "0199"},
		`SELECT count(*)::text FROM read($1, 0, 100)`:                                        {l.Copies[0].Number, int64(1 << 40)},
		`SELECT may_read($1)::text`:                                                          {l.Copies[0].Number, int64(1 << 40)},
		`SELECT count(*)::text FROM search(ARRAY[$1], '{}', 10)`:                             {"private", "missing"},
		`SELECT purge($1)::text`:                                                             {session, "0199"},
		`SELECT restore($1)::text`:                                                           {session, "0199"},
		`EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) SELECT FROM copies('', $1)`:              {session, "0199"},
		`EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) SELECT FROM search(ARRAY[$1], '{}', 10)`: {"private", "missing"},
	} {
		var told [2]string
		for i, about := range answers {
			rows, err := eve.sql.Query(t.Context(), question, pgx.QueryExecModeExec, about)
			lines, cerr := pgx.CollectRows(rows, pgx.RowTo[string])
			told[i] = fmt.Sprint(lines, err, cerr)
		}
		if told[0] != told[1] {
			t.Errorf("%s: eve learns %s, and of a missing one %s", question, told[0], told[1])
		}
	}
	for _, sql := range []string{`SELECT FROM pg_stat_user_tables`, `SELECT FROM pg_stat_xact_all_tables`, `SELECT FROM pg_statio_all_tables`, `SELECT pg_stat_get_tuples_returned('` + schema + `.log'::regclass)`, `SELECT pg_stat_get_live_tuples(1)`} {
		_, err := eve.sql.Exec(t.Context(), sql)
		if refused := (*pgconn.PgError)(nil); !errors.As(err, &refused) || refused.Code != "42501" {
			t.Errorf("%s = %v; want no right to it", sql, err)
		}
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

// probeTables tries to use the tables without the functions, and to lock them: a member
// has no right to any of them but to read their version.
func probeTables(t *testing.T, eve *person) {
	t.Helper()
	sql := []string{`UPDATE version SET version = 1`, `DELETE FROM version`, `LOCK TABLE version IN ROW EXCLUSIVE MODE`, `SELECT FROM version FOR UPDATE`,
		`CREATE FUNCTION x() RETURNS int LANGUAGE sql AS 'SELECT 1'`, `CREATE TABLE x ()`, `SELECT setval('log_id_seq', 1)`, `CREATE OR REPLACE FUNCTION me() RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'`,
		`ALTER POLICY own ON log USING (true)`, `DROP POLICY own ON log`, `ALTER FUNCTION me() OWNER TO session_user`}
	for _, table := range []string{"person", "granted", "deleted", "log", "chunk", "line", "word", "response"} {
		for _, try := range []string{"SELECT FROM %s", "EXPLAIN SELECT FROM %s", "INSERT INTO %s DEFAULT VALUES", "DELETE FROM %s", "TRUNCATE %s", "ALTER TABLE %s DISABLE ROW LEVEL SECURITY",
			"CREATE POLICY x ON %s USING (true)", "COPY %s TO STDOUT", "SELECT FROM %s FOR UPDATE", "CREATE TRIGGER x AFTER INSERT ON %s FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
			"LOCK TABLE %s IN ACCESS SHARE MODE", "LOCK TABLE %s IN ROW EXCLUSIVE MODE", "LOCK TABLE %s IN ACCESS EXCLUSIVE MODE"} {
			sql = append(sql, fmt.Sprintf(try, table))
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
	c, err := pgx.Connect(p.t.Context(), pgtest.Superuser(p.t)+" search_path="+p.schema)
	if err != nil {
		p.t.Fatal(err)
	}
	defer c.Close(context.WithoutCancel(p.t.Context()))
	logs := `(SELECT l.id FROM log l JOIN person p ON p.id = l.person WHERE p.name = $1)`
	var parts []string
	for _, table := range []string{"log", "chunk", "line", "word", "response"} {
		column := "log"
		if table == "log" {
			column = "id"
		}
		parts = append(parts, fmt.Sprintf(`coalesce((SELECT string_agg(t::text, '' ORDER BY t::text) FROM %s t WHERE %s IN %s), '')`, table, column, logs))
	}
	parts = append(parts, `coalesce((SELECT string_agg(g::text, '' ORDER BY g::text) FROM granted g JOIN person p ON p.id = g.person WHERE p.name = $1), '')`)
	if err := c.QueryRow(p.t.Context(), `SELECT md5(`+strings.Join(parts, " || ")+`)`, p.role).Scan(&sum); err != nil {
		p.t.Fatal(err)
	}
	return sum
}

// A list and a search show what was pushed, newest first, and count responses once.
func TestQueries(t *testing.T) {
	schema := pgtest.Schema(t)
	s, err := pgteam.Init(t.Context(), pgtest.DSN(t), "", pgstore.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ana := join(t, schema, "ana")
	const answer = `{"type":"message","id":"%08x","parentId":"00000001","timestamp":"2026-03-04T05:06:%02d.000Z","message":{"role":"assistant","content":[{"type":"text","text":"%s"}],"provider":"p","model":"m","usage":{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":15,"cost":{"input":0.001,"output":0.002,"cacheRead":0,"cacheWrite":0,"total":0.003}},"stopReason":"stop","timestamp":1}}` + "\n"
	whole := text
	for i := range 100 { // each push adds words to those before
		whole += fmt.Sprintf(answer, i+2, i%60, fmt.Sprintf("Größe number%d of the turnip", i))
		ana.push(whole)
	}
	for _, tt := range []struct {
		words, prefixes []string
		want            int
	}{
		{[]string{"number7"}, nil, 1}, {[]string{"number7", "number8"}, nil, 0}, {[]string{"turnip"}, nil, 50}, {nil, []string{"number9"}, 11},
		{[]string{"of the turnip"}, nil, 50}, {[]string{"turnip of"}, nil, 0}, {[]string{"grosse"}, nil, 0}, {[]string{"it's"}, nil, 0}, {[]string{`\`}, nil, 0}, {nil, []string{"of the tur"}, 50},
	} {
		found, err := ana.store.Search(t.Context(), tt.words, tt.prefixes, 50)
		if err != nil || len(found) != tt.want {
			t.Errorf("Search(%q, %q) = %d lines, %v; want %d", tt.words, tt.prefixes, len(found), err, tt.want)
			continue
		}
		for i, m := range found {
			if !strings.Contains(whole, "\n"+string(m.Line)+"\n") || i > 0 && m.Offset >= found[i-1].Offset {
				t.Errorf("Search(%q) found %d: %q", tt.words, m.Offset, m.Line)
			}
		}
	}
	usage, err := ana.store.Usage(t.Context(), "person", time.Time{}, time.Time{})
	if err != nil || len(usage) != 1 || usage[0] != (pgteam.Usage{Key: ana.role, Responses: 100, Tokens: 1500, Cost: 300_000}) {
		t.Errorf("Usage = %+v, %v; want 100 responses", usage, err)
	}
	for x, err := range ana.store.Sessions(t.Context()) {
		if err != nil || x.ID != session || x.Facts.FirstMessage != "private words" || x.Facts.Messages != 101 || x.Size != int64(len(whole)) || x.Used.Year() != 2026 {
			t.Errorf("Sessions has %+v, %v", x, err)
		}
	}
}

// Among many people whose sessions are readable, those of others stay hidden.
func TestManyPeople(t *testing.T) {
	schema := pgtest.Schema(t)
	s, err := pgteam.Init(t.Context(), pgtest.DSN(t), "", pgstore.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ana, eve := join(t, schema, "ana"), join(t, schema, "eve")
	ana.push(text)
	eve.push(strings.ReplaceAll(text, "private", "hidden"))
	pgtest.Exec(t, pgtest.Superuser(t), `DO $$ BEGIN FOR i IN 1..70 LOOP EXECUTE 'CREATE ROLE `+schema+`_' || i; END LOOP; END $$;
		INSERT INTO `+schema+`.person (role, name) SELECT oid, rolname FROM pg_roles WHERE rolname ~ '^`+schema+`_';
		INSERT INTO `+schema+`.granted SELECT id, '', 0, 'public' FROM `+schema+`.person WHERE name ~ '^`+schema+`_'`)
	if n := ana.count(`SELECT count(*) FROM visible()`); n != 71 {
		t.Fatalf("ana may read something of %d people; want 71", n)
	}
	for word, want := range map[string]int{"private": 1, "hidden": 0, "words": 1} {
		if found, err := ana.store.Search(t.Context(), []string{word}, nil, 10); err != nil || len(found) != want {
			t.Errorf("Search(%s) = %d lines, %v; want %d", word, len(found), err, want)
		}
	}
	if err := eve.store.Give(t.Context(), pgteam.Grant{Grantee: ana.role}); err != nil {
		t.Fatal(err)
	}
	if found, err := ana.store.Search(t.Context(), []string{"hidden"}, nil, 10); err != nil || len(found) != 1 {
		t.Errorf("Search of what eve shares = %d lines, %v; want 1", len(found), err)
	}
}

// A database without the tables, with newer ones, and without the right to make them.
func TestTables(t *testing.T) {
	dsn, schema := pgtest.DSN(t), pgtest.Schema(t)
	_, err := pgteam.Connect(t.Context(), dsn, pgstore.Options{Schema: schema})
	if !errors.Is(err, pgstore.ErrOlder) {
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
		if _, err := open(); !errors.Is(err, pgstore.ErrNewer) {
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
