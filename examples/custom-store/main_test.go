package main

import (
	"bytes"
	"testing"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/memstore"
	"github.com/pith-sessions/pith/store/storetest"
)

// The contract of a store, which every store has to pass.
func TestContract(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return &meter{Store: memstore.New()} })
}

func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	if want := "entries: 2 counted: true\n"; out.String() != want {
		t.Errorf("printed %q; want %q", out.String(), want)
	}
}
