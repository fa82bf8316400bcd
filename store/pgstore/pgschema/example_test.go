package pgschema_test

import (
	"context"
	"errors"
	"log"
	"os"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pith-sessions/pith/store/pgstore/pgschema"
)

// A component brings its tables up to date when the program starts.
func Example() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	notes := pgschema.Component{Name: "notes", Steps: []string{
		`CREATE TABLE {schema}.notes (id bigint PRIMARY KEY, text text NOT NULL)`,
		`ALTER TABLE {schema}.notes ADD COLUMN author text`, // since the second release
	}}
	err = pgschema.Apply(ctx, pool, "app", notes)
	if errors.Is(err, pgschema.ErrNewer) {
		log.Fatal("a newer release has used this database")
	}
	if err != nil {
		log.Fatal(err)
	}
}
