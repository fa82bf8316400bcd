package pgteam_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// S8: plans, estimates and counters show a member the same about data of others
// and about data that does not exist.
func TestNothingTells(t *testing.T) {
	schema := pgtest.Schema(t)
	admin, err := pgteam.Init(t.Context(), pgtest.DSN(t), "", pgstore.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	_, dsn := pgtest.Person(t, "eve")
	eve := newAsker(t, dsn, schema)
	super := pgtest.Superuser(t)
	pgtest.Exec(t, super, fmt.Sprintf(`SET search_path = %s; INSERT INTO log (name, head, session, key, len, gen, owner) SELECT n, n, s, sha256(n), 1, 1, o FROM
		(SELECT 'p' || i %% 100 AS o, i::text AS s, convert_to('/p' || i %% 100 || '/laptop/' || i || '/1', 'UTF8') AS n FROM generate_series(1, 20000) i) x;
		INSERT INTO chunk SELECT id, 0, 'x' FROM log; INSERT INTO grants VALUES ('p9', '109', '%s'); ANALYZE log; ANALYZE chunk; ANALYZE grants`, schema, eve.role))
	for range 10 { // until the plans are those that stay
		eve.ask("/nobody/")
	}
	for _, tt := range []struct{ what, there, missing string }{
		{"a person", "/p7/", "/o7/"},
		{"a machine", "/p7/laptop/", "/p7/desktp/"},
		{"a session", "/p7/laptop/107/1", "/p7/laptop/108/1"},
		{"a session of one who lets another be read", "/p9/laptop/209/1", "/p9/laptop/208/1"},
		{"a machine of one who lets a session be read", "/p9/laptop/2", "/p9/laptoq/2"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			var told []string
			for range 5 { // the server may plan anew at any time, and prints more then
				there, missing := eve.ask(tt.there), eve.ask(tt.missing)
				told = nil
				for i := range there {
					if there[i] != missing[i] {
						told = append(told, fmt.Sprintf("of %s eve learns\n%s\nand of %s\n%s", tt.there, there[i], tt.missing, missing[i]))
					}
				}
				if told == nil {
					return
				}
			}
			t.Error(strings.Join(told, "\n"))
		})
	}
}

