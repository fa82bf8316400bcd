package move_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/housekeeping/move"
)

// A project was renamed; its sessions follow it.
func Example() {
	dir, err := os.MkdirTemp("", "pith")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	sessions, before, now := filepath.Join(dir, "sessions"), filepath.Join(dir, "app"), filepath.Join(dir, "renamed")
	if err := os.Mkdir(now, 0o700); err != nil {
		log.Fatal(err)
	}
	s, err := pith.Create(pith.Options{Cwd: before, Dir: sessions})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.AppendMessage(context.Background(), format.NewUser("Why is the build slow?", time.Now())); err != nil {
		log.Fatal(err)
	}
	if err := s.Close(); err != nil {
		log.Fatal(err)
	}

	ctx, places := context.Background(), catalog.Options{Dir: sessions}
	infos, err := catalog.Sorted(catalog.ListAll(ctx, places))
	if err != nil {
		log.Fatal(err)
	}
	plan, err := move.NewPlan(infos, before, now, move.Options{Catalog: places})
	if err != nil {
		log.Fatal(err)
	}
	plan.Quiet = func(context.Context) error { return nil } // no other process has these sessions
	err = plan.Apply(ctx, func(done move.Done) {
		fmt.Println(filepath.Base(done.Session.Cwd), "is now", filepath.Base(done.Cwd), done.Err)
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: app is now renamed <nil>
}
