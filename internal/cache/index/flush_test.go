package index_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/cache/index"
)

// shadow returns everything that FTS5 stores about the words.
func shadow(t *testing.T, db *sql.DB) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, query := range []string{
		"SELECT 'data ' || id, hex(block) FROM doc_data",
		"SELECT 'idx ' || segid || ' ' || hex(term), pgno FROM doc_idx",
		"SELECT 'docsize ' || id, hex(sz) || ' ' || origin FROM doc_docsize",
	} {
		rows, err := db.Query(query)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var key, value string
			if err := rows.Scan(&key, &value); err != nil {
				t.Fatal(err)
			}
			out[key] = value
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// randomDocuments returns documents of words of which some are frequent.
func randomDocuments(r *rand.Rand, count, words int) (out [][]byte) {
	frequent := rand.NewZipf(r, 1.2, 1, 50_000)
	for range count {
		var b strings.Builder
		for range r.IntN(2 * words) {
			switch r.IntN(40) {
			case 0:
				fmt.Fprintf(&b, " %x", r.Uint64())
			case 1:
				b.WriteString(" größe日" + strings.Repeat("x", r.IntN(60)))
			default:
				fmt.Fprintf(&b, " w%d", frequent.Uint64())
			}
		}
		out = append(out, []byte(b.String()))
	}
	return out
}

// Add stores the words byte by byte as FTS5 does.
func TestSegmentsOfFTS5(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	same := func(text string, n int) (out [][]byte) {
		for range n {
			out = append(out, []byte(text))
		}
		return out
	}
	tests := map[string][][][]byte{
		"few":               {docs(" red green", " green red", "", " größe 日 本")},
		"empty":             {docs("", "")},
		"long positions":    {docs(" b a " + strings.Repeat("word other ", 60_000) + "z")},
		"frequent":          {same(" a", 20_000)},
		"frequent and rare": {same(" a b", 9_000), same(" a", 9_000), docs(" b")},
		"several":           {randomDocuments(r, 500, 300), randomDocuments(r, 500, 300), randomDocuments(r, 2000, 20)},
		"long words":        {docs(strings.Repeat(" "+strings.Repeat("y", 3000)+" "+strings.Repeat("y", 2990)+"z", 2) + " " + strings.Repeat("v", 9000))},
		"skips":             {same(strings.Repeat("w ", 4000), 100)},
	}
	for i := range 30 {
		tests["many"] = append(tests["many"], randomDocuments(r, 50+r.IntN(100), 100))
		tests["growing"] = append(tests["growing"], randomDocuments(r, 3+i*i/3, 100))
	}
	for name, batches := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "text.db")
			x := openTexts(t, path)
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			plain := plainTable(t)
			var state []byte
			next := 1
			for i, documents := range batches {
				a := index.Addition{Path: "a", Before: state, State: fmt.Append(nil, i), Documents: documents}
				state = a.State
				if err := addAll(t.Context(), x, []index.Addition{a}); err != nil {
					t.Fatalf("Add: %v", err)
				}
				for _, text := range documents {
					if _, err := plain.Exec("INSERT INTO doc (rowid, text) VALUES (?, ?)", next, text); err != nil {
						t.Fatal(err)
					}
					next++
				}
				if _, err := plain.Exec("COMMIT; BEGIN"); err != nil {
					t.Fatal(err)
				}
			}
			got, want := shadow(t, db), shadow(t, plain)
			for key := range want {
				if key != "data 10" && got[key] != want[key] {
					t.Fatalf("%s = %.200s, want %.200s", key, got[key], want[key])
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d rows, want %d", len(got), len(want))
			}
			const cookie = 8 // hexadecimal digits; it changes with the options
			if a, b := got["data 10"][cookie:], want["data 10"][cookie:]; a != b {
				t.Errorf("structure %s, want %s", a, b)
			}
			check(t, path)
		})
	}
}

