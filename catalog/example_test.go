package catalog_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
)

// All sessions of a directory, the most recently used first.
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
	for _, info := range infos {
		fmt.Println(info.Cwd, info.Status, info.FirstMessage)
	}
	// Output: /src/app pending Why is the build slow?
}
