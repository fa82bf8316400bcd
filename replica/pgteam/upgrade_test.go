package pgteam_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/store/pgstore/pgschema"
	"github.com/pith-sessions/pith/store/pgstore/pgtest"
)

// Tables that an older pith made and filled: who uses them is told that they are old, two
// who own them bring them up to date at once, everything is there as it was and goes on,
// and the older pith is told that they are newer.
func TestUpgrade(t *testing.T) {
	logs, err := pgschema.FromFiles("log", os.DirFS("../../store/pgstore"))
	if err != nil {
		t.Fatal(err)
	}
	teams, err := pgschema.FromFiles("team", os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	newest := map[string]int{"log": len(logs.Steps), "team": len(teams.Steps)}
	for _, old := range []struct{ logs, teams int }{{1, 1}, {2, 2}} { // versions that went together
		t.Run(fmt.Sprint(old), func(t *testing.T) {
			logs := pgschema.Component{Name: logs.Name, Steps: logs.Steps[:old.logs]}
			teams := pgschema.Component{Name: teams.Name, Steps: teams.Steps[:old.teams]}
			dsn, schema := pgtest.DSN(t), pgtest.Schema(t)
			pool, err := pgxpool.New(t.Context(), dsn)
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			for _, c := range []pgschema.Component{logs, teams} {
				if err := pgschema.Apply(t.Context(), pool, schema, c); err != nil {
					t.Fatal(err)
				}
			}
			ana, anaDSN := pgtest.Person(t, "ana")
			bob, bobDSN := pgtest.Person(t, "bob")
			_, eveDSN := pgtest.Person(t, "eve")
			fillOldTables(t, schema, ana, bob)
			pgtest.Exec(t, dsn, fmt.Sprintf(`GRANT USAGE ON SCHEMA %[1]s TO PUBLIC; GRANT SELECT ON %[1]s.version TO PUBLIC`, schema))
			if _, err := pgteam.Connect(t.Context(), anaDSN, pgstore.Options{Schema: schema}); !errors.Is(err, pgschema.ErrOlder) {
				t.Errorf("Connect to old tables = %v; want ErrOlder", err)
			}
			initTwice(t, dsn, schema)
			for _, c := range []pgschema.Component{logs, teams} {
				if err := pgschema.Check(t.Context(), pool, schema, c); len(c.Steps) < newest[c.Name] && !errors.Is(err, pgschema.ErrNewer) {
					t.Errorf("version %d of %s finds %v; want ErrNewer", len(c.Steps), c.Name, err)
				}
			}
			name := "/" + ana + "/laptop/" + session + "/1"
			for dsn, want := range map[string]string{anaDSN: text, bobDSN: text, eveDSN: ""} {
				if got := readAs(t, dsn, schema, name); got != want {
					t.Errorf("%s reads %q; want %q", dsn, got, want)
				}
			}
			writeAs(t, anaDSN, schema, name)
			if got := readAs(t, bobDSN, schema, name); got != text+"more\n" {
				t.Errorf("bob reads %q", got)
			}
		})
	}
}

// initTwice is two clients that bring the tables up to date at the same moment.
func initTwice(t *testing.T, dsn, schema string) {
	t.Helper()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			s, err := pgteam.Init(t.Context(), dsn, "", pgstore.Options{Schema: schema})
			if err != nil {
				t.Errorf("Init = %v", err)
				return
			}
			s.Close()
		})
	}
	wg.Wait()
}

// fillOldTables writes a session of one person, which another may read, as the first version
// of the tables held it.
func fillOldTables(t *testing.T, schema, ana, bob string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), pgtest.Superuser(t)+" search_path="+schema)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.WithoutCancel(t.Context()))
	name := []byte("/" + ana + "/laptop/" + session + "/1")
	_, err = c.Exec(t.Context(), `WITH l AS (INSERT INTO log (name, key, len, gen, owner) VALUES ($1, sha256($1), $2, 1, $3) RETURNING id)
		INSERT INTO chunk (log, off, data) SELECT id, 0, $4 FROM l`, name, int64(len(text)), ana, []byte(text))
	if err == nil {
		_, err = c.Exec(t.Context(), `INSERT INTO grants (owner, session, grantee) VALUES ($1, $2, $3)`, ana, session, bob)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// writeAs goes on with a log that holds text, and makes another one beside it.
func writeAs(t *testing.T, dsn, schema, name string) {
	t.Helper()
	s, err := pgteam.Connect(t.Context(), dsn, pgstore.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l, err := s.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := l.Append(int64(len(text)), []byte("more\n")); err != nil {
		t.Errorf("Append = %v", err)
	}
	other, err := s.Create(name+"0", store.Bytes([]byte("new")))
	if err != nil {
		t.Fatalf("Create = %v", err)
	}
	other.Close()
}

// readAs is a log that is listed for a person; "" where there is none.
func readAs(t *testing.T, dsn, schema, name string) string {
	t.Helper()
	s, err := pgteam.Connect(t.Context(), dsn, pgstore.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for info, err := range s.List(name) {
		if err != nil {
			t.Fatal(err)
		}
		l, err := s.Open(info.Name)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		data := make([]byte, info.Size)
		if _, err := l.ReadAt(data, 0); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		return string(data)
	}
	return ""
}
