package format_test

import (
	"fmt"
	"log"

	"github.com/pith-sessions/pith/format"
)

// Unknown members of a line are preserved.
func Example() {
	line := `{"type":"label","id":"b","parentId":"a","timestamp":"2026-01-02T03:04:05.000Z","targetId":"a","label":"here","colour":"red"}`
	entry, err := format.DecodeEntry([]byte(line))
	if err != nil {
		log.Fatal(err)
	}
	label := entry.(*format.Label)
	fmt.Println(label.TargetID, label.Label)
	fmt.Println(string(format.AppendEntry(nil, entry)) == line)
	// Output:
	// a here
	// true
}
