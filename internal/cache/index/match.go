package index

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"
)

// A Phrase is a sequence of words that must be consecutive in a document.
type Phrase struct {
	Words  []string
	Prefix bool // the last word is a prefix
}

// expression returns an FTS5 query that all phrases must match. Words are
// letters and digits, and quotes prevent any other interpretation.
func expression(phrases []Phrase) string {
	var b strings.Builder
	for i, p := range phrases {
		if i > 0 {
			b.WriteString(" AND ")
		}
		b.WriteString(`"` + strings.ReplaceAll(strings.Join(p.Words, " "), `"`, `""`) + `"`)
		if p.Prefix {
			b.WriteString(" *")
		}
	}
	return b.String()
}

// Latest returns the numbers from first to last of the documents that contain
// all phrases, the highest first, at most most of them.
func (t *Texts) Latest(ctx context.Context, phrases []Phrase, first, last int64, most int) ([]int64, error) {
	return t.documents(ctx, "SELECT rowid FROM doc WHERE doc MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?",
		expression(phrases), first, last, most)
}

// documents returns the numbers that a query selects, the highest first. They
// come in one row: fetching a row costs as much as finding it.
func (t *Texts) documents(ctx context.Context, query string, args ...any) ([]int64, error) {
	var list sql.NullString
	if err := t.db.conn().QueryRowContext(ctx, "SELECT group_concat(rowid) FROM ("+query+")", args...).Scan(&list); err != nil || !list.Valid {
		return nil, verdict(err)
	}
	docs := make([]int64, 0, strings.Count(list.String, ",")+1)
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
