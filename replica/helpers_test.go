package replica_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/tests/pgtest"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		playRole(role)
		return
	}
	os.Exit(pgtest.Main(m))
}

// A site is one machine of a person, with a directory for its sessions.
type site struct {
	*replica.Team
	tb   testing.TB
	dir  string
	path string
}

const sessionID = "0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"

// newTeam makes a folder for the machines of one person.
func newTeam(tb testing.TB) *replica.Folder {
	tb.Helper()
	f, err := replica.NewFolder(tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

// initTeam makes the tables of a team of which pgtest.User is the only person.
func initTeam(tb testing.TB, dsn, schema string) *pgteam.Store {
	tb.Helper()
	s, err := pgteam.Init(tb.Context(), dsn, "", pgstore.Options{Schema: schema})
	if err != nil {
		tb.Fatalf("Init = %v", err)
	}
	tb.Cleanup(s.Close)
	return s
}

// personOf is whose copies a store has.
func personOf(s replica.Store) string {
	if p, ok := s.(interface{ Person() string }); ok {
		return p.Person()
	}
	return ""
}

func newSite(tb testing.TB, s replica.Store, machine string, change ...func(*replica.Options)) *site {
	tb.Helper()
	o := replica.Options{Person: personOf(s), Machine: machine, Now: func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) }}
	for _, f := range change {
		f(&o)
	}
	team, err := replica.New(s, o)
	if err != nil {
		tb.Fatalf("New = %v", err)
	}
	dir := tb.TempDir()
	return &site{team, tb, dir, filepath.Join(dir, "2026-03-04T05-06-07-000Z_"+sessionID+".jsonl")}
}

// header and the following make lines of a session.
func header(id string) string {
	return fmt.Sprintf(`{"type":"session","version":3,"id":"%s","timestamp":"2026-03-04T05:06:07.000Z","cwd":"/home/ana/project"}`+"\n", id)
}

func message(id, parent, text string) string {
	if parent == "" {
		parent = "null"
	} else {
		parent = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-03-04T05:06:08.000Z","message":{"role":"user","content":"%s"}}`+"\n", id, parent, text)
}

func nameLine(id, parent, when, name string) string {
	return fmt.Sprintf(`{"type":"session_info","id":"%s","parentId":"%s","timestamp":"%s","name":"%s"}`+"\n", id, parent, when, name)
}

func labelLine(id, parent, when, target, label string) string {
	return fmt.Sprintf(`{"type":"label","id":"%s","parentId":"%s","timestamp":"%s","targetId":"%s","label":"%s"}`+"\n", id, parent, when, target, label)
}

func (s *site) write(text ...string) {
	s.tb.Helper()
	if err := os.WriteFile(s.path, []byte(strings.Join(text, "")), 0o600); err != nil {
		s.tb.Fatal(err)
	}
}

func (s *site) add(text ...string) {
	s.tb.Helper()
	f, err := os.OpenFile(s.path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = io.WriteString(f, strings.Join(text, ""))
		f.Close()
	}
	if err != nil {
		s.tb.Fatal(err)
	}
}

func (s *site) read() string {
	s.tb.Helper()
	data, err := os.ReadFile(s.path)
	if err != nil {
		s.tb.Fatal(err)
	}
	return string(data)
}

func (s *site) push() replica.Pushed {
	s.tb.Helper()
	done, err := s.Push(s.tb.Context(), s.path, replica.PushOptions{})
	if err != nil {
		s.tb.Fatalf("Push from %s = %v", s.Machine, err)
	}
	return done
}

// copies are those of the session that the store shows.
func (s *site) copies() []replica.Copy {
	s.tb.Helper()
	l, err := s.List(s.tb.Context(), "", sessionID)
	if err != nil {
		s.tb.Fatalf("List = %v", err)
	}
	return l.Copies
}

func (s *site) pull() replica.Pulled {
	s.tb.Helper()
	done, err := s.Pull(s.tb.Context(), s.copies(), s.path)
	if err != nil {
		s.tb.Fatalf("Pull to %s = %v", s.Machine, err)
	}
	return done
}

// open is the session as it is read here.
func (s *site) open() *pith.Session {
	s.tb.Helper()
	p, err := pith.Open(s.tb.Context(), s.path, pith.Options{ReadOnly: true})
	if err != nil {
		s.tb.Fatal(err)
	}
	s.tb.Cleanup(func() { p.Close() })
	return p
}

// session returns the leaf and the name.
func (s *site) session() (leaf, name string) {
	p := s.open()
	return p.LeafID(), p.Name()
}

// entries returns the set of lines of a text that do not record positions.
func entries(text string) map[string]bool {
	set := map[string]bool{}
	for l := range strings.Lines(text) {
		if !strings.Contains(l, "pith/leaf") {
			set[l] = true
		}
	}
	return set
}

// logBytes are all bytes of a machine's copy that a store has.
func logBytes(tb testing.TB, s replica.Store, machine string, generation int) string {
	tb.Helper()
	l, err := s.List(tb.Context(), "", sessionID)
	if err != nil {
		tb.Fatal(err)
	}
	for _, c := range append(l.Copies, l.Old...) {
		if c.Machine != machine || c.Generation != generation {
			continue
		}
		b, err := s.Open(tb.Context(), c)
		if err != nil {
			tb.Fatal(err)
		}
		defer b.Close()
		data, err := io.ReadAll(io.NewSectionReader(b, 0, c.Stored))
		if err != nil {
			tb.Fatal(err)
		}
		return string(data)
	}
	return ""
}

// A countingStore counts the bytes that are read from its logs.
type countingStore struct {
	store.Store
	read atomic.Int64
}

func (s *countingStore) Open(ctx context.Context, name string) (store.Log, error) {
	l, err := s.Store.Open(ctx, name)
	return countingLog{l, &s.read}, err
}

type countingLog struct {
	store.Log
	read *atomic.Int64
}

func (l countingLog) ReadAt(p []byte, off int64) (int, error) {
	n, err := l.Log.ReadAt(p, off)
	l.read.Add(int64(n))
	return n, err
}
