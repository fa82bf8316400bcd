package trash_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith/internal/housekeeping/trash"
)

// A trashed session is restored unchanged.
func Example() {
	dir, err := os.MkdirTemp("", "pith")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "s.jsonl")
	if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	o := trash.Options{Dir: filepath.Join(dir, "trash")}
	receipt, err := trash.Put(path, o)
	if err != nil {
		log.Fatal(err)
	}
	back, err := trash.Restore(receipt.ID, o)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(receipt.Size, filepath.Base(back))
	// Output: 3 s.jsonl
}
