package index

import (
	"context"
	"strings"
)

// LatestOfAny returns the numbers of the documents that contain one of the
// words of each set, the highest first, at most most of them, which should be
// thousands at most. Its cost is proportional to its result plus one lookup per
// word, of which Known removes most. A prefix query, in contrast, collects all
// documents first.
func (t *Texts) LatestOfAny(ctx context.Context, most int, sets ...[]string) ([]int64, error) {
	var b strings.Builder
	for i, words := range sets {
		if len(words) == 0 {
			return nil, nil
		}
		if i > 0 {
			b.WriteString(" AND ")
		}
		b.WriteString("(")
		for j, w := range words {
			if j > 0 {
				b.WriteString(" OR ")
			}
			b.WriteString(expression([]Phrase{{Words: []string{w}}}))
		}
		b.WriteString(")")
	}
	return t.documents(ctx, "SELECT rowid FROM doc WHERE doc MATCH ? ORDER BY rowid DESC LIMIT ?", b.String(), most)
}
