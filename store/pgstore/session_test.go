package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/tests/pgtest"
)

const project = "/home/u/project"

func say(tb testing.TB, s *pith.Session, text string) string {
	tb.Helper()
	id, err := s.AppendMessage(tb.Context(), format.NewUser(text, time.Now()))
	if err != nil {
		tb.Fatalf("AppendMessage(%s) = %v", text, err)
	}
	return id
}

func reopen(tb testing.TB, path string, o pith.Options) *pith.Session {
	tb.Helper()
	s, err := pith.Open(tb.Context(), path, o)
	if err != nil {
		tb.Fatalf("Open = %v; want a session", err)
	}
	tb.Cleanup(func() { s.Close() })
	return s
}

// said is what the context of a session holds.
func said(tb testing.TB, s *pith.Session) string {
	tb.Helper()
	c, err := s.Context()
	if err != nil {
		tb.Fatalf("Context = %v", err)
	}
	var all []string
	for m, err := range c.Messages() {
		if err != nil {
			tb.Fatalf("Messages: %v", err)
		}
		decoded, err := format.DecodeMessage(m.Raw)
		if err != nil {
			tb.Fatalf("Decode: %v", err)
		}
		switch m := decoded.(type) {
		case *format.User:
			all = append(all, m.Content.PlainText())
		case *format.Assistant:
			all = append(all, m.Content.PlainText())
		default:
			all = append(all, fmt.Sprintf("[%s]", decoded.Role()))
		}
	}
	return strings.Join(all, " | ")
}

func newSession(tb testing.TB, o pith.Options) *pith.Session {
	tb.Helper()
	o.Cwd = project
	s, err := pith.Create(o)
	if err != nil {
		tb.Fatalf("Create = %v", err)
	}
	tb.Cleanup(func() { s.Close() })
	return s
}

func TestSessionLife(t *testing.T) {
	o := pith.Options{Store: connect(t, pgtest.DSN(t), pgstore.Options{}), Dir: "/sessions", Sync: true}
	s := newSession(t, o)
	a := say(t, s, "plan")
	say(t, s, "this way")
	if err := s.Branch(a); err != nil {
		t.Fatal(err)
	}
	b := say(t, s, "another way")
	if _, err := s.SetName(t.Context(), "choices"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SetLabel(t.Context(), b, "better"); err != nil {
		t.Fatal(err)
	}
	again := reopen(t, s.File(), o)
	if got := said(t, again); got != "plan | another way" || again.Name() != "choices" || again.View().Label(b) != "better" {
		t.Errorf("opened again: %q, name %q, label %q", got, again.Name(), again.View().Label(b))
	}

	elsewhere := o
	elsewhere.Cwd = "/home/u/other"
	fork, err := pith.ForkFrom(t.Context(), s.File(), elsewhere)
	if err != nil {
		t.Fatalf("ForkFrom = %v", err)
	}
	defer fork.Close()
	if fork.View().Len() != s.View().Len() || fork.Cwd() != "/home/u/other" {
		t.Errorf("the fork has %d entries for %s; want %d for /home/u/other", fork.View().Len(), fork.Cwd(), s.View().Len())
	}
	path, err := s.Clone(t.Context(), b)
	if err != nil {
		t.Fatalf("Clone = %v", err)
	}
	defer path.Close()
	if got := said(t, reopen(t, path.File(), o)); got != "plan | another way" {
		t.Errorf("the extracted session says %q", got)
	}
	ask, err := s.Fork(t.Context(), b)
	if err != nil {
		t.Fatalf("Fork = %v", err)
	}
	defer ask.Close()
	if got := said(t, ask); got != "plan" {
		t.Errorf("the fork before the entry says %q; want what led to it", got)
	}

	if _, err := again.AppendCompaction(t.Context(), format.Compaction{Summary: "we planned", FirstKeptEntryID: b}); err != nil {
		t.Fatalf("AppendCompaction = %v", err)
	}
	if _, err := again.BranchWithSummary(t.Context(), a, format.BranchSummary{Summary: "left it"}); err != nil {
		t.Fatalf("BranchWithSummary = %v", err)
	}
	if got, want := said(t, again), "plan | [branchSummary]"; got != want {
		t.Errorf("after a branch summary: %q; want %q", got, want)
	}
	if err := again.Branch(b); err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Fatalf("Close = %v", err)
	}
	if got := reopen(t, s.File(), o).LeafID(); got == "" {
		t.Error("the leaf was not recorded by Close")
	}
}

