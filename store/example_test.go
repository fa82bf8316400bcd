package store_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/memstore"
)

// An append states the length of the log; if another process wrote, nothing
// happens.
func Example() {
	log1, err := memstore.New().Create(context.Background(), "/s.jsonl", store.Bytes([]byte("one\n")))
	if err != nil {
		log.Fatal(err)
	}
	defer log1.Close()
	if _, err := log1.Append(context.Background(), 4, []byte("two\n")); err != nil {
		log.Fatal(err)
	}
	_, err = log1.Append(context.Background(), 4, []byte("three\n"))
	var conflict *store.ConflictError
	fmt.Println(errors.As(err, &conflict), conflict.Want, conflict.Have)
	// Output: true 4 8
}
