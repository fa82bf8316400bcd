package cost_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
)

// The cost of sessions counts each response once, however often it was copied.
func Example() {
	dir, err := os.MkdirTemp("", "pith")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	session := `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/src/app"}
{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"assistant","content":[],"provider":"acme","model":"one","usage":{"input":100,"output":20,"cost":{"total":0.25}}}}
`
	for _, name := range []string{"original.jsonl", "copy.jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(session), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	infos, err := catalog.Sorted(catalog.ListAll(context.Background(), catalog.Options{Dir: dir}))
	if err != nil {
		log.Fatal(err)
	}
	ledger, err := cost.Count(context.Background(), infos, cost.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, g := range ledger.By(func(r *cost.Response) string { return r.Model }) {
		fmt.Println(g.Key, g.Responses, g.Input, g.Output, g.Cost.Micros())
	}
	// Output: acme/one 1 100 20 250000
}
