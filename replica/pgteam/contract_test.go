package pgteam_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/store/storetest"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// The functions of a team keep the contract that the tables keep, also where a superuser
// owns them, whom no policy holds.
func TestContract(t *testing.T) {
	for name, owner := range map[string]func(testing.TB) string{"a plain owner": pgtest.DSN, "a superuser": pgtest.Superuser} {
		t.Run(name, func(t *testing.T) {
			schema := pgtest.Schema(t)
			admin, err := pgteam.Init(t.Context(), owner(t), "", pgstore.Options{Schema: schema})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				admin.Close()
				pgtest.Exec(t, pgtest.Superuser(t), "DROP SCHEMA "+schema+" CASCADE")
			})
			ana := join(t, schema, "ana")
			storetest.Run(t, func(*testing.T) store.Store { return under{ana.store, "/" + ana.role} })
		})
	}
}

// under returns the store of a person, who may only use names with that
// person's prefix.
type under struct {
	*pgteam.Store
	prefix string
}

func (u under) Open(ctx context.Context, name string) (store.Log, error) {
	return u.log(u.Store.Open(ctx, u.prefix+name))
}

func (u under) Create(ctx context.Context, name string, fill store.Fill) (store.Log, error) {
	return u.log(u.Store.Create(ctx, u.prefix+name, fill))
}

func (u under) Replace(ctx context.Context, old store.Log, size int64, fill store.Fill, backup string) (store.Log, error) {
	if backup != "" {
		backup = u.prefix + backup
	}
	return u.log(u.Store.Replace(ctx, old.(underLog).Log, size, fill, backup))
}

func (u under) log(l store.Log, err error) (store.Log, error) {
	if err != nil {
		return nil, err
	}
	return underLog{l, u.prefix}, nil
}

type underLog struct {
	store.Log
	prefix string
}

func (l underLog) Append(ctx context.Context, at int64, p []byte) (int64, error) {
	off, err := l.Log.Append(ctx, at, p)
	if conflict := (*store.ConflictError)(nil); errors.As(err, &conflict) {
		conflict.Name = strings.TrimPrefix(conflict.Name, l.prefix)
	}
	return off, err
}

func (u under) Remove(ctx context.Context, name string) error {
	return u.Store.Remove(ctx, u.prefix+name)
}

func (u under) List(ctx context.Context, prefix string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		for info, err := range u.Store.List(ctx, u.prefix+prefix) {
			info.Name = strings.TrimPrefix(info.Name, u.prefix)
			if !yield(info, err) {
				return
			}
		}
	}
}
