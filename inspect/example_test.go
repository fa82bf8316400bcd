package inspect_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
)

// A session as turns: what the user said, and what came of it.
func Example() {
	s, err := pith.InMemory(pith.Options{Cwd: "/src/app"})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	say := func(m format.Message) string {
		id, err := s.AppendMessage(context.Background(), m)
		if err != nil {
			log.Fatal(err)
		}
		return id
	}
	say(format.NewUser("plan the release", time.Now()))
	say(format.NewAssistant("first the changelog", time.Now()))

	r, err := inspect.Open(s, inspect.Scope{})
	if err != nil {
		log.Fatal(err)
	}
	for i := range r.Len() {
		x, err := r.Turn(i, inspect.Detail{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(x.Number, x.Title(), "-", x.LastResponse())
	}
	// Output: 1 plan the release - first the changelog
}