// The first documents of many leaves are listed on several pages, as by FTS5.
func TestManyLeaves(t *testing.T) {
	const count, distance, length = 1500, 1 << 50, 3900
	got, err := index.Leaves("w", count, distance, length)
	if err != nil {
		t.Fatal(err)
	}
	db := plainTable(t)
	for i := range count {
		if _, err := db.Exec("INSERT INTO doc (rowid, text) VALUES (?, ?)", (i+1)*distance, strings.Repeat("w ", length)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Exec("COMMIT"); err != nil {
		t.Fatal(err)
	}
	pages, lists := 0, 0
	for key, want := range shadow(t, db) {
		var id int64
		if _, err := fmt.Sscanf(key, "data %d", &id); err != nil || id <= 10 {
			continue
		}
		if id>>31&0x3f == 1<<5|1 {
			lists++ // a list of lists
		}
		if pages++; fmt.Sprintf("%X", got[id]) != want {
			t.Fatalf("%s = %.200X, want %.200s", key, got[id], want)
		}
	}
	if pages != len(got) || lists != 1 {
		t.Errorf("%d pages with %d lists of lists, want %d pages with one", len(got), lists, pages)
	}
}

// plainTable returns a database with an empty table of FTS5, in a transaction.
func plainTable(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE VIRTUAL TABLE doc USING fts5(text, content='', contentless_delete=1, tokenize='ascii');
		INSERT INTO doc (doc, rank) VALUES ('hashsize', 1000000000);
		INSERT INTO doc (doc, rank) VALUES ('automerge', 8);
		BEGIN`); err != nil {
		t.Fatal(err)
	}
	return db
}

// Two users of one index find the same documents while they add small ones,
// replace them and remove them.
func TestSmallAdditions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text.db")
	users := []*index.Texts{openTexts(t, path), openTexts(t, path)}
	r := rand.New(rand.NewPCG(3, 4))
	texts, states := map[string][]string{}, map[string][]byte{} // by path
	addition := func(i, n int, afresh bool) index.Addition {
		path := fmt.Sprint("source", i)
		a := index.Addition{Path: path, Before: states[path], State: fmt.Append(nil, r.Uint64()), Afresh: afresh && states[path] != nil}
		if states[path] = a.State; a.Afresh {
			texts[path] = nil
		}
		for range n {
			text := fmt.Sprintf(" w%d w%d same", r.IntN(5), r.IntN(5))
			texts[path], a.Documents = append(texts[path], text), append(a.Documents, []byte(text))
		}
		return a
	}
	for step := range 200 {
		x := users[r.IntN(2)]
		source := r.IntN(10)
		var err error
		switch r.IntN(8) {
		case 0:
			path := fmt.Sprint("source", source)
			delete(texts, path)
			delete(states, path)
			err = x.Forget(t.Context(), []string{path})
		case 1:
			err = addAll(t.Context(), x, []index.Addition{addition(source, 2, false), addition(r.IntN(10), 1, true), addition(source, 1, true)})
		default:
			err = addAll(t.Context(), x, []index.Addition{addition(source, r.IntN(4), r.IntN(4) == 0)})
		}
		if err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		sources, err := users[0].Sources(t.Context())
		if err != nil {
			t.Fatalf("step %d: Sources: %v", step, err)
		}
		for _, word := range []string{"w0", "w1", "same"} {
			var want []int64
			for _, source := range sources {
				rest := texts[source.Path]
				for _, segment := range source.Segments {
					for i, text := range rest[:segment.Count] {
						if strings.Contains(text, " "+word) {
							want = append(want, segment.First+int64(i))
						}
					}
					rest = rest[segment.Count:]
				}
			}
			slices.Sort(want)
			slices.Reverse(want)
			for i, x := range users {
				if got := latest(t, x, index.Phrase{Words: []string{word}}); got != fmt.Sprint(want[:min(100, len(want))]) {
					t.Fatalf("step %d: user %d finds %s in %s, want %v", step, i, word, got, want)
				}
			}
		}
	}
	check(t, path)
}

// check has FTS5 check its own data.
func check(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("INSERT INTO doc (doc) VALUES ('integrity-check')"); err != nil {
		t.Errorf("integrity-check: %v", err)
	}
}
