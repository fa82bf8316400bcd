package memstore_test

import (
	"testing"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/memstore"
	"github.com/pith-sessions/pith/store/storetest"
)

func TestContract(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return memstore.New() })
}

func BenchmarkAppend(b *testing.B) {
	line := make([]byte, 1024)
	l, err := memstore.New().Create(b.Context(), "log", store.Bytes(nil))
	if err != nil {
		b.Fatal(err)
	}
	var at int64
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if at >= 64<<20 { // a session, not the whole memory
			b.StopTimer()
			if l, err = memstore.New().Create(b.Context(), "log", store.Bytes(nil)); err != nil {
				b.Fatal(err)
			}
			at = 0
			b.StartTimer()
		}
		if _, err := l.Append(b.Context(), at, line); err != nil {
			b.Fatal(err)
		}
		at += int64(len(line))
	}
}
