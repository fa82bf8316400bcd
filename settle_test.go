package pith_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

const oldSession = `{"type":"session","version":2,"id":"old","timestamp":"2026-02-01T10:00:00.000Z","cwd":"/p"}` + "\n" +
	`{"type":"message","id":"a0000001","parentId":null,"timestamp":"2026-02-01T10:00:01.000Z","message":{"role":"user","content":"hi"}}` + "\n"

// Another program rewrites a file without a lock, from what it read before. The first
// append to a file that was opened waits until that program rests, and no longer: the
// entry is there, and under the entry that is the last one then.
func TestAppendWaitsForRewriting(t *testing.T) {
	const ms = time.Millisecond
	one, two, three := line("a", "", "user", "1"), line("b", "a", "user", "2"), line("c", "b", "user", "3")
	migrated := strings.Replace(oldSession, `"version":2`, `"version":3`, 1)
	type write struct {
		after time.Duration
		text  string
	}
	tests := map[string]struct {
		text   string
		age    time.Duration // of the file when the append begins
		writes []write
		took   time.Duration
		parent string
	}{
		"nobody writes":                {text: head + one, age: time.Hour, parent: "a"},
		"nobody has for half a second": {text: head + one, age: 501 * ms, parent: "a"},
		"half a second ago":            {text: head + one, age: 500 * ms, took: 50 * ms, parent: "a"},
		"this moment":                  {text: head + one, took: 50 * ms, parent: "a"},
		"in the future":                {text: head + one, age: -ms, parent: "a"},
		"piece by piece": {text: head + one, writes: []write{
			{30 * ms, head + one + two}, {60 * ms, head + one + two + three[:9]}, {110 * ms, head + one + two + three},
		}, took: 200 * ms, parent: "c"},
		"shorter":        {text: head + one + two, writes: []write{{30 * ms, head + one}}, took: 100 * ms, parent: "a"},
		"as long, other": {text: head + one, writes: []write{{30 * ms, head + line("z", "", "user", "1")}}, took: 100 * ms, parent: "z"},
		"old":            {text: oldSession, age: time.Hour, took: 650 * ms, parent: "a0000001"},
		"old, migrated before the append": {text: oldSession, age: time.Hour,
			writes: []write{{499 * ms, migrated}}, took: 550 * ms, parent: "a0000001"},
		"old, migrated over the append": {text: oldSession, age: time.Hour,
			writes: []write{{501 * ms, migrated}}, took: 650 * ms, parent: "a0000001"},
		"old, migrated over the append, late": {text: oldSession, age: time.Hour,
			writes: []write{{620 * ms, migrated}}, took: 700 * ms, parent: "a0000001"},
		"old, written to": {text: oldSession, age: time.Hour,
			writes: []write{{499 * ms, oldSession + line("b", "a0000001", "user", "2")}}, took: 700 * ms, parent: "b"},
	}
	stores := map[string]store.Store{"": nil, ", in a store of files": filestore.New(filestore.Options{})}
	for name, tt := range tests {
		for in, keeper := range stores {
			t.Run(name+in, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					path := filepath.Join(t.TempDir(), "s.jsonl")
					rewrite(t, path, tt.text, tt.age)
					s := open(t, path, pith.Options{OnConflict: pith.FollowNew, Store: keeper})
					last, began := tt.text, time.Now()
					var program sync.WaitGroup
					program.Go(func() {
						for _, w := range tt.writes {
							<-time.After(w.after - time.Since(began))
							rewrite(t, path, w.text, 0)
						}
					})
					id, err := s.AppendMessage(t.Context(), message(t, "user", "acknowledged"))
					if took := time.Since(began); err != nil || took != tt.took {
						t.Errorf("AppendMessage = %v after %v, want %v", err, took, tt.took)
					}
					program.Wait()
					if n := len(tt.writes); n > 0 {
						last = tt.writes[n-1].text
					}
					text := read(t, path)
					added, ok := strings.CutPrefix(text, strings.Replace(last, `"version":2`, `"version":3`, 1))
					if !ok || !strings.Contains(added, `"id":"`+id+`","parentId":"`+tt.parent+`"`) || strings.Count(added, "\n") != 1 {
						t.Errorf("the entry %s under %s was acknowledged; the file is\n%s", id, tt.parent, text)
					}
					began = time.Now()
					if _, err := s.AppendMessage(t.Context(), message(t, "user", "second")); err != nil || time.Since(began) != 0 {
						t.Errorf("a second AppendMessage = %v after %v, want none", err, time.Since(began))
					}
				})
			})
		}
	}
}

// rewrite writes a file in place, as if that was some time ago.
func rewrite(t *testing.T, path, text string, ago time.Duration) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Error(err)
	}
	then := time.Now().Add(-ago)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Error(err)
	}
}

// A program that never rests is not waited for without end.
func TestAppendBesideEndlessWriting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		rewrite(t, path, head+line("a", "", "user", "1"), 0)
		s := open(t, path, pith.Options{})
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for tick := time.NewTicker(20 * time.Millisecond); ; {
				select {
				case <-stop:
					return
				case now := <-tick.C:
					if err := os.Chtimes(path, now, now); err != nil {
						t.Error(err)
					}
				}
			}
		}()
		began := time.Now()
		_, err := s.AppendMessage(t.Context(), message(t, "user", "acknowledged"))
		if took := time.Since(began); err != nil || took != 5*time.Second {
			t.Errorf("AppendMessage = %v after %v, want 5s", err, took)
		}
		close(stop)
		<-stopped
	})
}
