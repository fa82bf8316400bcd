package replica_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith/replica"
)

// One machine pushes a session, another brings its file up to all copies of it. The
// store is a folder here; pgteam.Connect opens that of a team.
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
	if err := os.Mkdir(filepath.Join(dir, "shared"), 0o700); err != nil {
		fmt.Println(err)
		return
	}
	s, err := replica.NewFolder(filepath.Join(dir, "shared"))
	if err != nil {
		fmt.Println(err)
		return
	}
	laptop, err := replica.New(s, replica.Options{Machine: "laptop"})
	if err != nil {
		fmt.Println(err)
		return
	}
	pushed, err := laptop.Push(ctx, file, replica.PushOptions{})
	if err != nil {
		fmt.Println(err) // a *replica.BehindError says that the store has more
		return
	}
	fmt.Println("pushed", pushed.Copy, pushed.Bytes)
	tower, err := replica.New(s, replica.Options{Machine: "tower"})
	if err != nil {
		fmt.Println(err)
		return
	}
	listing, err := tower.List(ctx, "", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, copies := range listing.Sessions("") {
		pulled, err := tower.Pull(ctx, copies, filepath.Join(dir, "tower", "one.jsonl"))
		fmt.Println("pulled", pulled.Bytes, err)
	}
	// Output:
	// pushed laptop/one 92
	// pulled 92 <nil>
}
