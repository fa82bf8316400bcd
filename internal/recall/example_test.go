package recall_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/recall"
)

// A question in plain words, as an agent asks it.
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

	question, err := query.Parse("did we ever look at slow builds?", query.Env{})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := recall.Ask(context.Background(), question, recall.Options{
		Search: search.Options{Catalog: catalog.Options{Dir: dir}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range answer.Memories {
		fmt.Println(m.Question)
	}
	// Output: Why is the build slow?
}
