package search_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/goroutineleaks"
)

// fillsIn names the variable that makes this program a process that fills the
// index of the sessions there, again and again, until it is ended.
const fillsIn = "PITH_TEST_FILLS_IN"

// failed is the exit code of such a process that could not continue.
const failed = 3

func TestMain(m *testing.M) {
	if dir := os.Getenv(fillsIn); dir != "" {
		if err := fillForEver(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(failed)
		}
	}
	goroutineleaks.Main(m)
}

func fillForEver(dir string) error {
	o := catalog.Options{Dir: filepath.Join(dir, "sessions"), Home: dir, Getenv: func(string) string { return "" }}
	ix, err := search.OpenIndex(filepath.Join(dir, "cache"))
	if err != nil {
		return err
	}
	for {
		facts, err := catalog.OpenIndex(filepath.Join(dir, "cache"))
		if err != nil {
			return err
		}
		o.Index = facts
		if err := ix.Fill(context.Background(), search.Build{Catalog: o}); err != nil {
			return err
		}
		if err := facts.Close(); err != nil {
			return err
		}
	}
}

// Two processes fill an index while programs write to the sessions, move and
// remove them. Nobody is in anybody's way, and every search finds what a scan
// finds.
func TestProcessesFillWhileSessionsAreWritten(t *testing.T) {
	dir := t.TempDir()
	sessions := filepath.Join(dir, "sessions")
	r := &randomStore{Rand: rand.New(rand.NewPCG(3, 9)), t: t, dir: sessions, shared: true}
	for seed := range uint64(4) {
		write(t, filepath.Join(sessions, fmt.Sprintf("%d.jsonl", seed)), string(corpus.Bytes(corpus.Options{Seed: seed, Bytes: 100_000})))
	}
	plain := inDir(t, sessions)
	plain.Limit = 10_000
	indexed := plain
	indexed.Index, r.other = openIndex(t, filepath.Join(dir, "cache")), openIndex(t, filepath.Join(dir, "cache"))
	for range 2 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fillsIn+"="+dir)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill() // it may have ended by itself
			_ = cmd.Wait()
			if cmd.ProcessState.ExitCode() == failed {
				t.Error("a process that fills the index failed")
			}
		})
	}
	changes := 60
	if testing.Short() {
		changes = 8
	}
	for range changes {
		did := r.change()
		for _, query := range []string{"error", "the cafe*", "file:main e"} {
			want, got := ask(t, query, plain), ask(t, query, indexed)
			if entries(got) != entries(want) {
				t.Fatalf("after %s: Search(%s)\nwith index    %s\nwithout index %s", did, query, entries(got), entries(want))
			}
		}
	}
}

// A process that holds the index for long does not block others from searching,
// or from ending when the time is up.
func TestIndexIsLocked(t *testing.T) {
	dir, cache := sample(t), t.TempDir()
	o := inDir(t, dir)
	o.Index = openIndex(t, cache)
	fill(t, o.Index, o)
	gone := write(t, filepath.Join(dir, "gone.jsonl"), session("gone", "/w", message(1, "user", `"an error"`)))
	fill(t, o.Index, o)
	db, err := sql.Open("sqlite", catalog.IndexFiles(cache)[0])
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "new.jsonl"), session("new", "/w", message(1, "user", `"another error"`)))
	check := func(what, want string) {
		t.Helper()
		if got := entries(ask(t, "error", o)); got != want {
			t.Errorf("%s: Search(error) = %q, want %q", what, got, want)
		}
		ended := make(chan error, 1)
		go func() {
			ended <- o.Index.Fill(t.Context(), search.Build{Catalog: o.Catalog, Within: 10 * time.Millisecond})
		}()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("%s: Fill = %v, want nil when the time is up", what, err)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: Fill goes on although its time is up", what)
		}
	}
	check("a new session", "a/e4 a/e1 gone/e1 new/e1")
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	check("one is gone", "a/e4 a/e1 new/e1")
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	fill(t, o.Index, o)
	if r := ask(t, "error", o); r.Unindexed != 0 || len(r.Hits) != 3 {
		t.Errorf("Search when the lock is gone: %d bytes not indexed, %d hits; want 0, 3", r.Unindexed, len(r.Hits))
	}
}

// Processes that begin at the same moment make one index.
func TestIndexIsMadeTogether(t *testing.T) {
	for range 5 {
		dir := t.TempDir()
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				ix, err := search.OpenIndex(dir)
				if err != nil {
					t.Errorf("OpenIndex: %v", err)
					return
				}
				if notice := ix.Notice(); notice != "" {
					t.Errorf("Notice of a new index = %q", notice)
				}
				if err := ix.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			})
		}
		wg.Wait()
	}
}
