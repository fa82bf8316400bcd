package pgteam_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store/pgstore"
)

// A person lets a colleague read one session and everybody another.
func Example() {
	ctx := context.Background()
	s, err := pgteam.Connect(ctx, os.Getenv("DATABASE_URL"), pgstore.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	err = s.Give(ctx, pgteam.Grant{Session: "0199a1b2", Grantee: "ben"}, pgteam.Grant{Session: "0199c3d4", Grantee: pgteam.Everybody})
	if err != nil {
		log.Fatal(err) // matches pgteam.ErrNoRole if ben does not exist
	}
	grants, err := s.Grants(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, g := range grants {
		fmt.Println(s.Person(), "lets", g.Grantee, "read", g.Session)
	}
}
