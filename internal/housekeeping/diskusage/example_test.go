package diskusage_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/housekeeping/diskusage"
)

// What uses the space in sessions.
func Example() {
	dir, err := os.MkdirTemp("", "pith")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := pith.Create(pith.Options{Cwd: "/src/app", Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if _, err := s.AppendMessage(context.Background(), format.NewUser("Why is the build slow?", time.Now())); err != nil {
		log.Fatal(err)
	}

	infos, err := catalog.Sorted(catalog.ListAll(context.Background(), catalog.Options{Dir: dir}))
	if err != nil {
		log.Fatal(err)
	}
	weights, err := diskusage.Measure(context.Background(), infos, diskusage.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(weights), weights[0].Total() == infos[0].Size)
	// Output: 1 true
}
