package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pith-sessions/pith/store"
)

func createExclusive(t *testing.T, s store.Store) { // pitfalls 132, 163
	const creators = 50
	name := newName(t)
	var wg sync.WaitGroup
	start := make(chan struct{})
	logs, errs := make([]store.Log, creators), make([]error, creators)
	for i := range creators {
		wg.Go(func() {
			<-start
			logs[i], errs[i] = s.Create(t.Context(), name, store.Bytes(fmt.Appendf(nil, "creator %d\n", i)))
		})
	}
	close(start)
	wg.Wait()
	winner := -1
	for i := range creators {
		if errs[i] != nil {
			fails(t, "Create", errs[i], store.ErrExist)
			continue
		}
		t.Cleanup(func() { logs[i].Close() })
		if winner >= 0 {
			t.Errorf("Create won twice, by %d and %d; want one winner", winner, i)
		}
		winner = i
	}
	if winner < 0 {
		t.Fatalf("none of %d creators won; want one", creators)
	}
	holds(t, s, name, logs[winner], fmt.Sprintf("creator %d\n", winner))
}

func twoHandles(t *testing.T, s store.Store) { // pitfall 168
	name := newName(t)
	a := create(t, s, name, "1")
	b := open(t, s, name)
	add(t, a, 1, "2")
	_, err := b.Append(t.Context(), 1, []byte("x"))
	fails(t, "Append(1) by the second handle", err, store.ErrConflict)
	add(t, b, 2, "3")
	add(t, a, 3, "4")
	holds(t, s, name, a, "1234")
	holds(t, s, name, b, "1234")
}

func appendersApart(t *testing.T, s store.Store) {
	name := newName(t)
	l := create(t, s, name, "begin\n")
	contend(t, l, func(*testing.T) store.Log { return open(t, s, name) })
}

func appendersTogether(t *testing.T, s store.Store) {
	l := create(t, s, newName(t), "begin\n")
	contend(t, l, func(*testing.T) store.Log { return l })
}

// contend lets several writers append to one log, each retrying after a
// conflict, and checks that no line is lost, duplicated, torn or out of order.
func contend(t *testing.T, l store.Log, handle func(t *testing.T) store.Log) {
	const writers, lines = 8, 50
	var wg sync.WaitGroup
	var want []string
	for w := range writers {
		own := handle(t)
		wg.Go(func() {
			for i := range lines {
				if err := persist(t.Context(), own, fmt.Appendf(nil, "writer %d line %02d\n", w, i)); err != nil {
					t.Errorf("writer %d, line %d: %v", w, i, err)
					return
				}
			}
		})
		for i := range lines {
			want = append(want, fmt.Sprintf("writer %d line %02d\n", w, i))
		}
	}
	wg.Wait()
	got := slices.Collect(strings.Lines(content(t, l)))[1:]
	// The order must be kept within a writer, but not between writers.
	slices.SortStableFunc(got, func(a, b string) int {
		return strings.Compare(a[:min(8, len(a))], b[:min(8, len(b))])
	})
	if !slices.Equal(got, want) {
		t.Errorf("the log holds %d lines after %d writers wrote %d each; want all of them in order\ngot %q",
			len(got), writers, lines, got)
	}
}

// persist appends p, retrying after conflicts.
func persist(ctx context.Context, l store.Log, p []byte) error {
	for {
		size, err := l.Size(ctx)
		if err != nil {
			return err
		}
		off, err := l.Append(ctx, size, p)
		if err == nil && off != size {
			return fmt.Errorf("Append(%d) = %d, though every writer takes locks", size, off)
		}
		if !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
}