// S8: a search shows a member the same about words of others and about words
// that nobody uses: it reads no row of theirs.
func TestNoWordTells(t *testing.T) {
	schema := pgtest.Schema(t)
	admin, err := pgteam.Init(t.Context(), pgtest.DSN(t), "", pgstore.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	_, dsn := pgtest.Person(t, "eve")
	eve := newAsker(t, dsn, schema)
	pgtest.Exec(t, pgtest.Superuser(t), fmt.Sprintf(`SET search_path = %s; INSERT INTO log (name, head, session, key, len, gen, owner) SELECT n, n, s, sha256(n), 1, 1, o FROM
		(SELECT 'p' || i %% 100 AS o, i::text AS s, convert_to('/p' || i %% 100 || '/laptop/' || i || '/1', 'UTF8') AS n FROM generate_series(1, 5000) i) x;
		INSERT INTO chunk SELECT id, 0, 'x' FROM log; INSERT INTO spent SELECT id, 0, 'x' FROM log;
		INSERT INTO line SELECT id, 0, 1, array_to_tsvector(ARRAY[scope(owner) || '#' || id || '.0', scope(owner) || 'common', scope(owner) || 'of' || owner, scope(owner) || 'in' || session, scope(owner) || CASE WHEN owner IN ('p8', 'p9') THEN 'common' ELSE 'often' END]) FROM log;
		INSERT INTO line SELECT log, n, 1, words FROM line, generate_series(1, 9) n; INSERT INTO fact SELECT id, 'x', '', 10 FROM log;
		INSERT INTO part SELECT id, nr, '' FROM log, generate_series(0, 63) nr; UPDATE part p SET words = w.words FROM (SELECT t.log, part_of(substr(u.lexeme, 5)) AS nr,
			array_to_tsvector(array_agg(substr(u.lexeme, 5))) AS words FROM line t CROSS JOIN LATERAL unnest(t.words) u WHERE t.off = 0 GROUP BY 1, 2) w WHERE p.log = w.log AND p.nr = w.nr; UPDATE log SET covered = 1, used = id;
		INSERT INTO grants VALUES ('p9', '109', '%[2]s'), ('p8', '', '%[2]s'); ANALYZE log; ANALYZE line; ANALYZE fact; ANALYZE part`, schema, eve.role))
	all := `ARRAY(SELECT generate_series(1, 5000)::bigint)`
	questions := []string{
		`SELECT count(*) FROM hits(` + all + `, '{}', '{%s}', '{}', 100, 0)`, `SELECT count(*) FROM hits(` + all + `, '{}', '{}', '{%s}', 100, 0)`,
		`SELECT count(*) FROM walk(` + all + `, '{%s}', '{}', 100)`, `EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) SELECT FROM hits(` + all + `, '{}', '{%s}', '{}', 100, 0)`,
		`SELECT count(*) FROM search(` + all + `, '{}', '{%s}', '{}', 100)`, `SELECT count(*) FROM search(` + all + `, '{}', '{}', '{%s}', 100)`,
	}
	for range 10 { // until the plans are those that stay
		for _, sql := range questions {
			eve.answer(sql, "nothing")
		}
	}
	for _, tt := range []struct{ what, there, missing string }{
		{"a word of another", "ofp7", "ofx7"},
		{"a word of another session of one who lets a session be read", "in209", "inx09"},
		{"a frequent word of others", "often", "never"},
	} {
		for _, sql := range questions {
			there, missing := eve.answer(sql, tt.there), eve.answer(sql, tt.missing)
			for range 4 {
				if there != missing { // the server may have planned anew
					there, missing = eve.answer(sql, tt.there), eve.answer(sql, tt.missing)
				}
			}
			if there != missing {
				t.Errorf("%s: eve learns\n%s\nand of a missing one\n%s", tt.what, there, missing)
			}
		}
	}
	// Lines are read only of logs that have the word.
	var read [2][4]int
	for i, word := range []string{"common", "nowhere"} {
		answer := eve.answer(`SELECT count(*) FROM walk(`+all+`, '{%s}', '{}', 1000)`, word)
		r := &read[i]
		if _, err := fmt.Sscanf(answer[strings.LastIndex(answer, "["):], "[%d %d %d %d]", &r[0], &r[1], &r[2], &r[3]); err != nil {
			t.Fatal(err)
		}
	}
	if lines := read[0][3] - read[1][3]; lines != 510 {
		t.Errorf("a walk for a word that no log has reads %d rows less than one for a word in 510 lines: %v", lines, read)
	}
	for sql, want := range map[string]string{ // of p8 all 50 sessions, of p9 one; 10 lines each
		`SELECT count(*)::text FROM hits(` + all + `, '{}', '{%s}', '{}', 1000, 0)`: "510",
		`SELECT count(*)::text FROM search(` + all + `, '{}', '{%s}', '{}', 1000)`:  "510",
		`SELECT count(*)::text FROM walk(` + all + `, '{%s}', '{}', 1000)`:          "510",
		`SELECT count(*)::text FROM costs(` + all + `) WHERE '%s' <> ''`:            "51",
		`SELECT count(*)::text FROM facts() WHERE '%s' <> ''`:                       "51",
		`SELECT count(*)::text FROM lines(` + all + `, ARRAY(SELECT 0::bigint FROM generate_series(1, 5000)), ARRAY(SELECT 1 FROM generate_series(1, 5000))) WHERE '%s' <> ''`: "51",
	} {
		if got := strings.Split(eve.answer(sql, "common"), "\n")[1]; got != want {
			t.Errorf("%s = %s; want %s", sql, got, want)
		}
	}
}

// An asker examines everything that PostgreSQL reports besides rows.
type asker struct {
	t     *testing.T
	c     *pgx.Conn
	role  string
	plans strings.Builder // that the server printed
}

func newAsker(t *testing.T, dsn, schema string) *asker {
	t.Helper()
	a := &asker{t: t}
	config, err := pgx.ParseConfig(dsn + " search_path=" + schema + " client_min_messages=log debug_print_plan=on enable_seqscan=off")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`:plan_rows \d+`)
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		a.plans.WriteString(strings.Join(rows.FindAllString(n.Detail, -1), ""))
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	if a.c, err = pgx.ConnectConfig(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.c.Close(context.WithoutCancel(t.Context())) })
	a.role = config.User
	return a
}

