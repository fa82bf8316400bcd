package replica_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/store/memstore"
)

// One machine pushes a session, another brings its file up to all copies of it. The
// store is in memory here; pgteam.Connect opens that of a team.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "one.jsonl")
	if err := os.WriteFile(file, []byte(`{"type":"session","version":3,"id":"one","timestamp":"2026-03-04T05:06:07.000Z","cwd":"/p"}`+"\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	s := memstore.New()
	laptop, err := replica.New(s, replica.Options{Person: "ana", Machine: "laptop"})
	if err != nil {
		fmt.Println(err)
		return
	}
	pushed, err := laptop.Push(ctx, file, replica.PushOptions{})
	if err != nil {
		fmt.Println(err) // a *replica.BehindError says that the store has more
		return
	}
	fmt.Println("pushed", pushed.Replica, pushed.Bytes)
	tower, err := replica.New(s, replica.Options{Person: "ana", Machine: "tower"})
	if err != nil {
		fmt.Println(err)
		return
	}
	listing, err := tower.List(ctx, "ana")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, copies := range listing.Sessions() {
		pulled, err := tower.Pull(ctx, copies, filepath.Join(dir, "tower", "one.jsonl"), replica.PullOptions{})
		fmt.Println("pulled", pulled.Bytes, err)
	}
	// Output:
	// pushed ana/laptop/one 92
	// pulled 92 <nil>
}
