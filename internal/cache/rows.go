package cache

import (
	"context"
	"database/sql"
	"encoding/binary"
	"hash/crc32"
	"strings"
)

// A Table is a table of what files contain. Its rows have a file, which is a row
// of the table file, and a position.
type Table[T any] struct {
	Name    string
	Columns []string // beside the file and the position
	// Fields returns pointers to the values of the columns, of type *string,
	// *int64, *int or *bool.
	Fields func(*T) []any
}

// Sum adds rows to a checksum, because SQLite does not notice a changed byte
// within a row.
func (t *Table[T]) Sum(sum int64, rows []T) int64 {
	var b []byte
	crc := uint32(sum)
	for i := range rows {
		b = appendFields(b[:0], t.Fields(&rows[i]))
		crc = crc32.Update(crc, castagnoli, b)
	}
	return int64(crc)
}

// Add adds rows of a file, of which n are there.
func (t *Table[T]) Add(ctx context.Context, tx *sql.Tx, file int64, n int, rows []T) error {
	if len(rows) == 0 {
		return nil
	}
	put, err := tx.PrepareContext(ctx, "INSERT INTO "+t.Name+" (file, n, "+strings.Join(t.Columns, ", ")+") VALUES (?, ?"+strings.Repeat(", ?", len(t.Columns))+")")
	if err != nil {
		return err
	}
	defer put.Close()
	for i := range rows {
		if _, err := put.ExecContext(ctx, append([]any{file, n + i}, t.Fields(&rows[i])...)...); err != nil {
			return err
		}
	}
	return nil
}

// Of returns the rows of files, which are a JSON list of ids. A row with a value
// of another type than its column is left out.
func (t *Table[T]) Of(ctx context.Context, tx *sql.Tx, files string) (map[int64][]T, error) {
	found, err := tx.QueryContext(ctx, "SELECT file, "+strings.Join(t.Columns, ", ")+" FROM "+t.Name+" WHERE file IN (SELECT value FROM json_each(?)) ORDER BY file, n", files)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	out := map[int64][]T{}
	values, into := make([]any, 1+len(t.Columns)), make([]any, 1+len(t.Columns))
	for i := range values {
		into[i] = &values[i]
	}
	texts := map[string]string{} // so that each is stored once
	for found.Next() {
		if err := found.Scan(into...); err != nil {
			return nil, err
		}
		var row T
		if file, _ := values[0].(int64); Assign(t.Fields(&row), values[1:], texts) {
			out[file] = append(out[file], row)
		}
	}
	return out, found.Err()
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// SumOf returns a checksum of fields, because SQLite does not notice a changed
// byte within a row.
func SumOf(fields []any) int64 {
	return int64(crc32.Checksum(appendFields(make([]byte, 0, 512), fields), castagnoli))
}

// appendFields appends the values of fields to dst.
func appendFields(dst []byte, fields []any) []byte {
	for _, f := range fields {
		switch f := f.(type) {
		case *string:
			dst = append(binary.AppendUvarint(dst, uint64(len(*f))), *f...)
		case *int64:
			dst = binary.AppendVarint(dst, *f)
		case *int:
			dst = binary.AppendVarint(dst, int64(*f))
		case *bool:
			n := byte(0)
			if *f {
				n = 1
			}
			dst = append(dst, n)
		}
	}
	return dst
}

// Assign sets fields to the values of a row. It returns false if one has another
// type. For many rows it takes much less time than the conversions of
// [sql.Rows]. Equal texts are stored once if known is not nil.
func Assign(fields, values []any, known map[string]string) bool {
	for i, f := range fields {
		n, isNumber := values[i].(int64)
		text, isText := values[i].(string)
		switch f := f.(type) {
		case *string:
			if known != nil {
				same, ok := known[text]
				if !ok {
					same, known[text] = text, text
				}
				text = same
			}
			*f, isNumber = text, isText
		case *int64:
			*f = n
		case *int:
			*f = int(n)
		case *bool:
			*f = n != 0
		}
		if !isNumber {
			return false
		}
	}
	return true
}
