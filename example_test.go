package pith_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// A session is a file as soon as the user has said something; pi opens it too.
func Example() {
	dir, err := os.MkdirTemp("", "pith")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	s, err := pith.Create(pith.Options{Cwd: "/home/me/project", Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	first, err := s.AppendMessage(context.Background(), format.NewUser("Why is the build slow?", time.Now()))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.SetName(context.Background(), "slow build"); err != nil {
		log.Fatal(err)
	}
	if _, err := s.SetLabel(context.Background(), first, "the question"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Name(), s.View().Label(first), s.Written())
	// Output: slow build the question true
}

// quickStart is the example of the README.
// snippet: quickstart
func quickStart(ctx context.Context, dir string) error {
	s, err := pith.Create(pith.Options{Cwd: "/home/me/project", Dir: dir})
	if err != nil {
		return err
	}
	defer s.Close()
	question, err := s.AppendMessage(ctx, format.NewUser("Why is the build slow?", time.Now()))
	if err != nil {
		return err
	}
	if _, err := s.AppendMessage(ctx, format.NewUser("Only on Mondays.", time.Now())); err != nil {
		return err
	}
	return s.Branch(question) // the next message starts a branch
}

// end

// The example of the README leaves a session with two messages.
func Example_quickStart() {
	dir, err := os.MkdirTemp("", "pith")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := quickStart(context.Background(), dir); err != nil {
		log.Fatal(err)
	}
	s, err := pith.ContinueRecent(context.Background(), pith.Options{Cwd: "/home/me/project", Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	fmt.Println(s.View().Len(), "entries: two messages and the leaf")
	// Output: 3 entries: two messages and the leaf
}

// Branching moves the leaf; history stays.
func ExampleSession_Branch() {
	s, err := pith.InMemory(pith.Options{Cwd: "/p"})
	if err != nil {
		log.Fatal(err)
	}
	ask := func(text string) string {
		id, err := s.AppendMessage(context.Background(), format.NewUser(text, time.Now()))
		if err != nil {
			log.Fatal(err)
		}
		return id
	}
	a := ask("plan it")
	ask("do it this way")
	if err := s.Branch(a); err != nil {
		log.Fatal(err)
	}
	ask("do it another way")

	c, err := s.Context()
	if err != nil {
		log.Fatal(err)
	}
	for m, err := range c.Messages() {
		if err != nil {
			log.Fatal(err)
		}
		msg, err := format.DecodeMessage(m.Raw)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(msg.(*format.User).Content.PlainText())
	}
	children, err := s.View().Children(a)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(children), "branches")
	// Output:
	// plan it
	// do it another way
	// 2 branches
}
