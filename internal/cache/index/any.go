package index

import (
	"context"
	"strings"
)

// LatestOfPairs are the documents that hold two of the phrases, whichever, the
// highest number first, at most so many.
func (t *Texts) LatestOfPairs(ctx context.Context, phrases []Phrase, most int) ([]int64, error) {
	var b strings.Builder
	for i := range phrases {
		for j := range phrases[:i] {
			if b.Len() > 0 {
				b.WriteString(" OR ")
			}
			b.WriteString("(" + expression([]Phrase{phrases[i], phrases[j]}) + ")")
		}
	}
	if b.Len() == 0 {
		return nil, nil
	}
	return t.documents(ctx, "SELECT rowid FROM doc WHERE doc MATCH ? ORDER BY rowid DESC LIMIT ?", b.String(), most)
}
