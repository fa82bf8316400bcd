package index

import (
	"context"
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

func (t *Texts) documents(ctx context.Context, query string, args ...any) ([]int64, error) {
	rows, err := t.db.conn().QueryContext(ctx, query, args...)
	if err != nil {
		return nil, verdict(err)
	}
	defer rows.Close()
	var docs []int64
	for rows.Next() {
		var doc int64
		if err := rows.Scan(&doc); err != nil {
			return nil, verdict(err)
		}
		docs = append(docs, doc)
	}
	return docs, verdict(rows.Err())
}
