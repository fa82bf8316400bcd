package search_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/catalog/search"
)

// now is when the queries of the tests are asked.
var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// write writes a file and its parent directories.
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

// inDir returns options that see only the sessions in a directory.
func inDir(t testing.TB, dir string) search.Options {
	return search.Options{Catalog: catalog.Options{Dir: dir, Home: t.TempDir(), Getenv: func(string) string { return "" }}}
}

// openIndex opens the index in a directory until the end of the test.
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

// parse parses a query for a search.
func parse(text string) (search.Query, error) {
	q, err := query.Parse(text, query.Env{Now: now})
	return search.For(q), err
}

// ask runs a query.
func ask(t testing.TB, query string, o search.Options) search.Results {
	t.Helper()
	return askWith(t.Context(), t, query, o)
}

func askWith(ctx context.Context, t testing.TB, query string, o search.Options) search.Results {
	t.Helper()
	q, err := parse(query)
	if err != nil {
		t.Fatalf("Parse(%q): %v", query, err)
	}
	r, err := search.Search(ctx, q, o)
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

// sortedWords are the words of a text in order.
func sortedWords(s string) string {
	words := strings.Fields(s)
	slices.Sort(words)
	return strings.Join(words, " ")
}
