// Command report lists the sessions of a directory, searches them and adds up
// their cost.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/catalog/search"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: report FOLDER QUERY")
	}
	if err := report(context.Background(), os.Stdout, catalog.Options{Dir: os.Args[1]}, os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

// snippet: report
func report(ctx context.Context, out io.Writer, where catalog.Options, text string) error {
	infos, err := catalog.Sorted(catalog.ListAll(ctx, where))
	if err != nil {
		return err
	}
	for _, s := range infos {
		fmt.Fprintf(out, "%q %d messages\n", s.FirstMessage, s.MessageCount)
	}
	q, err := query.Parse(text, query.Env{})
	if err != nil {
		return err
	}
	found, err := search.Search(ctx, search.For(q), search.Options{Catalog: where})
	if err != nil {
		return err
	}
	for _, hit := range found.Hits {
		fmt.Fprintf(out, "found in %q: %s\n", hit.Session.FirstMessage, hit.Role)
	}
	ledger, err := cost.Count(ctx, infos, cost.Options{})
	if err != nil {
		return err
	}
	total := ledger.Total()
	fmt.Fprintf(out, "%d responses, %d tokens, cost %d millionths\n", total.Responses, total.Tokens, total.Cost.Micros())
	return nil
}

// end
