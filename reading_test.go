package pith_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/store"
)

// A watched store records which parts of its logs were read, and how often they
// were synced.
type watched struct {
	store.Store
	mu    sync.Mutex
	reads []int // how many bytes each
	syncs int
}

func (w *watched) log(log store.Log, err error) (store.Log, error) {
	if err != nil {
		return nil, err
	}
	return &watchedLog{log, w}, nil
}

func (w *watched) Open(ctx context.Context, name string) (store.Log, error) {
	return w.log(w.Store.Open(ctx, name))
}

func (w *watched) Create(ctx context.Context, name string, fill store.Fill) (store.Log, error) {
	return w.log(w.Store.Create(ctx, name, fill))
}

func (w *watched) Replace(ctx context.Context, old store.Log, size int64, fill store.Fill, backup string) (store.Log, error) {
	return w.log(w.Store.Replace(ctx, old.(*watchedLog).Log, size, fill, backup))
}

// since are the reads since it was asked last, and their bytes.
func (w *watched) since() (reads, bytes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range w.reads {
		bytes += n
	}
	reads, w.reads = len(w.reads), nil
	return reads, bytes
}

type watchedLog struct {
	store.Log
	w *watched
}

func (l *watchedLog) ReadAt(p []byte, off int64) (int, error) {
	n, err := l.Log.ReadAt(p, off)
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	l.w.reads = append(l.w.reads, n)
	return n, err
}

func (l *watchedLog) Sync(ctx context.Context) error {
	l.w.syncs++
	return l.Log.Sync(ctx)
}

// Reading a file sequentially, forwards or backwards, takes few large reads;
// reading single lines, or a range, reads little more than these.
func TestReadingAhead(t *testing.T) {
	const lines = 2000
	var text strings.Builder
	text.WriteString(head)
	parent := ""
	for i := range lines {
		id := fmt.Sprintf("e%07d", i)
		text.WriteString(line(id, parent, "user", strings.Repeat("x", 900)))
		parent = id
	}
	size := text.Len()
	upTo := func(from, to, step int) (out []int) {
		for i := from; i != to; i += step {
			out = append(out, i)
		}
		return out
	}
	tests := map[string]struct {
		positions   []int
		reads, most int // bytes
	}{
		"forwards":         {upTo(0, lines, 1), size/(256<<10) + 4, size + 256<<10},
		"backwards":        {upTo(lines-1, -1, -1), size/(256<<10) + 5, size + 600<<10},
		"far apart":        {[]int{0, 900, 1800, 300, 1400}, 5, 5 * 16 << 10},
		"a stretch":        {upTo(1000, 1010, 1), 1, 10 * 1100},
		"a line, again":    {[]int{7, 7, 7}, 1, 16 << 10},
		"one before other": {[]int{1001, 1000}, 2, 80 << 10},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := &watched{Store: fileStore()}
			v := open(t, write(t, text.String()), pith.Options{Store: w}).View()
			w.since()
			n := 0
			for l, err := range v.Reader().LinesAt(tt.positions) {
				if err != nil || l.Pos != tt.positions[n] || !bytes.Contains(l.Raw, []byte(fmt.Sprintf(`"e%07d"`, l.Pos))) {
					t.Fatalf("line %d is %d, %v: %.60s", tt.positions[n], l.Pos, err, l.Raw)
				}
				n++
			}
			if reads, bytes := w.since(); n != len(tt.positions) || reads > tt.reads || bytes > tt.most {
				t.Errorf("%d lines were read with %d reads of %d bytes; want %d of %d at most", n, reads, bytes, tt.reads, tt.most)
			}
		})
	}
}

// With a store that was given, Sync makes each append durable, once, and what is
// created or replaced is durable by itself.
func TestSyncOfAStore(t *testing.T) {
	for _, on := range []bool{true, false} {
		w := &watched{Store: fileStore()}
		s := create(t, pith.Options{Store: w, Sync: on})
		say(t, s, "one")
		created := w.syncs
		say(t, s, "two")
		appended := w.syncs
		old := open(t, write(t, oldHead+oldLine("user", "one")), pith.Options{Store: w, Sync: on})
		say(t, old, "two")
		replaced := w.syncs
		want := 0
		if on {
			want = 1
		}
		if created != 0 || appended != want || replaced != want {
			t.Errorf("Sync %t: %d syncs after a creation, %d after an append, %d after a migration; want 0, %d, %d", on, created, appended, replaced, want, want)
		}
	}
}

// Written data is known without reading it again.
func TestAppendReadsNothing(t *testing.T) {
	w := &watched{Store: fileStore()}
	s := create(t, pith.Options{Store: w})
	say(t, s, "one")
	w.since()
	for range 3 {
		say(t, s, "more")
	}
	if reads, _ := w.since(); reads != 0 {
		t.Errorf("three appends read %d times; want none", reads)
	}
	if n := s.View().Len(); n != 4 {
		t.Errorf("the session has %d entries, want 4", n)
	}
}
