package diff_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect/diff"
)

// Where two branches part, and what each did.
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
	question := say(format.NewUser("make it fast", time.Now()))
	one := say(format.NewAssistant("a trie", time.Now()))
	if err := s.Branch(question); err != nil {
		log.Fatal(err)
	}
	other := say(format.NewAssistant("a hash table", time.Now()))

	c, err := diff.Compare(context.Background(), diff.Side{Session: s, Leaf: one}, diff.Side{Session: s, Leaf: other})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Common.Question, "-", c.A.Answer, "or", c.B.Answer)
	// Output: make it fast - a trie or a hash table
}
