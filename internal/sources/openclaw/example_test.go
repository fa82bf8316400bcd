package openclaw_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/openclaw"
)

// The sessions in a database of OpenClaw, listed like any others.
func Example() {
	ctx := context.Background()
	dir := filepath.Join(os.TempDir(), "openclaw-sessions")
	m := sources.Mirror{Program: openclaw.Program{}, Root: os.Getenv("OPENCLAW_DATABASE"), Dir: dir}
	if err := m.Refresh(ctx); err != nil {
		log.Fatal(err)
	}
	for info, err := range catalog.ListAll(ctx, catalog.Options{Dir: dir}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(info.ID, info.Title())
	}
}
