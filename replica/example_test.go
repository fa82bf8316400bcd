package replica_test

import (
	"context"
	"fmt"
	"os"

	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store/pgstore"
)

// One machine pushes a session, another brings its file up to all copies of it.
func Example() {
	ctx := context.Background()
	s, err := pgteam.Connect(ctx, os.Getenv("DATABASE_URL"), pgstore.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	team, err := replica.New(s, replica.Options{Person: s.Person(), Machine: "laptop"})
	if err != nil {
		fmt.Println(err)
		return
	}
	pushed, err := team.Push(ctx, "/home/ana/.pi/agent/sessions/--home-ana--/one.jsonl", replica.PushOptions{})
	if err != nil {
		fmt.Println(err) // a *replica.BehindError says that the store has more
		return
	}
	listing, err := team.List(ctx, s.Person())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, copies := range listing.Sessions() {
		if copies[0].Session == pushed.Replica.Session {
			_, err = team.Pull(ctx, copies, "/home/ana/other/one.jsonl", replica.PullOptions{})
			fmt.Println(err)
		}
	}
}
