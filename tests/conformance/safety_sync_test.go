package conformance_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/memstore"
)

// A diary is a store that notes what is asked of its logs.
type diary struct {
	store.Store
	notes []string
	fail  error // what Sync answers
}

func (d *diary) Create(ctx context.Context, name string, fill store.Fill) (store.Log, error) {
	log, err := d.Store.Create(ctx, name, fill)
	d.notes = append(d.notes, "create")
	return &diaryLog{log, d}, err
}

type diaryLog struct {
	store.Log
	d *diary
}

func (l *diaryLog) Append(ctx context.Context, at int64, p []byte) (int64, error) {
	l.d.notes = append(l.d.notes, "append")
	return l.Log.Append(ctx, at, p)
}

func (l *diaryLog) Sync(ctx context.Context) error {
	l.d.notes = append(l.d.notes, "sync")
	return errors.Join(l.d.fail, l.Log.Sync(ctx))
}

// With Options.Sync every append is made durable before it returns, whatever
// store keeps the session; without, none is (pitfall 42).
func TestSyncPolicy(t *testing.T) {
	tests := map[string]struct {
		sync bool
		want []string
	}{
		"never":  {false, []string{"create", "append", "append"}},
		"always": {true, []string{"create", "append", "sync", "append", "sync"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := &diary{Store: memstore.New()}
			s := createPith(t, "/home/u/p", pith.Options{Dir: "/sessions", Store: d, Sync: tt.sync})
			for range 3 {
				sayNext(t, s)
			}
			if !slices.Equal(d.notes, tt.want) {
				t.Errorf("the log saw %q; want %q", d.notes, tt.want)
			}
			if !tt.sync {
				return
			}
			d.fail = errors.New("the disk is on fire")
			if _, err := s.AppendMessage(t.Context(), format.NewUser("hello", time.UnixMilli(1_770_000_000_000))); !errors.Is(err, d.fail) {
				t.Errorf("AppendMessage when Sync fails = %v; want %v", err, d.fail)
			}
		})
	}
}
