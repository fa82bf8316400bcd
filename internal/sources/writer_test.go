package sources_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"testing"

	"github.com/pith-sessions/pith/internal/sources"
)

// Among 200,000 keys some have the same first eight digits. Each still has an ID of
// its own, the same one each time.
func TestCollidingIDs(t *testing.T) { // I5
	a, b := sources.NewWriter(io.Discard, "x"), sources.NewWriter(io.Discard, "x")
	seen, plain := map[string]bool{}, map[[4]byte]bool{}
	for i := range 200_000 {
		key := fmt.Sprint("key ", i)
		id := a.ID(key)
		if seen[id] || len(id) != 8 {
			t.Fatalf("ID(%q) = %q again", key, id)
		}
		if again := b.ID(key); again != id {
			t.Fatalf("ID(%q) = %q, then %q", key, id, again)
		}
		seen[id] = true
		sum := sha256.Sum256([]byte(key))
		plain[[4]byte(sum[:4])] = true
	}
	if len(plain) == len(seen) {
		t.Error("no keys collided: the test shows nothing")
	}
}
