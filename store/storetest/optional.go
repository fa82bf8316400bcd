package storetest

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pith-sessions/pith/store"
)

// calledOff makes every call with a context that is done: none has an effect.
func calledOff(t *testing.T, s store.Store) {
	name := newName(t)
	l := create(t, s, name, "abc")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Open(ctx, name)
	fails(t, "Open", err, context.Canceled)
	other := newName(t)
	_, err = s.Create(ctx, other, store.Bytes([]byte("new")))
	fails(t, "Create", err, context.Canceled)
	_, err = s.Replace(ctx, l, 3, store.Bytes([]byte("new")), "")
	fails(t, "Replace", err, context.Canceled)
	_, err = l.Append(ctx, 3, []byte("d"))
	fails(t, "Append", err, context.Canceled)
	_, err = l.Size(ctx)
	fails(t, "Size", err, context.Canceled)
	if r, ok := l.(store.ContextReader); ok {
		_, err = r.ReadAtContext(ctx, make([]byte, 1), 0)
		fails(t, "ReadAtContext", err, context.Canceled)
	}
	if r, ok := s.(store.Remover); ok {
		fails(t, "Remove", r.Remove(ctx, name), context.Canceled)
	}
	holds(t, s, name, l, "abc")
	create(t, s, other, "not there before")

	// A context that is done during the fill leaves nothing either.
	ctx, cancel = context.WithCancel(t.Context())
	_, err = s.Replace(ctx, l, 3, func(w io.Writer) error {
		cancel()
		_, err := w.Write(make([]byte, 1<<20))
		return err
	}, "")
	fails(t, "Replace called off while it fills", err, context.Canceled)
	holds(t, s, name, l, "abc")
}

// list tests a store if it is a [store.Lister], which it need not be.
func list(t *testing.T, s store.Store) {
	lister, ok := s.(store.Lister)
	if !ok {
		t.Log("the store does not list its logs, so there is nothing to test")
		return
	}
	dir := t.TempDir()
	var want []store.Info
	for _, name := range []string{"b/1", "a/2", "a/1", "aa", "a/1/x"} {
		create(t, s, filepath.Join(dir, name), name)
	}
	for _, name := range []string{"a/1", "a/1/x", "a/2", "aa"} {
		want = append(want, store.Info{Name: filepath.Join(dir, name), Size: int64(len(name))})
	}
	var got []store.Info
	for info, err := range lister.List(t.Context(), filepath.Join(dir, "a")) {
		if err != nil {
			t.Fatalf("List = %v; want logs", err)
		}
		got = append(got, info)
	}
	if !slices.Equal(got, want) {
		t.Errorf("List(a) = %v; want %v", got, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	errs := 0
	for _, err := range lister.List(ctx, dir) {
		fails(t, "List", err, context.Canceled)
		errs++
	}
	if errs != 1 {
		t.Errorf("List with a context that is done gave %d errors; want 1", errs)
	}
}
