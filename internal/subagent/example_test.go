package subagent_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/subagent"
)

// The runs of subagents in a session, and what they cost.
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
	say(format.NewUser("no subagent is needed", time.Now()))

	report, err := subagent.Read(context.Background(), s, subagent.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(report.Invocations), report.Children.Cost.Micros())
	// Output: 0 0
}
