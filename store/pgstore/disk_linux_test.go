package pgstore_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/store/storetest"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// A server with a full disk reports it. Everything acknowledged is there,
// nothing else is, and writing continues when there is room again.
func TestServerDiskFull(t *testing.T) {
	server := pgtest.Start(t)
	disk := storetest.Disk(t, "24m")
	server.KeepTablesIn(t, disk)
	s := connect(t, server.DSN(), pgstore.Options{Schema: "pith"})
	l := fresh(t, s, "/log", nil)
	ballast := filepath.Join(disk, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 12<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	piece := make([]byte, 100_000) // which cannot be compressed
	for i := range piece {
		piece[i] = byte(random.Uint32())
	}
	var want []byte
	var err error
	for err == nil && len(want) < 24<<20 {
		if _, err = l.Append(t.Context(), int64(len(want)), piece); err == nil {
			want = append(want, piece...)
		}
	}
	if !errors.Is(err, pgstore.ErrFull) || len(want) == 0 {
		t.Fatalf("after %d bytes Append = %v; want ErrFull", len(want), err)
	}
	if _, err := s.Create(t.Context(), "/other", store.Bytes(bytes.Repeat(piece, 100))); !errors.Is(err, pgstore.ErrFull) {
		t.Errorf("Create = %v; want ErrFull", err)
	}
	same(t, l, want)
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), int64(len(want)), piece); err != nil {
		t.Errorf("Append when there is room again = %v", err)
	}
	same(t, l, append(want, piece...))
}
