package doctor_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith/doctor"
)

// A file that a crash left torn: what is wrong, and what a repair would do.
func Example() {
	dir, err := os.MkdirTemp("", "pith")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s.jsonl")
	torn := `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/src/app"}
{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"hel`
	if err := os.WriteFile(path, []byte(torn), 0o600); err != nil {
		log.Fatal(err)
	}
	report, err := doctor.Check(context.Background(), path, doctor.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range report.Findings {
		fmt.Println(f.Code, f.Line, f.Fixable())
	}
	// Output: torn 2 true
}
