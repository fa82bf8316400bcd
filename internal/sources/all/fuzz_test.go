package all_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/internal/sources/opencode"
	"github.com/pith-sessions/pith/tests/agents"
)

// The targets hold every translator to the same: whatever a program's file holds, it
// is translated to one sound session, always to the same one, and is not changed. (I19)

func FuzzClaude(f *testing.F)  { fuzzFile(f, "claude") }
func FuzzCodex(f *testing.F)   { fuzzFile(f, "codex") }
func FuzzGemini(f *testing.F)  { fuzzFile(f, "gemini") }
func FuzzQwen(f *testing.F)    { fuzzFile(f, "qwen") }
func FuzzCopilot(f *testing.F) { fuzzFile(f, "copilot") }
func FuzzKimi(f *testing.F)    { fuzzFile(f, "kimi") }

// readable is the number of the prompt that follows the input of a target.
const readable = 8437561920

func fuzzFile(f *testing.F, name string) {
	p, _ := all.Find(name)
	prompt := prompts[name]
	line := fmt.Sprintf(prompt, 1)
	f.Add([]byte(line + "\n" + line + "\n" + fmt.Sprintf(prompt, 2)))
	f.Add([]byte(line + "\n" + strings.Repeat(`{"a":[`, 20_000) + "\n\x00\x00\n\xff\xfe\n[]\n"))
	f.Add([]byte(strings.ReplaceAll(line, "U1", `\u001b]0;x\u0007<script>\u0000\ud800`) + "\n"))
	f.Add([]byte(strings.ReplaceAll(line, `u1`, "../../x"+strings.Repeat("y", 4096)) + "\n"))
	f.Add([]byte(strings.ReplaceAll(line, `"2026-11-17T01:49:54.368Z"`, `"9999999-99-99"`) + "\n"))
	seeds := 0
	err := filepath.WalkDir(fixtureRoots(f)[name], func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) != ".jsonl" || err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		for chunk := range bytes.SplitSeq(data, []byte("\n")) { // small inputs mutate well
			if len(chunk) > 0 && len(chunk) < 4096 {
				f.Add(append(append([]byte(line+"\n"), chunk...), '\n'))
				seeds++
			}
		}
		if len(data) < 64<<10 {
			f.Add(data)
		}
		return err
	})
	if err != nil || seeds == 0 {
		f.Fatalf("%d seeds, %v", seeds, err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = append(append(bytes.Clone(data), '\n'), fmt.Sprintf(prompt, readable)+"\n"...)
		root, file := write(t, name, data)
		first, again := twice(t, p, root)
		if len(first) != 1 {
			t.Errorf("%d sessions, want 1", len(first))
		}
		for name, lines := range first {
			if !bytes.Contains(lines, fmt.Appendf(nil, `"U%d"`, readable)) {
				t.Errorf("a sound line after the others is lost:\n%.2000s", lines)
			}
			for line := range bytes.Lines(lines) {
				if !json.Valid(line) {
					t.Errorf("not JSON: %.2000q", line)
				}
			}
			if len(lines) > 64<<10+20*len(data) {
				t.Errorf("%d bytes became %d", len(data), len(lines))
			}
			if !bytes.Equal(lines, again[name]) {
				t.Errorf("two translations differ:\n%.2000s\n%.2000s", lines, again[name])
			}
		}
		if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, data) {
			t.Errorf("the program's file changed: %v", err)
		}
	})
}

// FuzzOpenCode does the same with the rows of a database.
func FuzzOpenCode(f *testing.F) {
	db := openDatabase(f, filepath.Join(agents.Fixtures(f, "opencode-1.18.33"), "final.db"))
	rows, err := db.Query(`SELECT m.data, p.data FROM message m JOIN part p ON p.message_id = m.id WHERE length(m.data) + length(p.data) < 8192`)
	if err != nil {
		f.Fatal(err)
	}
	defer rows.Close()
	seeds := 0
	for rows.Next() {
		var message, part string
		if err := rows.Scan(&message, &part); err != nil {
			f.Fatal(err)
		}
		f.Add(message, part, "", "title", "msg_1")
		seeds++
	}
	if seeds == 0 {
		f.Fatalf("no seeds: %v", rows.Err())
	}
	f.Add(`{"role":"user","time":{"created":1e400}}`, `{"type":"file","url":"data:image/png;base64,x"}`, `{"messageID":"msg_1"}`, "\x1b]0;x\x07", "../\xff\x00")
	f.Fuzz(func(t *testing.T, message, part, revert, title, id string) {
		path := filepath.Join(t.TempDir(), "opencode.db")
		db := openDatabase(t, path)
		for _, q := range []struct {
			text string
			args []any
		}{
			{`CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text, title text, version text, revert text, time_created integer, time_updated integer)`, nil},
			{`CREATE TABLE message (id text PRIMARY KEY, session_id text, data text)`, nil},
			{`CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_updated integer, data text)`, nil},
			{`INSERT INTO session VALUES ('ses_1', NULL, '/p', ?, '1', ?, 1794880778000, 1794880778000)`, []any{title, revert}},
			{`INSERT OR IGNORE INTO message VALUES ('msg_0', 'ses_1', '{"role":"user"}'), (?, 'ses_1', ?), ('msg_2', 'ses_1', ?)`, []any{id, message, message}},
			{`INSERT INTO part VALUES ('prt_0', 'msg_0', 'ses_1', 1, '{"type":"text","text":"U1"}'), ('prt_1', ?, 'ses_1', 1, ?), ('prt_2', 'msg_2', 'ses_1', 1, ?)`, []any{id, part, part}},
		} {
			if _, err := db.Exec(q.text, q.args...); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		first, again := twice(t, opencode.Program{}, path)
		if len(first) != 1 || !bytes.Contains(first["ses_1.jsonl"], []byte("U1")) || !bytes.Equal(first["ses_1.jsonl"], again["ses_1.jsonl"]) {
			t.Errorf("%d sessions:\n%.2000s\n%.2000s", len(first), first["ses_1.jsonl"], again["ses_1.jsonl"])
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, before) {
			t.Errorf("the database changed: %v", err)
		}
	})
}

// twice translates the sessions of a root two times.
func twice(t testing.TB, p sources.Program, root string) (first, again map[string][]byte) {
	t.Helper()
	m := &agents.Translated{Program: p, Root: root, Dir: t.TempDir()}
	if err := m.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	first = files(t, m.Dir)
	if err := errors.Join(os.RemoveAll(m.Dir), m.Refresh(t.Context())); err != nil {
		t.Fatal(err)
	}
	return first, files(t, m.Dir)
}

func openDatabase(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
