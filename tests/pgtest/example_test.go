package pgtest_test

import (
	"testing"

	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// A test with tables of its own on a server that all tests of the package share. The
// package's TestMain calls pgtest.Main.
func Example() {
	_ = func(t *testing.T) {
		s, err := pgstore.Connect(t.Context(), pgtest.DSN(t), pgstore.Options{Schema: pgtest.Schema(t)})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
	}
}
