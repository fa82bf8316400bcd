package sources_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/pith-sessions/pith/internal/sources"
)

// writing is a program that gives away its writer.
type writing struct {
	sources.Program
	w **sources.Writer
}

func (p writing) Name() string { return "x" }
func (p writing) Translate(_ context.Context, _ sources.Session, w *sources.Writer) error {
	*p.w = w
	return nil
}

func newWriter(t *testing.T) (w *sources.Writer) {
	for _, err := range sources.Translate(t.Context(), writing{w: &w}, sources.Session{}, nil) {
		t.Fatal(err)
	}
	return w
}

// Among 200,000 keys some have the same first eight digits. Each still has an ID of
// its own, the same one each time.
func TestCollidingIDs(t *testing.T) { // I5
	a, b := newWriter(t), newWriter(t)
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