const oldSession = `{"type":"session","id":"0197a3f0-0000-7000-8000-000000000001","timestamp":"2025-11-01T10:00:00.000Z","cwd":"/home/u/project"}
{"type":"message","timestamp":"2025-11-01T10:00:01.000Z","message":{"role":"user","content":"old words","timestamp":1761991201000}}
{"type":"message","timestamp":"2025-11-01T10:00:02.000Z","message":{"role":"user","content":"more","timestamp":1761991202000},"odd":"\u0000 \ud800"}
`

func TestSessionMigrates(t *testing.T) {
	s := connect(t, pgtest.DSN(t), pgstore.Options{})
	o := pith.Options{Store: s}
	fresh(t, s, "/sessions/old.jsonl", store.Bytes([]byte(oldSession)))
	old, other := reopen(t, "/sessions/old.jsonl", o), reopen(t, "/sessions/old.jsonl", o)
	if !old.NeedsMigration() {
		t.Fatal("the session needs no migration: this test tests nothing")
	}
	say(t, old, "new words")
	if got := said(t, reopen(t, "/sessions/old.jsonl", o)); got != "old words | more | new words" {
		t.Errorf("the migrated session says %q", got)
	}
	backup, err := s.Open(t.Context(), "/sessions/old.jsonl.old.bak")
	if err != nil {
		t.Fatalf("Open of the backup = %v", err)
	}
	defer backup.Close()
	if got := string(read(t, backup)); got != oldSession {
		t.Errorf("the backup holds %q; want the old bytes", got)
	}
	if n, err := other.Refresh(t.Context()); n != 1 || err != nil || other.NeedsMigration() {
		t.Errorf("Refresh of a handle on the old log = %d, %v; want 1, nil", n, err)
	}
}

func TestSessionConflictAndFollow(t *testing.T) {
	dsn, schema := pgtest.DSN(t), pgtest.Schema(t)
	here := pith.Options{Store: connect(t, dsn, pgstore.Options{Schema: schema}), Dir: "/sessions"}
	there := here
	there.Store = connect(t, dsn, pgstore.Options{Schema: schema}) // as another process has it
	a := newSession(t, here)
	say(t, a, "one")
	b := reopen(t, a.File(), there)
	say(t, b, "two, from there")
	_, err := a.AppendMessage(t.Context(), format.NewUser("lost?", time.Now()))
	var stale *pith.StaleError
	if !errors.As(err, &stale) || len(stale.Entries) != 1 {
		t.Fatalf("AppendMessage after another's = %v; want a StaleError with one entry", err)
	}
	a.Follow()
	say(t, a, "three")
	if n, err := b.Refresh(t.Context()); n != 1 || err != nil {
		t.Errorf("Refresh = %d, %v; want 1, nil", n, err)
	}
	b.Follow()
	if got, want := said(t, b), "one | two, from there | three"; got != want {
		t.Errorf("followed: %q; want %q", got, want)
	}
}

