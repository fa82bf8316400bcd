package pgstore_test

import (
	"os"
	"testing"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/store/storetest"
	"github.com/pith-sessions/pith/tests/pgtest"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		playRole(role)
		return
	}
	os.Exit(pgtest.Main(m))
}

func TestContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return connect(t, pgtest.DSN(t), pgstore.Options{}) })
}

// connect connects to a schema of the test's own, unless the options name one.
func connect(tb testing.TB, dsn string, o pgstore.Options) *pgstore.Store {
	tb.Helper()
	if o.Schema == "" {
		o.Schema = pgtest.Schema(tb)
	}
	s, err := pgstore.Connect(tb.Context(), dsn, o)
	if err != nil {
		tb.Fatalf("Connect = %v; want a store", err)
	}
	tb.Cleanup(s.Close)
	return s
}
