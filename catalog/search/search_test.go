package search_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/internal/corpus"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// now is when the queries of the tests are asked.
var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// write writes a file and the folders above it.
func write(t testing.TB, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// session is a file with a header and these lines.
func session(id, cwd string, lines ...string) string {
	head := fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-02-03T10:00:00.000Z","cwd":%q}`, id, cwd)
	return head + "\n" + strings.Join(lines, "\n") + "\n"
}

// line is an entry under the one before, made that many minutes after ten.
func line(typ string, n int, members string) string {
	parent := "null"
	if n > 1 {
		parent = fmt.Sprintf(`"e%d"`, n-1)
	}
	return fmt.Sprintf(`{"type":%q,"id":"e%d","parentId":%s,"timestamp":"2026-02-03T10:%02d:00.000Z",%s}`, typ, n, parent, n, members)
}

// message is a message of a role; content is JSON.
func message(n int, role, content string) string {
	return line("message", n, fmt.Sprintf(`"message":{"role":%q,"content":%s,"isError":false,"timestamp":%d}`, role, content, 1770112800000+n*60000))
}

// inDir are options that see the sessions in a folder and nothing else.
func inDir(t testing.TB, dir string) search.Options {
	return search.Options{Catalog: catalog.Options{Dir: dir, Home: t.TempDir(), Getenv: func(string) string { return "" }}}
}

// openIndex opens the index in a folder until the end of the test.
func openIndex(t testing.TB, dir string) *search.Index {
	t.Helper()
	ix, err := search.OpenIndex(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ix.Close(); err != nil {
			t.Error(err)
		}
	})
	return ix
}

func fill(t testing.TB, ix *search.Index, o search.Options) {
	t.Helper()
	if err := ix.Fill(t.Context(), search.Build{Catalog: o.Catalog}); err != nil {
		t.Fatalf("Fill: %v", err)
	}
}

// ask runs a query.
func ask(t testing.TB, query string, o search.Options) search.Results {
	t.Helper()
	q, err := search.Parse(query, now)
	if err != nil {
		t.Fatalf("Parse(%q): %v", query, err)
	}
	r, err := search.Search(t.Context(), q, o)
	if err != nil {
		t.Fatalf("Search(%q): %v", query, err)
	}
	return r
}

// entries are the sessions and entries of hits.
func entries(r search.Results) string {
	var out []string
	for _, h := range r.Hits {
		out = append(out, h.Session.ID+"/"+h.EntryID)
	}
	return strings.Join(out, " ")
}

func sample(t testing.TB) string {
	dir := t.TempDir()
	call := `[{"type":"thinking","thinking":"The linker pondered"},{"type":"text","text":"Let me look."},` +
		`{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"grep -n \"needle\" src/Main.go","path":"/w/src/Main.go","list":[{"deep":"buried treasure"}]}}]`
	write(t, filepath.Join(dir, "a.jsonl"), session("a", "/w/app",
		message(1, "user", `"Where is the ERROR in parse_config.go?"`),
		message(2, "assistant", call),
		line("message", 3, `"message":{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":"42:\tfound \"it\"\nline two"}],"isError":true}`),
		message(4, "assistant", `[{"type":"text","text":"Die Größe ist caf\u00e9, \u0065rror-free."}]`),
		line("compaction", 5, `"summary":"We fixed the parser","firstKeptEntryId":"e1","tokensBefore":9`),
		line("label", 6, `"targetId":"e1","label":"rootcause"`),
		line("session_info", 7, `"name":"Ärger mit dem Linker"`),
	))
	write(t, filepath.Join(dir, "b.jsonl"), session("b", "/w/lib",
		message(21, "user", `[{"type":"text","text":"日本語のテキスト検索"},{"type":"image","data":"bmVlZGxl","mimeType":"image/png"}]`),
		line("custom_message", 22, `"customType":"note","content":"an extension wrote this","display":true`),
		line("custom", 23, `"customType":"state","data":{"secret":"invisible"}`),
		line("message", 24, `"message":{"role":"bashExecution","command":"make test","output":"ok","exitCode":0}`),
		message(25, "user", `"Привет, МИР"`),
	))
	return dir
}

