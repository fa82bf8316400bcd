package conformance_test

import (
	"io"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// A keeper is where the sessions of a test are. Without a store they are files.
type keeper struct{ store store.Store }

// inEachStore runs a test on files, and again in PostgreSQL.
func inEachStore(t *testing.T, test func(t *testing.T, k keeper)) {
	t.Run("files", func(t *testing.T) { test(t, keeper{}) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, inPostgres(t)) })
}

func inPostgres(t *testing.T) keeper {
	t.Helper()
	s, err := pgstore.Connect(t.Context(), pgtest.DSN(t), pgstore.Options{Schema: pgtest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return keeper{s}
}

// put keeps a session's text under a name of its own.
func (k keeper) put(t *testing.T, text string) string {
	t.Helper()
	if k.store == nil {
		return sessionFile(t, text)
	}
	name := filepath.Join(t.TempDir(), "session.jsonl")
	l, err := k.store.Create(t.Context(), name, store.Bytes([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	return name
}

func (k keeper) open(t *testing.T, text string) *pith.Session {
	t.Helper()
	return openPith(t, k.put(t, text), pith.Options{Store: k.store})
}

// read is what is kept under a name.
func (k keeper) read(t *testing.T, name string) string {
	t.Helper()
	if k.store == nil {
		return readFile(t, name)
	}
	l, err := k.store.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	size, err := l.Size(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, size)
	if n, err := l.ReadAt(data, 0); int64(n) < size && err != io.EOF {
		t.Fatal(err)
	}
	return string(data)
}
