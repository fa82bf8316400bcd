package openclaw_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/openclaw"
)

// The sessions in a database of OpenClaw.
func Example() {
	ctx := context.Background()
	sessions, err := sources.List(ctx, openclaw.Program{}, os.Getenv("OPENCLAW_DATABASE"))
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range sessions {
		info, err := catalog.Facts(ctx, catalog.Ref{Path: s.Path}, catalog.Options{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(info.ID, info.Title())
	}
}
