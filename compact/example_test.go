package compact_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
)

// A plan determines what is summarized and what is kept; the summarizer is a
// function.
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
	say(format.NewUser("and then?", time.Now()))

	plan, err := compact.Prepare(s, compact.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	brief := compact.SummarizerFunc(func(context.Context, compact.Prompt) (string, error) { return "a release is planned", nil })
	entry, err := plan.Summarize(context.Background(), brief, compact.SummaryOptions{})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.AppendCompaction(context.Background(), entry); err != nil {
		log.Fatal(err)
	}
	fmt.Println(entry.Summary, s.View().Len())
	// Output: a release is planned 4
}
