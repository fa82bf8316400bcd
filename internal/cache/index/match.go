package index

import (
	"context"
	"database/sql"
	"errors"
	"strings"
)

// A Phrase is words that must follow each other in a document.
type Phrase struct {
	Words  []string
	Prefix bool // the last of them is the beginning of one
}

// expression is a query in the language of FTS5 that all phrases must fulfil.
// Words are letters and digits, so that quotes keep them from meaning anything.
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

// Latest are the numbers from first to last of the documents that hold all
// phrases, the highest first, at most so many.
func (t *Texts) Latest(ctx context.Context, phrases []Phrase, first, last int64, most int) ([]int64, error) {
	return t.documents(ctx, "SELECT rowid FROM doc WHERE doc MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?",
		expression(phrases), first, last, most)
}

// Nth is the number of the document that holds all phrases and has so many with
// higher numbers that do too; 0 if there are not that many.
func (t *Texts) Nth(ctx context.Context, phrases []Phrase, n int) (int64, error) {
	var doc int64
	err := t.db.conn().QueryRowContext(ctx, "SELECT rowid FROM doc WHERE doc MATCH ? ORDER BY rowid DESC LIMIT 1 OFFSET ?",
		expression(phrases), n).Scan(&doc)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return doc, verdict(err)
}

// Best are the documents from a number on that hold all phrases, the one that is
// most about them first, at most so many. Every such document is weighed, however
// few are wanted.
func (t *Texts) Best(ctx context.Context, phrases []Phrase, from int64, most int) ([]int64, error) {
	return t.documents(ctx, "SELECT rowid FROM doc WHERE doc MATCH ? AND rowid >= ? ORDER BY rank LIMIT ?", expression(phrases), from, most)
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
