package index

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strconv"
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
	// One row for all of them: fetching a row costs as much as finding it.
	var list sql.NullString
	if err := t.db.conn().QueryRowContext(ctx, `SELECT group_concat(rowid) FROM (
		SELECT rowid FROM doc WHERE doc MATCH ? ORDER BY rowid DESC LIMIT ?)`, b.String(), most).Scan(&list); err != nil || !list.Valid {
		return nil, verdict(err)
	}
	docs := make([]int64, 0, most)
	for number := range strings.SplitSeq(list.String, ",") {
		doc, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	slices.SortFunc(docs, func(a, b int64) int { return cmp.Compare(b, a) }) // SQL guarantees no order here
	return docs, nil
}
