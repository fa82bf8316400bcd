package index

import (
	"context"
	"strings"
)

// LatestOfAny are the numbers of the documents that hold one of the words of each
// set, the highest first, at most so many. It costs what it returns, unlike the
// beginning of a word, for which all documents are collected first.
func (t *Texts) LatestOfAny(ctx context.Context, most int, sets ...[]string) ([]int64, error) {
	var b strings.Builder
	for i, words := range sets {
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
