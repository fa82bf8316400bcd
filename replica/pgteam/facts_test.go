package pgteam_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/store/pgstore/pgschema"
	"github.com/pith-sessions/pith/tests/pgtest"
)

func newTables(t *testing.T) (schema string) {
	t.Helper()
	schema = pgtest.Schema(t)
	admin, err := pgteam.Init(t.Context(), pgtest.DSN(t), "", pgstore.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(admin.Close)
	return schema
}

// line is a message with an id.
func line(n int, text string) string {
	return fmt.Sprintf(`{"type":"message","id":"%08x","parentId":null,"timestamp":"2026-03-04T05:06:08.000Z","message":{"role":"user","content":%q}}`+"\n", n, text)
}

// facts are what this person can read of the facts of the session, by owner.
func (p *person) facts() map[string]replica.LogFacts {
	p.t.Helper()
	all, err := p.store.Facts(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	out := map[string]replica.LogFacts{}
	for _, f := range all {
		if parts := strings.Split(f.Name, "/"); len(parts) == 5 {
			out[parts[1]] = f
		}
	}
	return out
}

// found are the lines with a word in the logs that this person knows, read through the
// facts alone.
func (p *person) found(word string) string {
	p.t.Helper()
	var logs []int64
	for _, f := range p.facts() {
		logs = append(logs, f.Number)
	}
	return p.foundIn(word, logs)
}

func (p *person) foundIn(word string, logs []int64) string {
	p.t.Helper()
	return p.foundBy(pgteam.Search{Words: []string{word}, Logs: logs, Most: 100})
}

// foundBy are the lines that a search finds. All ways to find them must agree.
func (p *person) foundBy(q pgteam.Search) string {
	p.t.Helper()
	places, err := p.store.Search(p.t.Context(), q)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, sql := range []string{`SELECT log, off, size FROM walk($1, $2, $3, $4)`, `SELECT log, off, size FROM hits($1, '{}', $2, $3, $4, 0)`,
		`SELECT log, off, size FROM hits($1, '{}', $2, $3, $4, 1)`, `SELECT log, off, size FROM hits($1, '{}', $2, $3, $4, 2)`, `SELECT log, off, size FROM hits($1, '{}', $2, $3, $4, 5)`} {
		rows, err := p.sql.Query(p.t.Context(), sql, q.Logs, append([]string{}, q.Words...), append([]string{}, q.Prefixes...), q.Most)
		if err != nil {
			p.t.Fatal(err)
		}
		same, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (f pgteam.Place, err error) {
			return f, row.Scan(&f.Log, &f.Offset, &f.Size)
		})
		if err != nil || placesOf(same) != placesOf(places) {
			p.t.Errorf("%s finds %q, %q* at %s, and by %s at %s, %v", p.role, q.Words, q.Prefixes, placesOf(places), sql, placesOf(same), err)
		}
	}
	lines, err := p.store.Lines(p.t.Context(), places)
	if err != nil {
		p.t.Fatal(err)
	}
	var out strings.Builder
	for _, l := range lines {
		out.Write(append(l, '\n'))
	}
	return out.String()
}

func placesOf(found []pgteam.Place) string {
	var out []string
	for _, p := range found {
		out = append(out, fmt.Sprint(p.Log, " ", p.Offset, " ", p.Size))
	}
	return strings.Join(out, ", ")
}

// Facts are written with the bytes, for the new lines only; a grant opens them with the
// bytes, and a revoked one closes them at once.
func TestFactsFollowTheBytes(t *testing.T) {
	schema := newTables(t)
	ana, bob := join(t, schema, "ana"), join(t, schema, "bob")
	content := text
	ana.push(content)
	for n := 2; n < 6; n++ {
		content += line(n, fmt.Sprintf("turnip number%d", n))
		ana.push(content)
		if f := ana.facts()[ana.role]; f.Covered != f.Size || f.Size != int64(len(content)) || f.Row == "" {
			t.Fatalf("after %d lines the facts cover %d of %d bytes; want %d", n, f.Covered, f.Size, len(content))
		}
	}
	copies := []replica.Replica{{Person: ana.role, Machine: "laptop", Session: session, Generation: 1}}
	f := ana.facts()[ana.role]
	sum, ok := replica.Summarize(copies, map[string]replica.LogFacts{f.Name: f})
	if i := sum.Info; !ok || !sum.Searchable || i.ID != session || i.Cwd != "/p" || i.FirstMessage != "private words" || i.MessageCount != 5 || i.Size != int64(len(content)) {
		t.Errorf("Summarize = %+v, %v", sum, ok)
	}
	if got := ana.found("number3"); got != line(3, "turnip number3") {
		t.Errorf("ana finds %q", got)
	}
	if got := strings.Count(ana.found("turnip"), "\n"); got != 4 {
		t.Errorf("ana finds %d lines with turnip; want 4", got)
	}
	for n := 6; n < 6+3*64; n++ { // the words of the session are updated from time to time
		content += line(n, fmt.Sprintf("turnip number%d", n))
		if n%50 == 0 {
			ana.push(content)
		}
	}
	for n, want := range map[int]int{3: 1, 51: 1, 100: 1, 101: 1, 150: 1, 151: 0} {
		if got := strings.Count(ana.found(fmt.Sprint("number", n)), "\n"); got != want {
			t.Errorf("ana finds %d lines with number%d; want %d", got, n, want)
		}
	}
	f = ana.facts()[ana.role]
	sees := func(want bool, when string) {
		t.Helper()
		_, known := bob.facts()[ana.role]
		lines, err := bob.store.Lines(t.Context(), []pgteam.Place{{Log: f.Number, Size: 10}})
		if err != nil {
			t.Fatal(err)
		}
		costs, err := bob.store.Costs(t.Context(), []int64{f.Number})
		if err != nil {
			t.Fatal(err)
		}
		if found := bob.foundIn("private", []int64{f.Number}) != ""; known != want || found != want || (lines[0] != nil) != want || len(costs) > 0 && !want {
			t.Errorf("%s, bob reads facts: %v, words: %v, lines: %v; want %v", when, known, found, lines[0] != nil, want)
		}
	}
	sees(false, "without a grant")
	for _, g := range []pgteam.Grant{{Session: session, Grantee: bob.role}, {Grantee: bob.role}, {Grantee: pgteam.Everybody}} {
		if err := ana.store.Give(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		sees(true, fmt.Sprint("with ", g))
		if err := ana.store.Take(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		sees(false, fmt.Sprint("without ", g))
	}
	if err := ana.team.Purge(t.Context(), copies...); err != nil {
		t.Fatal(err)
	}
	super := pgtest.Superuser(t)
	for _, table := range []string{"fact", "part", "spent", "line"} {
		pgtest.Exec(t, super, fmt.Sprintf(`DO $$ BEGIN IF EXISTS (SELECT FROM %s.%s) THEN RAISE 'rows of a purged copy in %s'; END IF; END $$`, schema, table, table))
	}
}

// A search finds exactly the lines in which the words of each term follow each other, in
// the given order of logs, whoever has them and however they are shared. Lines with too many
// words for positions are found by their words alone.
func TestTermsOfLines(t *testing.T) {
	schema := newTables(t)
	ana, bob, carl := join(t, schema, "ana"), join(t, schema, "bob"), join(t, schema, "carl")
	r := rand.New(rand.NewPCG(1, 2))
	vocabulary := []string{"a", "ab", "abc", "жук", "b", "bc", "日", "本", "x1"}
	texts := map[int64][]string{} // by log
	for n, p := range []*person{ana, ana, bob, bob, carl, carl} {
		id := fmt.Sprintf("0199a1b2-c3d4-7e5f-8a9b-%012d", n)
		var lines []string
		for range 20 + r.IntN(100) {
			words := make([]string, 1+r.IntN(6))
			for i := range words {
				words[i] = vocabulary[r.IntN(len(vocabulary))]
			}
			lines = append(lines, strings.Join(words, " "))
		}
		lines = append(lines, strings.Repeat("b ", 300)+"x1 a bc", strings.Repeat("a b ", 100)+"bc x1")
		path := filepath.Join(t.TempDir(), id+".jsonl")
		content := strings.Replace(strings.SplitAfter(text, "\n")[0], session, id, 1)
		for i, l := range lines {
			if n%2 == 1 && i%40 == 30 { // the next block
				l = strings.Repeat("-", 1<<20)
				lines[i] = l
			}
			content += line(i, l)
			if i != len(lines)/2 && i != len(lines)-1 {
				continue
			}
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := p.team.Push(t.Context(), path, replica.PushOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		facts, err := p.store.Facts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range facts {
			if strings.Contains(f.Name, id) && n != 4 { // carl shares one of two sessions
				texts[f.Number] = lines
			}
		}
	}
	for p, g := range map[*person]pgteam.Grant{ana: {Grantee: bob.role}, carl: {Grantee: bob.role, Session: "0199a1b2-c3d4-7e5f-8a9b-000000000005"}} {
		if err := p.store.Give(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	contains := func(text, term string, prefix bool) bool {
		if prefix {
			return strings.Contains(" "+text, " "+term)
		}
		return strings.Contains(" "+text+" ", " "+term+" ")
	}
	matches := func(text, term string, prefix bool) bool {
		words := strings.Fields(term)
		if strings.Count(text, "b ") < 300 || len(words) == 1 {
			return contains(text, term, prefix)
		}
		for i, word := range words { // it has too many for positions
			if !contains(text, word, prefix && i == len(words)-1) {
				return false
			}
		}
		return true
	}
	found := 0
	for range 60 {
		q := pgteam.Search{Logs: slices.Collect(maps.Keys(texts)), Most: 1 + r.IntN(400)}
		slices.Sort(q.Logs)
		r.Shuffle(len(q.Logs), func(i, j int) { q.Logs[i], q.Logs[j] = q.Logs[j], q.Logs[i] })
		for len(q.Words)+len(q.Prefixes) == 0 || r.IntN(3) == 0 {
			words := make([]string, 1+r.IntN(3))
			for i := range words {
				words[i] = vocabulary[r.IntN(len(vocabulary))]
			}
			if term := strings.Join(words, " "); r.IntN(4) == 0 {
				q.Prefixes = append(q.Prefixes, term)
			} else {
				q.Words = append(q.Words, term)
			}
		}
		var want strings.Builder
		rest := q.Most
		for _, log := range q.Logs {
			for i, text := range slices.Backward(texts[log]) {
				ok := rest > 0
				for _, term := range q.Words {
					ok = ok && matches(text, term, false)
				}
				for _, term := range q.Prefixes {
					ok = ok && matches(text, term, true)
				}
				if ok {
					want.WriteString(line(i, text))
					rest--
				}
			}
		}
		if got := bob.foundBy(q); got != want.String() {
			t.Errorf("terms %q, prefixes %q find\n%s\nwant\n%s", q.Words, q.Prefixes, got, want.String())
		}
		found += q.Most - rest
	}
	if found < 500 {
		t.Errorf("only %d lines were found: this test tests little", found)
	}
}

// What a member claims about logs of others, or beyond a log, is refused or changes
// nothing, whatever it is.
func TestFactsOfOthersStay(t *testing.T) {
	schema := newTables(t)
	ana, eve := join(t, schema, "ana"), join(t, schema, "eve")
	ana.push(text)
	eve.push(text)
	before := fmt.Sprint(ana.facts())
	name, own := []byte("/"+ana.role+"/laptop/"+session+"/1"), []byte("/"+eve.role+"/laptop/"+session+"/1")
	many := make([]int64, 200_000)
	sizes, words := make([]int32, len(many)), make([]string, len(many))
	for i := range many {
		many[i], sizes[i], words[i] = int64(i), 1, "private"
	}
	for what, args := range map[string][]any{
		"another's log":                         {name, 0, len(text), []byte("x"), []byte("x"), []int64{0}, []int32{10}, []string{"private"}},
		"continue another's":                    {name, len(text), len(text), []byte("x"), []byte{}, []int64{}, []int32{}, []string{}},
		"beyond the end":                        {own, len(text), len(text) + 100, []byte("x"), []byte{}, []int64{}, []int32{}, []string{}},
		"backwards":                             {own, len(text), 0, []byte("x"), []byte{}, []int64{}, []int32{}, []string{}},
		"negative":                              {own, -1, len(text), []byte("x"), []byte{}, []int64{}, []int32{}, []string{}},
		"a huge row":                            {own, len(text), len(text), make([]byte, 1<<20), []byte{}, []int64{}, []int32{}, []string{}},
		"huge costs":                            {own, len(text), len(text), []byte{}, make([]byte, 17<<20), []int64{}, []int32{}, []string{}},
		"a huge word":                           {own, len(text), len(text), []byte{}, []byte{}, []int64{int64(len(text))}, []int32{0}, []string{strings.Repeat("x", 3000)}},
		"lines beyond":                          {own, len(text), len(text), []byte("x"), []byte{}, many, sizes, words},
		"a block":                               {own, len(text), len(text), []byte{}, []byte{}, []int64{int64(len(text))}, []int32{0}, []string{"x #1.0"}},
		"a word of eve's with the scope of ana": {own, len(text), len(text), []byte{}, []byte{}, []int64{int64(len(text))}, []int32{0}, []string{"x\tprivate"}},
		"no name":                               {nil, 0, 0, nil, nil, nil, nil, nil},
	} {
		_, err := eve.sql.Exec(t.Context(), `SELECT FROM add_facts($1, $2, $3, $4, $5, $6, $7, $8, 1, '')`, args...)
		t.Logf("%s: %v", what, err)
		if what == "a block" && err == nil {
			t.Error("a word like that of a block is accepted")
		}
		if got := fmt.Sprint(ana.facts()); got != before {
			t.Fatalf("%s changed what ana reads: %s; want %s", what, got, before)
		}
	}
	if got := ana.count(`SELECT count(*) FROM hits(ARRAY(SELECT id FROM facts()), '{}', '{private}', '{}', 1000, 1)`); got != 1 {
		t.Errorf("ana finds %d lines; want her own", got)
	}
	if got := eve.count(`SELECT count(*) FROM hits(ARRAY(SELECT id FROM facts()), '{}', '{private}', '{}', 1000, 1)`); got != 1 {
		t.Errorf("eve finds %d lines; want one", got)
	}
	for _, table := range []string{"fact", "part", "spent", "line"} {
		if _, err := eve.sql.Exec(t.Context(), "SELECT FROM "+table); err == nil {
			t.Errorf("eve reads the table %s", table)
		}
	}
}

// On tables of the version before, sessions are pushed and read without facts. After the
// upgrade, the next push adds them, though no byte is new.
func TestTablesBeforeFacts(t *testing.T) {
	dsn, schema := pgtest.DSN(t), pgtest.Schema(t)
	pool, err := pgxpool.New(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	for _, from := range []struct{ name, dir string }{{"log", "../../store/pgstore"}, {"team", "."}} {
		c, err := pgschema.FromFiles(from.name, os.DirFS(from.dir))
		if err != nil {
			t.Fatal(err)
		}
		c.Steps = c.Steps[:3]
		if err := pgschema.Apply(t.Context(), pool, schema, c); err != nil {
			t.Fatal(err)
		}
	}
	pgtest.Exec(t, dsn, fmt.Sprintf(`GRANT USAGE ON SCHEMA %[1]s TO PUBLIC; GRANT SELECT ON %[1]s.version TO PUBLIC; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA %[1]s TO PUBLIC`, schema))
	ana := join(t, schema, "ana")
	if ana.store.KeepsFacts() {
		t.Error("tables of version 3 keep facts")
	}
	ana.push(text)
	if got := ana.sees(); got != "ana" {
		t.Errorf("ana sees %q", got)
	}
	initTwice(t, dsn, schema)
	role, anaDSN := ana.role, strings.Replace(dsn, "user="+pgtest.User, "user="+ana.role, 1)
	s, err := pgteam.Connect(t.Context(), anaDSN, pgstore.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	name := "/" + role + "/laptop/" + session + "/1"
	if missing, err := s.MissingFacts(t.Context()); err != nil || !missing[name] {
		t.Errorf("MissingFacts = %v, %v; want %s", missing, err, name)
	}
	ana.store = s
	if ana.team, err = replica.New(s, replica.Options{Person: role, Machine: "laptop"}); err != nil {
		t.Fatal(err)
	}
	ana.push(text)
	if missing, err := s.MissingFacts(t.Context()); err != nil || missing[name] {
		t.Errorf("after a push, MissingFacts = %v, %v", missing, err)
	}
	if got := ana.found("private"); !strings.Contains(got, "private words") {
		t.Errorf("ana finds %q", got)
	}
}
