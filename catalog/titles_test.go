package catalog_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/catalog"
)

// historySchema is what oh-my-pi 18.3.4 creates in history.db for its sessions.
const historySchema = `
CREATE TABLE IF NOT EXISTS session_titles (
	session_id TEXT PRIMARY KEY,
	title TEXT NOT NULL,
	updated_at INTEGER NOT NULL DEFAULT (CAST(strftime('%s','now') AS INTEGER))
);
CREATE TABLE IF NOT EXISTS session_recaps (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	session_id TEXT NOT NULL,
	cwd TEXT NOT NULL,
	recap TEXT NOT NULL,
	created_at INTEGER NOT NULL DEFAULT (CAST(strftime('%s','now') AS INTEGER))
);
CREATE INDEX IF NOT EXISTS idx_session_recaps_session ON session_recaps(session_id, created_at);`

// Lists name a session of oh-my-pi by the title in oh-my-pi's database if its
// file has none, and by the newest recap there if it has no title. A damaged database, or none, is like one without titles.
func TestTitlesInHistory(t *testing.T) {
	home := t.TempDir()
	agent := filepath.Join(home, ".omp", "agent")
	project := filepath.Join(agent, "sessions", "-p")
	history := filepath.Join(agent, "history.db")
	if err := os.MkdirAll(project, 0o700); err != nil {
		t.Fatal(err)
	}
	for id, more := range map[string]string{
		"plain":   "",
		"named":   `{"type":"session_info","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-02-03T10:00:01.000Z","name":"from the file"}` + "\n",
		"cleared": `{"type":"session_info","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-02-03T10:00:01.000Z","name":""}` + "\n",
	} {
		text := `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p"}` + "\n" +
			`{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-02-03T10:00:00.000Z","message":{"role":"user","content":"hello"}}` + "\n" + more
		if err := os.WriteFile(filepath.Join(project, id+".jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ix, err := catalog.OpenIndex(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	check := func(when, want string) {
		t.Helper()
		for _, index := range []*catalog.Index{nil, ix} {
			infos, err := catalog.Sorted(catalog.ListAll(t.Context(), catalog.Options{Home: home, Getenv: func(string) string { return "" }, Index: index}))
			names := map[string]string{}
			for _, info := range infos {
				names[info.ID] = info.Name
			}
			if err != nil || len(names) != 3 || names["plain"] != want || names["named"] != "from the file" || names["cleared"] != "" {
				t.Errorf("%s, index %t: names %q, %v; want %q for plain", when, index != nil, names, err, want)
			}
		}
	}
	check("no database", "")
	if err := os.WriteFile(history, []byte("SQLite format 3\x00 and then nothing of the kind"), 0o600); err != nil {
		t.Fatal(err)
	}
	check("a damaged database", "")
	if err := os.Remove(history); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(history)+"?_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, step := range []struct{ do, want string }{
		{"CREATE TABLE history (id INTEGER PRIMARY KEY, prompt TEXT NOT NULL)", ""},
		{historySchema, ""},
		{"INSERT INTO session_titles (session_id, title) VALUES ('plain', ' Parser fix '), ('named', 'x'), ('cleared', 'y')", "Parser fix"},
		{"UPDATE session_titles SET title = 'Parser, again' WHERE session_id = 'plain'", "Parser, again"},
		{"UPDATE session_titles SET title = x'ff' WHERE session_id = 'plain'", ""},
		{"INSERT INTO session_recaps (session_id, cwd, recap) VALUES ('plain', '/p', 'An older one'), ('plain', '/p', 'Fixed the parser.\nThen the tests.')", "Fixed the parser."},
		{"UPDATE session_titles SET title = 'Titled' WHERE session_id = 'plain'", "Titled"},
		{"DELETE FROM session_titles", "Fixed the parser."},
	} {
		if _, err := db.Exec(step.do); err != nil {
			t.Fatal(err)
		}
		check(step.do, step.want)
	}
	if err := db.Close(); err != nil { // as after oh-my-pi has ended
		t.Fatal(err)
	}
	check("closed", "Fixed the parser.")
	if left, err := os.ReadDir(agent); err != nil || len(left) != 2 {
		t.Errorf("%s contains %v, %v; want only history.db and sessions", agent, left, err)
	}
}
