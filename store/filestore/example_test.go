package filestore_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// Logs are files; an append is durable when it returns.
func Example() {
	dir, err := os.MkdirTemp("", "pith")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	files := filestore.New(filestore.Options{Sync: filestore.SyncAlways})
	l, err := files.Create(context.Background(), filepath.Join(dir, "s.jsonl"), store.Bytes([]byte("one\n")))
	if err != nil {
		log.Fatal(err)
	}
	defer l.Close()
	if _, err := l.Append(context.Background(), 4, []byte("two\n")); err != nil {
		log.Fatal(err)
	}
	size, err := l.Size(context.Background())
	fmt.Println(size, err)
	// Output: 8 <nil>
}