func TestQueries(t *testing.T) {
	dir := sample(t)
	tests := map[string]string{
		"error":                     "a/e4 a/e1",
		"ERROR":                     "a/e4 a/e1",
		"isError":                   "",
		"role":                      "",
		"content":                   "",
		"err":                       "",
		"err*":                      "a/e4 a/e1",
		"parse_config.go":           "a/e1",
		`"config go"`:               "a/e1",
		`"go config"`:               "",
		"config where":              "a/e1",
		"pondered":                  "a/e2",
		"treasure":                  "a/e2",
		"needle":                    "a/e2",
		`"grep -n needle"`:          "a/e2",
		`re:"-n "`:                  "a/e2",
		`re:-n\s"needle`:            "a/e2",
		"command":                   "",
		`re:found\s.it.\nline`:      "a/e3",
		`re:(?i)ERROR`:              "a/e4 a/e1",
		`re:ERROR`:                  "a/e1",
		`re:(where|pondered|кот)`:   "a/e2",
		`re:[A-Z]{5}`:               "a/e1",
		"café":                      "a/e4",
		"cafe":                      "",
		"größe":                     "a/e4",
		"GRÖSSE":                    "",
		"GRÖßE":                     "a/e4",
		"parser":                    "a/e5",
		"rootcause":                 "a/e6",
		"ärger":                     "a/e7",
		"ÄRGER":                     "a/e7",
		"テキスト":                      "b/e21",
		"本語":                        "b/e21",
		"本の":                        "",
		"extension":                 "b/e22",
		"invisible":                 "",
		"bmVlZGxl":                  "",
		"make":                      "b/e24",
		"привет мир":                "b/e25",
		"linker":                    "a/e7 a/e2",
		"linker role:name":          "a/e7",
		"role:user":                 "b/e25 b/e21 a/e1",
		"role:summary":              "a/e5",
		"role:label":                "a/e6",
		"role:bash":                 "b/e24",
		"role:custom":               "b/e22",
		"tool:bash":                 "a/e3 a/e2",
		"tool:bash found":           "a/e3",
		"file:main.go":              "a/e2",
		"file:src/Main look":        "a/e2",
		"file:nothing.go":           "",
		"error project:w/app":       "a/e4 a/e1",
		"error project:lib":         "",
		"error since:2026-02-04":    "",
		"error until:2026-02-03":    "a/e4 a/e1",
		"error until:2026-02-02":    "",
		"error since:3mo":           "a/e4 a/e1",
		"since:2026-02-03T10:04+00": "", // no such key and value: words
		"42":                        "a/e3",
		"?":                         "a/e1",
		`"?" where`:                 "a/e1",
	}
	delete(tests, "since:2026-02-03T10:04+00")
	plain := inDir(t, dir)
	indexed := plain
	indexed.Index = openIndex(t, t.TempDir())
	fill(t, indexed.Index, indexed)
	for query, want := range tests {
		for how, o := range map[string]search.Options{"scan": plain, "index": indexed} {
			if got := entries(ask(t, query, o)); got != want {
				t.Errorf("%s: Search(%s) = %q, want %q", how, query, got, want)
			}
			o.Order = search.Best
			if got, want := sortedWords(entries(ask(t, query, o))), sortedWords(want); got != want {
				t.Errorf("%s, best: Search(%s) = %q, want %q", how, query, got, want)
			}
		}
	}
	if r := ask(t, "error", indexed); r.Scanned != 0 || r.Unindexed != 0 || r.Sessions != 2 {
		t.Errorf("Search with a full index: %d bytes read, %d not indexed, %d sessions; want 0, 0, 2", r.Scanned, r.Unindexed, r.Sessions)
	}
}

func sortedWords(s string) string {
	words := strings.Fields(s)
	for i := range words {
		for j := i; j > 0 && words[j] < words[j-1]; j-- {
			words[j], words[j-1] = words[j-1], words[j]
		}
	}
	return strings.Join(words, " ")
}

func TestQueryErrors(t *testing.T) {
	for _, query := range []string{"", "  ", `""`, "re:(", "role:nobody x", "since:whenever x", "branch:some x", "project:x", strings.Repeat("x ", 100)} {
		if q, err := search.Parse(query, now); err == nil {
			t.Errorf("Parse(%q) = %+v, want an error", query, q)
		}
	}
}

// The marks of a snippet are where the terms are.
func TestSnippets(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("filler words ", 40) + "the  Needle\n\tis here, needle*again " + strings.Repeat("and more ", 60)
	text, err := json.Marshal(long)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "a.jsonl"), session("a", "/w", message(1, "user", string(text))))
	for _, query := range []string{"needle", `"needle is"`, "re:[Nn]eedle"} {
		r := ask(t, query, inDir(t, dir))
		if len(r.Hits) != 1 {
			t.Fatalf("Search(%s) = %d hits", query, len(r.Hits))
		}
		s := r.Hits[0].Snippet
		if !s.Before || !s.After || len(s.Marks) == 0 || len(s.Text) > 400 || strings.Contains(s.Text, "  ") {
			t.Errorf("Search(%s): snippet %+v", query, s)
		}
		for _, m := range s.Marks {
			if !strings.HasPrefix(strings.ToLower(s.Text[m.Start:m.End]), "needle") {
				t.Errorf("Search(%s): mark %q in %q", query, s.Text[m.Start:m.End], s.Text)
			}
		}
	}
}

