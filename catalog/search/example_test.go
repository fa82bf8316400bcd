package search_test

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
)

// The content of sessions is found with an index or without.
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

	q, err := query.Parse("build role:user", query.Env{})
	if err != nil {
		log.Fatal(err)
	}
	found, err := search.Search(context.Background(), search.For(q), search.Options{Catalog: catalog.Options{Dir: dir}})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range found.Hits {
		fmt.Println(hit.Role, hit.Snippet.Text)
	}
	// Output: user Why is the build slow?
}
