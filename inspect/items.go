package inspect

import (
	"iter"

	"github.com/pith-sessions/pith"
)

// ItemsOf returns the items of some consecutive entries of a branch: a result
// joins its call. label returns the label of an entry, or "". The items do not
// refer to the bytes of the lines.
func ItemsOf(lines iter.Seq2[pith.Line, error], label func(id string) string) ([]Item, error) {
	b := builder{x: &Turn{}, label: label, calls: map[string]int{}}
	for line, err := range lines {
		if err != nil {
			return nil, err
		}
		b.line(&line)
	}
	return b.x.Items, nil
}
