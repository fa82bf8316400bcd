package pith_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

const head = `{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/p"}` + "\n"

// line is a message entry; parent "" is null.
func line(id, parent, role, text string) string {
	p := "null"
	if parent != "" {
		p = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"%s","content":[{"type":"text","text":"%s"}]}}`+"\n", id, p, role, text)
}

func write(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "2026-02-03T22-52-06-410Z_s1.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	then := time.Date(2026, 2, 3, 22, 52, 7, 0, time.UTC) // as its entries say
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, path string, o pith.Options) *pith.Session {
	t.Helper()
	s, err := pith.Open(t.Context(), path, o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func create(t testing.TB, o pith.Options) *pith.Session {
	t.Helper()
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	if o.Cwd == "" {
		o.Cwd = "/p"
	}
	s, err := pith.Create(o)
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func message(t testing.TB, role, text string) format.Message {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"role": role, "content": []map[string]string{{"type": "text", "text": text}}, "timestamp": int64(1770000000000)})
	if err != nil {
		t.Fatal(err)
	}
	m, err := format.DecodeMessage(raw)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func say(t testing.TB, s *pith.Session, text string) string {
	t.Helper()
	id, err := s.AppendMessage(t.Context(), message(t, "user", text))
	if err != nil {
		t.Fatalf("AppendMessage(%q): %v", text, err)
	}
	return id
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// said are the texts of the context's messages.
func said(t testing.TB, s *pith.Session) string {
	t.Helper()
	c, err := s.Context()
	if err != nil {
		t.Fatalf("Context: %v", err)
	}
	var out []string
	for m, err := range c.Messages() {
		if err != nil {
			t.Fatalf("Messages: %v", err)
		}
		d, err := format.DecodeMessage(m.Raw)
		if err != nil {
			t.Fatal(err)
		}
		switch m := d.(type) {
		case *format.User:
			out = append(out, m.Content.PlainText())
		case *format.Assistant:
			out = append(out, m.Content.PlainText())
		default:
			out = append(out, string(d.Role()))
		}
	}
	return strings.Join(out, "|")
}

func codes(s *pith.Session) string {
	var out []string
	for _, f := range s.Findings() {
		out = append(out, f.Code)
	}
	return strings.Join(out, " ")
}

// An answer that names no model leaves none, and no empty names.
func TestContextOfAnAnswerWithoutAModel(t *testing.T) {
	s, err := pith.InMemory(pith.Options{Cwd: "/project"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendModel(t.Context(), "anthropic", "claude"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendMessage(t.Context(), &format.Assistant{Content: format.TextContent("hi"), StopReason: "stop", Timestamp: 5}); err != nil {
		t.Fatal(err)
	}
	if c, err := s.Context(); err != nil || c.Model != nil {
		t.Errorf("Context().Model = %+v, %v; want nil", c.Model, err)
	}
}

// Changing a returned header does not affect the session.
func TestHeaderIsACopy(t *testing.T) {
	s := create(t, pith.Options{})
	say(t, s, "hello")
	want := string(s.Header().Raw)
	h := s.Header()
	h.Cwd, h.ID = "/elsewhere", "another"
	clear(h.Raw)
	if got := s.Header(); string(got.Raw) != want || got.Cwd == h.Cwd || s.ID() == h.ID {
		t.Errorf("after a change of the copy the header is %+v, %s", got, got.Raw)
	}
}
