package adksession_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/glebarez/sqlite"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/session/database"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	adksession "github.com/pith-sessions/pith/integrations/adk"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// peers are this package's service and ADK's own, each on files and on PostgreSQL. The
// benchmarks compare them in one run: go test -run '^$' -bench . -benchtime 3x
var peers = []struct {
	name string
	open func(testing.TB) session.Service
}{
	{"pith-files", func(tb testing.TB) session.Service {
		o := stores["files"](tb)
		return settled{open(tb, o), o.Dir}
	}},
	{"adk-sqlite", func(tb testing.TB) session.Service {
		return adkDatabase(tb, sqlite.Open(filepath.Join(tb.TempDir(), "adk.db")))
	}},
	{"pith-postgresql", func(tb testing.TB) session.Service { return open(tb, stores["postgresql"](tb)) }},
	{"adk-postgresql", func(tb testing.TB) session.Service {
		schema := pgtest.Schema(tb)
		pgtest.Exec(tb, pgtest.DSN(tb), "create schema "+schema)
		return adkDatabase(tb, postgres.Open(pgtest.DSN(tb)+" search_path="+schema))
	}},
}

func adkDatabase(tb testing.TB, d gorm.Dialector) session.Service {
	tb.Helper()
	s, err := database.NewSessionService(d, &gorm.Config{Logger: logger.Discard})
	if err == nil {
		err = database.AutoMigrate(s)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// A settled service has directories that changed an hour ago, as most directories
// have when somebody lists them.
type settled struct {
	*adksession.Service
	dir string
}

// age sets the times of all directories below dir back.
func age(tb testing.TB, dir string, d time.Duration) {
	tb.Helper()
	then := time.Now().Add(-d)
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		return os.Chtimes(name, then, then)
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// longSession makes a session of n events.
func longSession(b *testing.B, s session.Service, n int) session.Session {
	b.Helper()
	r, err := s.Create(b.Context(), &session.CreateRequest{AppName: app, UserID: user, SessionID: "long"})
	if err != nil {
		b.Fatal(err)
	}
	appendEvents(b, s, r.Session, 0, n)
	return r.Session
}

var began = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func appendEvents(b *testing.B, s session.Service, h session.Session, from, to int) {
	b.Helper()
	for i := from; i < to; i++ {
		e := said(fmt.Sprint("e", i), "The quick brown fox jumps over the lazy dog, again and again, until the page is full.")
		e.Timestamp = began.Add(time.Duration(i) * time.Millisecond)
		e.Actions.StateDelta = map[string]any{"turn": i}
		if err := s.AppendEvent(b.Context(), h, e); err != nil {
			b.Fatal(err)
		}
	}
}

const length = 10_000

// BenchmarkLongSession appends 1,000 events to a session of 10,000, and gets the last 20.
func BenchmarkLongSession(b *testing.B) {
	for _, p := range peers {
		b.Run(p.name, func(b *testing.B) {
			s := p.open(b)
			h := longSession(b, s, length)
			n := length
			b.Run("append-1000", func(b *testing.B) {
				for b.Loop() {
					appendEvents(b, s, h, n, n+1000)
					n += 1000
				}
			})
			b.Run("get-last-20", func(b *testing.B) {
				for b.Loop() {
					r, err := s.Get(b.Context(), &session.GetRequest{AppName: app, UserID: user, SessionID: "long", NumRecentEvents: 20})
					if err != nil || r.Session.Events().Len() != 20 {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

// BenchmarkList lists 1,000 sessions with a service that has listed them before, as
// one that runs does.
func BenchmarkList(b *testing.B) {
	for _, p := range peers {
		b.Run(p.name, func(b *testing.B) {
			s := p.open(b)
			for range 1000 {
				if _, err := s.Create(b.Context(), &session.CreateRequest{AppName: app, UserID: user, State: map[string]any{"k": "v"}}); err != nil {
					b.Fatal(err)
				}
			}
			if s, ok := s.(settled); ok {
				age(b, s.dir, time.Hour)
			}
			if _, err := s.List(b.Context(), &session.ListRequest{AppName: app, UserID: user}); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				r, err := s.List(b.Context(), &session.ListRequest{AppName: app, UserID: user})
				if err != nil || len(r.Sessions) != 1000 {
					b.Fatal(err)
				}
			}
		})
	}
}
