package memstore_test

import (
	"fmt"
	"log"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/store/memstore"
)

// Sessions that live as long as the program.
func Example() {
	s, err := pith.Create("/src/app", pith.Options{Store: memstore.New(), Dir: "/sessions"})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if _, err := s.SetName("scratch"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Name())
	// Output: scratch
}
