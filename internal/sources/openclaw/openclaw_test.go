package openclaw_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/openclaw"
	"github.com/pith-sessions/pith/tests/agents"
)

const (
	head  = `{"type":"session","version":4,"id":"one","timestamp":"2026-11-15T21:27:38.234Z","cwd":"/p"}`
	ask   = `{"type":"message","id":"a","parentId":null,"timestamp":"2026-11-15T21:27:39.000Z","message":{"role":"user","content":"hello"}}`
	reply = `{"type":"message","id":"b","parentId":"a","timestamp":"2026-11-15T21:27:40.000Z","message":{"role":"assistant","content":[]}}`
)

// A store is an OpenClaw database that continues to be written.
type store struct {
	t    *testing.T
	path string
	db   *sql.DB
	n    int
}

func newStore(t *testing.T) *store {
	t.Helper()
	s := &store{t: t, path: filepath.Join(t.TempDir(), "openclaw-agent.sqlite")}
	var err error
	if s.db, err = sql.Open("sqlite", "file:"+filepath.ToSlash(s.path)+"?_pragma=journal_mode(WAL)"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.db.Close() })
	s.do(`CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER, event_zstd BLOB, event_utf8_bytes INTEGER)`)
	return s
}

func (s *store) do(query string, args ...any) {
	s.t.Helper()
	if _, err := s.db.Exec(query, args...); err != nil {
		s.t.Fatal(err)
	}
}

func (s *store) add(session string, text any, packed []byte) {
	s.t.Helper()
	s.n++
	s.do(`INSERT INTO transcript_events VALUES (?, ?, ?, ?, ?, ?)`, session, s.n, text, 1794778058234+int64(s.n), packed, 100)
}

func refresh(t *testing.T, database, dir string) error {
	return (&agents.Translated{Program: openclaw.Program{}, Root: database, Dir: dir}).Refresh(t.Context())
}

// lines are the files that a refresh makes, by their names.
func (s *store) lines(dir string) map[string]string {
	s.t.Helper()
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700), refresh(s.t, s.path, dir)); err != nil {
		s.t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		s.t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			s.t.Fatal(err)
		}
		out[filepath.Base(f)] = string(data)
	}
	return out
}

// The lines match the database while it is being written.
func TestRefresh(t *testing.T) {
	s, dir := newStore(t), t.TempDir()
	pack, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	s.add("one", head, nil)
	s.add("one", nil, pack.EncodeAll([]byte(ask), nil))
	if got := s.lines(dir); len(got) != 1 || got["one.jsonl"] != head+"\n"+ask+"\n" {
		t.Errorf("the files are %q", got)
	}
	if list, err := sources.List(t.Context(), openclaw.Program{}, s.path); err != nil || len(list) != 1 || list[0].Modified.UnixMilli() != 1794778058236 {
		t.Errorf("List = %v, %v; want the time of its last record", list, err)
	}
	s.add("one", "{\n"+strings.TrimPrefix(reply, "{"), nil)
	s.add("../two", ask, nil)
	got := s.lines(dir)
	if got["one.jsonl"] != head+"\n"+ask+"\n"+reply+"\n" || len(got) != 2 {
		t.Errorf("after more was written the files are %q", got)
	}
	for name, text := range got {
		if name != "one.jsonl" && (!strings.Contains(text, `"type":"session"`) || !strings.HasSuffix(text, ask+"\n")) {
			t.Errorf("a session without a header is %q: %s", name, text)
		}
	}
	s.do(`DELETE FROM transcript_events WHERE session_id = 'one'`)
	if got := s.lines(dir); len(got) != 1 || got["one.jsonl"] != "" {
		t.Errorf("after it was deleted there are %q", got)
	}
}

// A record that cannot be decompressed is reported every time, and neither the
// rest of its session nor any other is missing. Long IDs with a common prefix
// have separate files.
func TestRefreshDamaged(t *testing.T) {
	s, dir := newStore(t), t.TempDir()
	long := strings.Repeat("agent:main/", 20)
	s.add("one", head, nil)
	s.add("one", nil, []byte("not packed"))
	s.add("one", reply, nil)
	for _, id := range []string{"two", long + "a", long + "b"} {
		s.add(id, head, nil)
	}
	for range 2 {
		if err := refresh(t, s.path, dir); err == nil || !strings.Contains(err.Error(), "session one") {
			t.Errorf("Refresh = %v; want an error about the session one", err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "one.jsonl")); string(text) != head+"\n"+reply+"\n" {
		t.Errorf("the damaged session reads %q, %v", text, err)
	}
	s.do(`DELETE FROM transcript_events WHERE event_zstd IS NOT NULL`)
	if got := s.lines(dir); len(got) != 4 {
		t.Errorf("there are %d files; want 4: %q", len(got), got)
	}
}

// A file that is not a database is an error each time, and is not changed.
func TestNoDatabase(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other.sqlite")
	text := strings.Repeat("no database ", 100)
	if err := os.WriteFile(other, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if list, err := sources.List(t.Context(), openclaw.Program{}, other); err == nil || len(list) > 0 {
			t.Errorf("List = %v, %v; want an error", list, err)
		}
	}
	if now, err := os.ReadFile(other); err != nil || string(now) != text {
		t.Errorf("the file is %q, %v", now, err)
	}
}
