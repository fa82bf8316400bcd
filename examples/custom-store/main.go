// Command custom-store keeps a session in a store of its own: one that encrypts
// nothing and counts everything.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"sync/atomic"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/memstore"
)

// snippet: store
// A meter is a store that counts the bytes that are appended to another one. Each log
// that it returns is its own, so Replace unwraps the log that it is given.
type meter struct {
	store.Store
	appended atomic.Int64
}

type meteredLog struct {
	store.Log
	meter *meter
}

func (m *meter) wrap(log store.Log, err error) (store.Log, error) {
	if err != nil {
		return nil, err
	}
	return &meteredLog{log, m}, nil
}

func (m *meter) Open(ctx context.Context, name string) (store.Log, error) {
	return m.wrap(m.Store.Open(ctx, name))
}

func (m *meter) Create(ctx context.Context, name string, fill store.Fill) (store.Log, error) {
	return m.wrap(m.Store.Create(ctx, name, fill))
}

func (m *meter) Replace(ctx context.Context, old store.Log, size int64, fill store.Fill, backup string) (store.Log, error) {
	if l, ok := old.(*meteredLog); ok {
		old = l.Log
	}
	return m.wrap(m.Store.Replace(ctx, old, size, fill, backup))
}

func (l *meteredLog) Append(ctx context.Context, at int64, p []byte) (int64, error) {
	at, err := l.Log.Append(ctx, at, p)
	if err == nil {
		l.meter.appended.Add(int64(len(p)))
	}
	return at, err
}

// end

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	m := &meter{Store: memstore.New()}
	s, err := pith.OpenOrCreate(ctx, "/sessions/one.jsonl", pith.Options{Store: m, Cwd: "/src/app"})
	if err != nil {
		return err
	}
	defer s.Close()
	for _, text := range []string{"hello", "again"} {
		if _, err := s.AppendMessage(ctx, format.NewUser(text, time.Now())); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, "entries:", s.View().Len(), "counted:", m.appended.Load() > 0)
	return nil
}
