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

// Latest calls take with the numbers from first to last of the documents that
// hold all phrases, the highest first, until it returns false.
func (t *Texts) Latest(ctx context.Context, phrases []Phrase, first, last int64, most int, take func(doc int64) bool) error {
	rows, err := t.db.conn().QueryContext(ctx,
		"SELECT rowid FROM doc WHERE doc MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?",
		expression(phrases), first, last, most)
	if err != nil {
		return verdict(err)
	}
	defer rows.Close()
	for rows.Next() {
		var doc int64
		if err := rows.Scan(&doc); err != nil {
			return verdict(err)
		}
		if !take(doc) {
			return nil
		}
	}
	return verdict(rows.Err())
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

// Best calls take with the documents from a number on that hold all phrases, the
// one that is most about them first, until it returns false. A higher score is
// better. Every such document is weighed, however few are taken.
func (t *Texts) Best(ctx context.Context, phrases []Phrase, from int64, most int, take func(doc int64, score float64) bool) error {
	rows, err := t.db.conn().QueryContext(ctx, "SELECT rowid, rank FROM doc WHERE doc MATCH ? AND rowid >= ? ORDER BY rank LIMIT ?",
		expression(phrases), from, most)
	if err != nil {
		return verdict(err)
	}
	defer rows.Close()
	for rows.Next() {
		var doc int64
		var rank float64
		if err := rows.Scan(&doc, &rank); err != nil {
			return verdict(err)
		}
		if !take(doc, -rank) {
			return nil
		}
	}
	return verdict(rows.Err())
}
