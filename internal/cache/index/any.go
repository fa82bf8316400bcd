package index

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"
)

// LatestOfAny are the numbers of the documents that hold one of the words of each
// set, the highest first, at most so many: it is for thousands. It costs what it
// returns and a look for each word, of which Known leaves out most, unlike the
// beginning of a word, for which all documents are collected first.
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
	// One row for all of them: to fetch a row costs as much as to find it.
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
	slices.SortFunc(docs, func(a, b int64) int { return cmp.Compare(b, a) }) // SQL promises no order here
	return docs, nil
}
