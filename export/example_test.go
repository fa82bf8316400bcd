package export_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/export"
	"github.com/pith-sessions/pith/format"
)

// The output is scanned before anything is written.
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
	say(format.NewUser("the token is ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8", time.Now()))

	plan, err := export.Review(context.Background(), s, export.Options{Format: export.JSONL})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range plan.Redacted() {
		fmt.Println(c.Rule, c.Places)
	}
	out, err := os.CreateTemp("", "session-*.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(out.Name())
	defer out.Close()
	if _, err := plan.Write(context.Background(), out); err != nil {
		log.Fatal(err)
	}
	fmt.Println(plan.Check(context.Background(), out))
	// Output:
	// github-pat 1
	// <nil>
}