// roleSession says things in a session for ever, and prints how many after each.
func roleSession(s *pgstore.Store, name, self string) error {
	session, err := pith.Open(context.Background(), name, pith.Options{Store: s, OnConflict: pith.FollowNew})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		if _, err := session.AppendMessage(context.Background(), format.NewUser(fmt.Sprintf("%s %d", self, i), time.Now())); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

// Processes that write one session concurrently, and are killed, leave one
// conversation with everything that was acknowledged.
func TestSessionOfManyProcesses(t *testing.T) {
	dsn, schema := pgtest.DSN(t), pgtest.Schema(t)
	o := pith.Options{Store: connect(t, dsn, pgstore.Options{Schema: schema}), Dir: "/sessions"}
	s := newSession(t, o)
	say(t, s, "begin")
	acknowledged := map[string]int{}
	var children []*child
	for _, writer := range []string{"w0", "w1", "w2"} {
		children = append(children, startRole(t, "session", dsn, schema, s.File(), writer))
	}
	for range 10 {
		for _, c := range children {
			c.next(t)
		}
	}
	for i, c := range children {
		acknowledged[fmt.Sprint("w", i)] = 10 + c.kill()
	}
	last := reopen(t, s.File(), o)
	if findings := last.Findings(); len(findings) != 0 {
		t.Errorf("Findings = %v; want none", findings)
	}
	found := map[string]int{}
	for text := range strings.SplitSeq(said(t, last), " | ") {
		if writer, number, ok := strings.Cut(text, " "); ok {
			if number != fmt.Sprint(found[writer]) {
				t.Fatalf("%q follows %d others of the same writer", text, found[writer])
			}
			found[writer]++
		}
	}
	for writer, n := range acknowledged {
		if found[writer] != n && found[writer] != n+1 {
			t.Errorf("%s: the conversation has %d messages; %d were acknowledged", writer, found[writer], n)
		}
	}
}

// The engine continues when the server is back.
func TestSessionOutlivesServer(t *testing.T) {
	server := pgtest.Start(t)
	o := pith.Options{Store: connect(t, server.DSN(), pgstore.Options{Schema: "pith", Patience: -1}), Dir: "/sessions"}
	s := newSession(t, o)
	say(t, s, "before")
	server.Crash()
	if _, err := s.AppendMessage(t.Context(), format.NewUser("nobody hears", time.Now())); !errors.Is(err, pgstore.ErrUnavailable) {
		t.Errorf("AppendMessage without a server = %v; want ErrUnavailable", err)
	}
	server.Start(t)
	for {
		_, err := s.AppendMessage(t.Context(), format.NewUser("after", time.Now()))
		if err == nil {
			break
		}
		if !errors.Is(err, pgstore.ErrUnavailable) {
			t.Fatalf("AppendMessage when the server is back = %v", err)
		}
	}
	if got := said(t, reopen(t, s.File(), o)); got != "before | after" {
		t.Errorf("the session says %q; want %q", got, "before | after")
	}
}

// BenchmarkOpen opens a session of 100 MB.
func BenchmarkOpen(b *testing.B) {
	const size = 100 << 20
	s := connect(b, pgtest.DSN(b), pgstore.Options{})
	fresh(b, s, "/sessions/large.jsonl", func(w io.Writer) error {
		_, err := fmt.Fprintln(w, `{"type":"session","version":3,"id":"0197a3f0-0000-7000-8000-000000000002","timestamp":"2025-11-01T10:00:00.000Z","cwd":"/home/u/project"}`)
		if err != nil {
			return err
		}
		return writeLines(w, size)
	})
	b.SetBytes(size)
	for b.Loop() {
		session, err := pith.Open(b.Context(), "/sessions/large.jsonl", pith.Options{Store: s})
		if err != nil || session.View().Len() < 1000 {
			b.Fatal(err)
		}
		session.Close()
	}
}

// Whether an id is free is asked of the store, not of the disk.
func TestIDIsTakenInTheStore(t *testing.T) {
	s := connect(t, pgtest.DSN(t), pgstore.Options{Schema: pgtest.Schema(t)})
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "one.jsonl"), []byte(`{"type":"session","version":3,"id":"one","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	begin := func(day int) error {
		n, err := pith.Create(pith.Options{Cwd: "/", Store: s, Dir: dir, ID: "one", Now: func() time.Time { return time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC) }})
		if err != nil {
			return err
		}
		defer n.Close()
		_, err = n.AppendMessage(t.Context(), format.NewUser("hello", time.Now()))
		return err
	}
	if err := begin(1); err != nil {
		t.Errorf("a file of that id on the disk is in the way: %v", err)
	}
	if err := begin(2); !errors.Is(err, pith.ErrExists) {
		t.Errorf("a second session of the id: %v; want ErrExists", err)
	}
}
