package marks_test

import (
	"fmt"
	"log"
	"os"

	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

// Tags are stored next to sessions, never in them.
func Example() {
	dir, err := os.MkdirTemp("", "pith")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	c, err := marks.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := c.Update("session-id", "/sessions/s.jsonl", func(m *marks.Marks) { m.Pinned, m.Tags = true, []string{"release"} }); err != nil {
		log.Fatal(err)
	}
	kept := c.Of("session-id")
	fmt.Println(kept.Pinned, kept.Has("release"), c.Tags()["release"])
	// Output: true true 1
}