// S1: the hits are the same whatever the index knows, and however files change.
func TestIndexChangesNothing(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for seed := range uint64(10) {
		text := corpus.Bytes(corpus.Options{Seed: seed, Entries: 25, Branches: 2, CompactEvery: 12, Labels: 2, Cwd: fmt.Sprintf("/w/%d", seed%3),
			Start: now.Add(-time.Duration(seed) * time.Hour), Name: fmt.Sprintf("name %d", seed)})
		paths = append(paths, write(t, filepath.Join(dir, fmt.Sprintf("%02d.jsonl", seed)), string(text)))
	}
	plain := inDir(t, dir)
	cache := t.TempDir()
	queries := []string{
		"error", `"the worker"`, "wor* index", "role:user the", "tool:bash the", "branch:active return", "project:w/1 the",
		`re:func\s+\w+`, "nothinglikethis", "file:package.json",
	}
	compare := func(what string) {
		t.Helper()
		// Found anew by every process.
		ix, err := search.OpenIndex(cache)
		if err != nil {
			t.Fatal(err)
		}
		defer ix.Close()
		indexed := plain
		indexed.Index = ix
		for _, query := range queries {
			for _, limit := range []int{3, 10_000} {
				plain.Limit, indexed.Limit = limit, limit
				want, got := ask(t, query, plain), ask(t, query, indexed)
				if entries(got) != entries(want) || got.More != want.More {
					t.Fatalf("%s: Search(%s), limit %d\nwith index    %s\nwithout index %s", what, query, limit, entries(got), entries(want))
				}
				if limit == 3 {
					continue
				}
				indexed.Order = search.Best
				if best := ask(t, query, indexed); sortedWords(entries(best)) != sortedWords(entries(want)) {
					t.Fatalf("%s: Search(%s), best first\nwith index    %s\nwithout index %s", what, query, entries(best), entries(want))
				}
				indexed.Order = search.Newest
			}
		}
	}
	appendTo := func(path, text string) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	refill := func() {
		t.Helper()
		ix, err := search.OpenIndex(cache)
		if err != nil {
			t.Fatal(err)
		}
		defer ix.Close()
		fill(t, ix, plain)
	}
	compare("empty index")
	refill()
	compare("full index")
	appendTo(paths[4], message(90, "user", `"one more error of the worker"`)+"\n")
	appendTo(paths[5], message(91, "user", `"a torn error of the worker"`)[:70])
	compare("appended")
	refill()
	compare("appended and filled")
	appendTo(paths[5], message(91, "user", `"a torn error of the worker"`)[70:]+"\n")
	compare("completed")
	refill()
	if err := os.Rename(paths[6], paths[6]+".jsonl"); err != nil {
		t.Fatal(err)
	}
	compare("renamed")
	refill()
	compare("renamed and filled")
	write(t, paths[7], session("other", "/w/1", message(1, "user", `"the worker was replaced"`)))
	if err := os.Truncate(paths[8], 5_000); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(paths[9]); err != nil {
		t.Fatal(err)
	}
	compare("rewritten, truncated, deleted")
	refill()
	compare("rewritten, truncated, deleted and filled")
	refill()
	damageInside(t, filepath.Join(cache, "text.db"))
	compare("damaged inside")
	refill()
	compare("made anew")
	write(t, filepath.Join(cache, "text.db"), strings.Repeat("damaged ", 1000))
	compare("damaged")
}

// damageInside makes all pages of a database but the first unreadable.
func damageInside(t testing.TB, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte(strings.Repeat("x", int(info.Size()-4096))), 4096); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// Two that fill one index at once do each document once.
func TestFillTogether(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	for seed := range uint64(6) {
		text := corpus.Bytes(corpus.Options{Seed: seed, Entries: 40})
		write(t, filepath.Join(dir, fmt.Sprintf("%02d.jsonl", seed)), string(text))
	}
	o := inDir(t, dir)
	var wg sync.WaitGroup
	for range 3 {
		ix := openIndex(t, cache)
		wg.Go(func() {
			if err := ix.Fill(t.Context(), search.Build{Catalog: o.Catalog}); err != nil {
				t.Errorf("Fill: %v", err)
			}
		})
	}
	wg.Wait()
	want := entries(ask(t, "the", o))
	o.Index = openIndex(t, cache)
	if r := ask(t, "the", o); r.Unindexed != 0 || r.Scanned != 0 || entries(r) != want {
		t.Errorf("Search = %q, %d bytes not indexed, %d read; want %q, 0, 0", entries(r), r.Unindexed, r.Scanned, want)
	}
}

// Fill stops when its time is up, and goes on later where it stopped.
func TestFillInPieces(t *testing.T) {
	dir := t.TempDir()
	for seed := range uint64(6) {
		text := corpus.Bytes(corpus.Options{Seed: seed, Bytes: 400_000})
		write(t, filepath.Join(dir, fmt.Sprintf("%02d.jsonl", seed)), string(text))
	}
	o := inDir(t, dir)
	o.Index = openIndex(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	if err := o.Index.Fill(ctx, search.Build{Catalog: o.Catalog, Progress: func(done, total int64) { cancel() }}); err != nil {
		t.Fatalf("Fill = %v, want nil although it was ended", err)
	}
	cancel()
	half := ask(t, "error", o)
	if half.Unindexed == 0 {
		t.Fatal("everything was indexed at once: this test tests nothing")
	}
	fill(t, o.Index, o)
	whole := ask(t, "error", o)
	if whole.Unindexed != 0 || entries(whole) != entries(half) || len(whole.Hits) == 0 {
		t.Errorf("after the second Fill %d bytes are not indexed, %d hits; want 0, %d", whole.Unindexed, len(whole.Hits), len(half.Hits))
	}
}
