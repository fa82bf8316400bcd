package catalog_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
)

// The sessions of other agents are listed and opened without a copy, and read
// again only after a change.
func TestForeignSessions(t *testing.T) {
	home, cache := t.TempDir(), t.TempDir()
	path := filepath.Join(home, ".claude", "projects", "-p", "c1a0de00.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	rewrite := func(text string, at time.Time) {
		t.Helper()
		line := fmt.Sprintf(`{"type":"user","uuid":"u1","parentUuid":null,"timestamp":"2026-11-17T01:49:54.368Z","cwd":"/p","message":{"role":"user","content":%q}}`, text)
		if err := os.WriteFile(path, []byte(line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	ix, err := catalog.OpenIndex(cache)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	o := catalog.Options{Home: home, Getenv: func(string) string { return "" }, Index: ix}
	first := func() string {
		t.Helper()
		infos, err := catalog.Sorted(catalog.ListAll(t.Context(), o))
		if err != nil || len(infos) != 1 || infos[0].Path != path || infos[0].Root != "claude" {
			t.Fatalf("ListAll = %+v, %v", infos, err)
		}
		return infos[0].FirstMessage
	}
	rewrite("one", old)
	if got := first(); got != "one" {
		t.Errorf("the first message is %q", got)
	}
	rewrite("two", old)
	if got := first(); got != "one" {
		t.Errorf("a file of the same size and time was read again: %q", got)
	}
	rewrite("three", old.Add(time.Minute))
	if got := first(); got != "three" {
		t.Errorf("after a change the first message is %q", got)
	}
	ref, err := catalog.Resolve(t.Context(), "c1a0de00", "/p", o)
	if err != nil || ref.Path != path {
		t.Fatalf("Resolve = %+v, %v", ref, err)
	}
	s, err := pith.Open(t.Context(), ref.Path, pith.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Header().Source != "claude" || s.File() != path {
		t.Errorf("opened %s of %s", s.File(), s.Header().Source)
	}
	if _, err := s.SetName(t.Context(), "name"); err == nil {
		t.Error("SetName wrote to another agent's session")
	}
	files, err := os.ReadDir(cache)
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), "pith.db") {
			t.Errorf("the cache contains %s", f.Name())
		}
	}
	if err != nil || len(files) == 0 {
		t.Errorf("the cache contains %v, %v", files, err)
	}
}

// A list that also collects ids reads sessions once, and keeps all that it read.
func TestForeignSessionsAreReadOnce(t *testing.T) {
	home, cache := t.TempDir(), t.TempDir()
	path := filepath.Join(home, ".claude", "projects", "-p", "c1a0de00.jsonl")
	write(t, path, `{"type":"user","uuid":"u1","parentUuid":null,"timestamp":"2026-11-17T01:49:54.368Z","cwd":"/p","message":{"role":"user","content":"one"}}`+"\n")
	var ids []string
	o := catalog.Options{Home: home, Getenv: func(string) string { return "" }, Index: openIndex(t, cache), IDs: func(list []string) { ids = list }}
	infos, err := catalog.Sorted(catalog.ListAll(t.Context(), o))
	if err != nil || len(infos) != 1 || !slices.Equal(ids, []string{infos[0].ID}) {
		t.Fatalf("ListAll = %+v, %v; ids %q", infos, err, ids)
	}
	db, err := sql.Open("sqlite", catalog.IndexFiles(cache)[0])
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var messages int
	if err := db.QueryRow("SELECT messages FROM file").Scan(&messages); err != nil || messages != 1 {
		t.Errorf("the row of the session has %d messages, %v", messages, err)
	}
}

// A root that cannot be listed for a moment loses no row of the index.
func TestUnlistedRootKeepsRows(t *testing.T) {
	home, cache := t.TempDir(), t.TempDir()
	database := filepath.Join(home, ".openclaw", "agents", "main", "agent", "openclaw-agent.sqlite")
	if err := os.MkdirAll(filepath.Dir(database), 0o700); err != nil {
		t.Fatal(err)
	}
	statements(t, database, "CREATE TABLE transcript_events (session_id, seq, event_json, created_at, event_zstd, event_utf8_bytes)",
		`INSERT INTO transcript_events VALUES ('one', 1, '{"type":"session","version":4,"id":"one","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/p"}', 1, NULL, 90)`)
	ix, err := catalog.OpenIndex(cache)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	var skipped []string
	o := catalog.Options{Home: home, Getenv: func(string) string { return "" }, Index: ix, Skipped: func(path string, _ error) { skipped = append(skipped, path) }}
	list := func() (ids []string) {
		t.Helper()
		for info, err := range catalog.ListAll(t.Context(), o) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, info.ID)
		}
		return ids
	}
	if ids := list(); !slices.Equal(ids, []string{"one"}) || len(skipped) > 0 {
		t.Fatalf("listed %q, skipped %q", ids, skipped)
	}
	rows := func() (n int) {
		db, err := sql.Open("sqlite", catalog.IndexFiles(cache)[0])
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := db.QueryRow("SELECT count(*) FROM file").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if err := os.Rename(database, database+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(database, []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if ids := list(); !slices.Equal(ids, []string{"one"}) || len(skipped) != 1 || rows() != 1 {
		t.Errorf("listed %q, skipped %q, %d rows; want the session as it was, and one warning", ids, skipped, rows())
	}
	if err := os.Rename(database+".away", database); err != nil {
		t.Fatal(err)
	}
	if ids := list(); len(ids) != 1 {
		t.Errorf("listed %q", ids)
	}
}

// Sessions of OpenCode are listed as they were while its database is locked or
// damaged, with one warning. Opening one says why it cannot be read.
func TestLockedDatabaseKeepsSessions(t *testing.T) {
	home := t.TempDir()
	database := filepath.Join(home, ".local", "share", "opencode", "opencode.db")
	if err := os.MkdirAll(filepath.Dir(database), 0o700); err != nil {
		t.Fatal(err)
	}
	statements(t, database,
		"CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text, title text, version text, revert text, time_created integer, time_updated integer)",
		"CREATE TABLE message (id text PRIMARY KEY, session_id text, data text)",
		"CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_updated integer, data text)",
		"INSERT INTO session VALUES ('ses_1', NULL, '/p', 'one', '1', NULL, 1, 1), ('ses_2', NULL, '/p', 'two', '1', NULL, 2, 2)",
		`INSERT INTO message VALUES ('msg_1', 'ses_1', '{"role":"user"}')`,
		`INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', 1, '{"type":"text","text":"hello"}')`)
	ix, err := catalog.OpenIndex(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	var skipped []string
	o := catalog.Options{Home: home, Getenv: func(string) string { return "" }, Index: ix, Responses: true, Touched: true,
		Skipped: func(path string, _ error) { skipped = append(skipped, path) }}
	list := func() string {
		t.Helper()
		skipped = nil
		infos, err := catalog.Sorted(catalog.ListAll(t.Context(), o))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, info := range infos {
			names = append(names, info.Name+": "+info.FirstMessage)
		}
		return strings.Join(names, ", ")
	}
	const all = "two: (no messages), one: hello"
	if got := list(); got != all || len(skipped) > 0 {
		t.Fatalf("listed %q, skipped %q", got, skipped)
	}
	db, err := sql.Open("sqlite", database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	if got := list(); got != all || len(skipped) != 1 {
		t.Errorf("locked: listed %q, skipped %q; want %q and one warning", got, skipped, all)
	}
	_, err = pith.Open(t.Context(), filepath.Join(database, "ses_1.jsonl"), pith.Options{ReadOnly: true})
	if err == nil || !strings.Contains(err.Error(), "locked") {
		t.Errorf("Open of a locked session = %v", err)
	}
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if got := list(); got != all || len(skipped) > 0 {
		t.Errorf("free again: listed %q, skipped %q", got, skipped)
	}
}

// statements executes statements in a database.
func statements(t *testing.T, path string, all ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, one := range all {
		if _, err := db.Exec(one); err != nil {
			t.Fatal(err)
		}
	}
}
