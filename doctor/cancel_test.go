package doctor_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/memstore"
	"github.com/pith-sessions/pith/tests/corpus"
)

// An impatient store counts the reads of its logs and cancels at one of them.
type impatient struct {
	store.Store
	reads  *atomic.Int64
	at     int64 // 0 means never
	cancel func()
}

func (s impatient) Open(ctx context.Context, name string) (store.Log, error) {
	l, err := s.Store.Open(ctx, name)
	return impatientLog{l, s}, err
}

type impatientLog struct {
	store.Log
	s impatient
}

func (l impatientLog) ReadAt(p []byte, off int64) (int, error) {
	if l.s.reads.Add(1) == l.s.at {
		l.s.cancel()
	}
	return l.Log.ReadAt(p, off)
}

// A canceled check or repair ends after a few more reads, whatever it was
// doing.
func TestExaminationIsCancelled(t *testing.T) {
	m := memstore.New()
	name := filepath.Join(t.TempDir(), "s.jsonl")
	data := corpus.Bytes(corpus.Options{Seed: 3, Entries: 2500, Branches: 20, CompactEvery: 100, Labels: 3})
	if _, err := m.Create(t.Context(), name, store.Bytes(append(data, message("lost", "gone")+"\n"...))); err != nil {
		t.Fatal(err)
	}
	run := func(at int64, do func(context.Context, doctor.Options) error) (reads int64, err error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		o := quiet
		count := atomic.Int64{}
		o.Store = impatient{m, &count, at, cancel}
		err = do(ctx, o)
		return count.Load(), err
	}
	for what, do := range map[string]func(context.Context, doctor.Options) error{
		"Check":   func(ctx context.Context, o doctor.Options) error { _, err := doctor.Check(ctx, name, o); return err },
		"Preview": func(ctx context.Context, o doctor.Options) error { _, err := doctor.Preview(ctx, name, o); return err },
	} {
		all, err := run(0, do)
		if err != nil {
			t.Fatal(err)
		}
		if all < 30 {
			t.Fatalf("%s takes %d reads; that is too few to see anything", what, all)
		}
		for at := int64(1); at < all; at += max(1, all/6) {
			reads, err := run(at, do)
			if reads-at > 8 || err == nil && reads < all || err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("%s, cancelled at read %d of %d, reads %d more times and returns %v", what, at, all, reads-at, err)
			}
		}
	}
}
