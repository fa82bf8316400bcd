package memstore_test

import (
	"context"
	"fmt"
	"log"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/store/memstore"
)

// Sessions that live as long as the program.
func Example() {
	s, err := pith.Create(pith.Options{Cwd: "/src/app", Store: memstore.New(), Dir: "/sessions"})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if _, err := s.SetName(context.Background(), "scratch"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Name())
	// Output: scratch
}
