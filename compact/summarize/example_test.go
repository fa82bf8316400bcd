package summarize_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/compact/summarize"
	"github.com/pith-sessions/pith/format"
)

// A summary without a model quotes what was asked.
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
	say(format.NewUser("plan the release of the parser", time.Now()))
	say(format.NewAssistant("first the changelog", time.Now()))
	say(format.NewUser("and then?", time.Now()))

	plan, err := compact.Prepare(s, compact.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	entry, err := plan.Summarize(context.Background(), summarize.Extract(), compact.SummaryOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(entry.Summary, "plan the release of the parser"))
	// Output: true
}
