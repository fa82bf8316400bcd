package search_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/pith-sessions/pith/tests/corpus"
)

// A process is killed twenty times while it indexes. Every time a search finds
// what a scan finds, and the next process continues with what is stored.
func TestKilledWhileIndexing(t *testing.T) {
	dir := t.TempDir()
	sessions := filepath.Join(dir, "sessions")
	plain := inDir(t, sessions)
	plain.Limit = 100_000
	r := rand.New(rand.NewPCG(1, 20))
	for round := range 20 {
		write(t, filepath.Join(sessions, fmt.Sprintf("%d.jsonl", round)), string(corpus.Bytes(corpus.Options{Seed: uint64(round), Bytes: 300_000})))
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fillsIn+"="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.IntN(120)) * time.Millisecond) // anywhere in its work
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		indexed := plain
		indexed.Index = openIndex(t, filepath.Join(dir, "cache"))
		if notice := indexed.Index.Notice(); notice != "" {
			t.Errorf("round %d: %s", round, notice)
		}
		for _, query := range []string{"error", "the file*"} {
			want, got := ask(t, query, plain), ask(t, query, indexed)
			if entries(got) != entries(want) {
				t.Fatalf("round %d: Search(%s)\nwith index    %s\nwithout index %s", round, query, entries(got), entries(want))
			}
		}
	}
	ix := openIndex(t, filepath.Join(dir, "cache"))
	fill(t, ix, plain)
	infos := plain
	infos.Index = ix
	if r := ask(t, "error", infos); r.Scanned > 0 || r.Unindexed > 0 || len(r.Hits) == 0 {
		t.Errorf("after the last process %d bytes are not indexed, and %d hits", r.Unindexed, len(r.Hits))
	}
}
