// Command adapter shows the five calls that connect another agent framework to
// pith: open, append, read, rewind and fork.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

func main() {
	dir, err := os.MkdirTemp("", "adapter")
	if err != nil {
		log.Fatal(err)
	}
	if err := run(context.Background(), os.Stdout, filepath.Join(dir, "trip.jsonl")); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, file string) error {
	// snippet: adapter
	s, err := pith.OpenOrCreate(ctx, file, pith.Options{Cwd: "/"}) // get or create
	if err != nil {
		return err
	}
	defer s.Close()
	first, err := s.AppendMessage(ctx, format.NewUser("To the sea?", time.Now())) // one call for each event
	if err != nil {
		return err
	}
	if _, err := s.AppendMessage(ctx, format.NewAssistant("It is warm.", time.Now())); err != nil {
		return err
	}
	fork, err := s.Clone(ctx, first) // a session of its own, up to an entry
	if err != nil {
		return err
	}
	defer fork.Close()
	if err := s.Branch(first); err != nil { // go back; the next append starts a branch
		return err
	}
	visible, err := s.Context() // the messages that the model sees
	if err != nil {
		return err
	}
	// end
	n := 0
	for _, err := range visible.Messages() {
		if err != nil {
			return err
		}
		n++
	}
	_, err = fmt.Fprintf(out, "%d message, forked: %t\n", n, fork.ID() != s.ID())
	return err
}
