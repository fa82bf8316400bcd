package storetest_test

import (
	"testing"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/memstore"
	"github.com/pith-sessions/pith/store/storetest"
)

// A store of one's own passes the contract, in a test of its package.
func Example() {
	_ = func(t *testing.T) {
		storetest.Run(t, func(*testing.T) store.Store { return memstore.New() })
	}
	// Output:
}