// ask returns the server's answer to each question about names with a prefix.
func (a *asker) ask(prefix string) (answers []string) {
	a.t.Helper()
	const begin = `name >= '%[1]s' AND name < '%[1]s\377' AND head >= '%[1]s' AND head < '%[1]s\377'`
	for _, sql := range []string{
		`EXPLAIN SELECT FROM log WHERE ` + begin,
		`EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) SELECT FROM log WHERE ` + begin,
		`EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) SELECT FROM log WHERE key = sha256('%[1]s')`,
		`EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) SELECT FROM chunk WHERE log = (SELECT id FROM log WHERE key = sha256('%[1]s'))`,
		`EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) SELECT FROM list('%[1]s', '%[1]s\377', 100)`,
		`EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) SELECT FROM find('%[1]s')`,
		`SELECT count(*) FROM list('%[1]s', '%[1]s\377', 100)`,
		`SELECT count(*) FROM list('%[1]s', NULL, 1)`,
		`SELECT count(*) FROM find('%[1]s')`,
		`SELECT count(*) FROM remove('%[1]s')`,
		`SELECT count(*) FROM erase('%[1]s')`,
		`SELECT count(*) FROM stage('%[1]s')`,
	} {
		answers = append(answers, a.answer(sql, prefix))
	}
	return answers
}

func (a *asker) answer(sql, prefix string) string {
	a.t.Helper()
	ctx := a.t.Context()
	tx, err := a.c.Begin(ctx)
	if err != nil {
		a.t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(ctx) }()
	before := a.counters(tx)
	a.plans.Reset()
	told := []string{sql}
	rows, err := tx.Query(ctx, fmt.Sprintf(sql, prefix))
	if err == nil {
		var lines []string
		if lines, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) { return string(row.RawValues()[0]), nil }); err == nil {
			told = append(told, lines...)
		}
	}
	told = append(told, a.plans.String())
	var refused *pgconn.PgError
	switch {
	case errors.As(err, &refused):
		return strings.Join(append(told, refused.Message), "\n")
	case err != nil:
		a.t.Fatal(err)
	}
	var counted [4]int64
	for i, n := range a.counters(tx) {
		counted[i] = n - before[i]
	}
	text := strings.Join(append(told, fmt.Sprint("read by scans, rows; by indexes, rows: ", counted)), "\n")
	return strings.ReplaceAll(strings.ReplaceAll(text, prefix, "PREFIX"), fmt.Sprintf("%x", prefix), "PREFIX")
}

// counters are those that everybody sees of what this connection read from the tables.
func (a *asker) counters(tx pgx.Tx) (n [4]int64) {
	a.t.Helper()
	if err := tx.QueryRow(a.t.Context(), `SELECT sum(seq_scan), sum(seq_tup_read), sum(idx_scan), sum(idx_tup_fetch)
		FROM pg_stat_xact_user_tables WHERE schemaname = current_schema()`).Scan(&n[0], &n[1], &n[2], &n[3]); err != nil {
		a.t.Fatal(err)
	}
	return n
}
