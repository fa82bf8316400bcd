package cache

import (
	"context"
	"database/sql"
	"encoding/binary"
	"hash/crc32"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/pith-sessions/pith/internal/foreign"
)

// Found is what one read of a file found: rows of a table.
type Found[T any] struct {
	Rows []T
	// Mark is one more fact about the file.
	Mark bool
}

// A Table has the rows that reads of files found. A read is known as long as its
// file is unchanged. It is safe for concurrent use; a nil Table stores nothing.
type Table[T any] struct {
	db      *DB
	name    string
	columns []string
	fields  func(*T) []any

	known map[string]*read[T] // by path; does not change

	mu    sync.Mutex // guards the fields below
	asked map[string]bool
	fresh map[string]*read[T]
}

// A read is one read of a file as it was then.
type read[T any] struct {
	id int64
	identity
	mark int64
	sum  int64
	rows []T
}

// An identity distinguishes a file from other files and from earlier versions of
// itself.
type identity struct{ dev, ino, size, mtime int64 }

func identityOf(info fs.FileInfo) identity {
	inode := InodeOf(info)
	return identity{int64(inode.Device), int64(inode.Number), info.Size(), info.ModTime().UnixNano()}
}

// coarse is the time within which two changes of a file may have the same
// timestamp.
const coarse = 2 * time.Second

// OpenTable opens a table of the database in a directory. It returns nil if
// nothing can be stored. columns are those of a row beside the file and its
// position, and fields returns pointers to their values, of type *string, *int64
// or *bool.
func OpenTable[T any](ctx context.Context, dir, name string, columns []string, fields func(*T) []any) *Table[T] {
	db, err := Open(dir)
	if err != nil {
		return nil
	}
	t := &Table[T]{db: db, name: name, columns: columns, fields: fields, known: map[string]*read[T]{}, asked: map[string]bool{}, fresh: map[string]*read[T]{}}
	if err := db.Read(ctx, func(tx *sql.Tx) error { return t.load(ctx, tx) }); err != nil {
		clear(t.known)
	}
	return t
}

// load reads all rows. Those of a file whose checksum differs do not count:
// SQLite does not notice a changed byte within a row.
func (t *Table[T]) load(ctx context.Context, tx *sql.Tx) error {
	byID := map[int64]string{}
	rows, err := tx.QueryContext(ctx, "SELECT id, path, dev, ino, size, mtime, mark, sum FROM scanned WHERE kind = ?", t.name)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var path string
		var r read[T]
		if err := rows.Scan(&r.id, &path, &r.dev, &r.ino, &r.size, &r.mtime, &r.mark, &r.sum); err != nil {
			return err
		}
		t.known[path], byID[r.id] = &r, path
	}
	if err := rows.Err(); err != nil {
		return err
	}
	found, err := tx.QueryContext(ctx, "SELECT file, "+strings.Join(t.columns, ", ")+" FROM "+t.name+" ORDER BY file, n")
	if err != nil {
		return err
	}
	defer found.Close()
	values, into := make([]any, 1+len(t.columns)), make([]any, 1+len(t.columns))
	for i := range values {
		into[i] = &values[i]
	}
	texts := map[string]string{} // so that each is stored once
	for found.Next() {
		if err := found.Scan(into...); err != nil {
			return err
		}
		file, _ := values[0].(int64)
		r := t.known[byID[file]]
		if r == nil {
			continue
		}
		r.rows = append(r.rows, *new(T))
		if !Assign(t.fields(&r.rows[len(r.rows)-1]), values[1:], texts) {
			delete(t.known, byID[file])
		}
	}
	for path, r := range t.known {
		if r.sum != t.sum(path, r) {
			delete(t.known, path)
		}
	}
	return found.Err()
}

func (t *Table[T]) sum(path string, r *read[T]) int64 {
	b := binary.AppendVarint(append([]byte(path), 0), r.mark)
	for _, n := range [...]int64{r.dev, r.ino, r.size, r.mtime} {
		b = binary.AppendVarint(b, n)
	}
	sum := crc32.Checksum(b, castagnoli)
	for i := range r.rows {
		b = AppendFields(b[:0], t.fields(&r.rows[i]))
		sum = crc32.Update(sum, castagnoli, b)
	}
	return int64(sum)
}

// Of returns what was found in a file: what is stored, or otherwise what look
// finds now. If look fails, its partial result is returned but not stored.
func (t *Table[T]) Of(path string, look func() (Found[T], error)) (Found[T], error) {
	if t == nil {
		return look()
	}
	before, err := foreign.Stat(path)
	if err != nil {
		return look()
	}
	t.mu.Lock()
	t.asked[path] = true
	t.mu.Unlock()
	is := identityOf(before)
	if was := t.known[path]; was != nil && was.identity == is {
		return Found[T]{was.rows, was.mark != 0}, nil
	}
	found, err := look()
	if err != nil {
		return found, err
	}
	if after, err := foreign.Stat(path); err == nil && identityOf(after) == is && time.Since(after.ModTime()).Abs() > coarse {
		r := &read[T]{identity: is, rows: found.Rows}
		if found.Mark {
			r.mark = 1
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		t.fresh[path] = r
	}
	return found, nil
}

// Close stores what was found and removes the rows of files that are gone.
// Failures are ignored: the files are then read again.
func (t *Table[T]) Close(ctx context.Context) {
	if t == nil {
		return
	}
	if len(t.fresh) > 0 {
		ctx := context.WithoutCancel(ctx)
		_ = t.db.Write(ctx, func(tx *sql.Tx) error { return t.store(ctx, tx) })
	}
	_ = t.db.Close()
}

func (t *Table[T]) store(ctx context.Context, tx *sql.Tx) error {
	forget := func(path string) error {
		for _, statement := range []string{
			"DELETE FROM " + t.name + " WHERE file IN (SELECT id FROM scanned WHERE kind = ? AND path = ?)", "DELETE FROM scanned WHERE kind = ? AND path = ?",
		} {
			if _, err := tx.ExecContext(ctx, statement, t.name, path); err != nil {
				return err
			}
		}
		return nil
	}
	for path := range t.known {
		if _, err := foreign.Stat(path); !t.asked[path] && err != nil {
			if err := forget(path); err != nil {
				return err
			}
		}
	}
	put, err := tx.PrepareContext(ctx, "INSERT INTO "+t.name+" (file, n, "+strings.Join(t.columns, ", ")+") VALUES (?, ?"+strings.Repeat(", ?", len(t.columns))+")")
	if err != nil {
		return err
	}
	defer put.Close()
	for path, r := range t.fresh {
		if err := forget(path); err != nil {
			return err
		}
		in, err := tx.ExecContext(ctx, "INSERT INTO scanned (kind, path, dev, ino, size, mtime, mark, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			t.name, path, r.dev, r.ino, r.size, r.mtime, r.mark, t.sum(path, r))
		if err != nil {
			return err
		}
		if r.id, err = in.LastInsertId(); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+t.name+" WHERE file = ?", r.id); err != nil { // of a damaged database
			return err
		}
		for i := range r.rows {
			if _, err := put.ExecContext(ctx, append([]any{r.id, i}, t.fields(&r.rows[i])...)...); err != nil {
				return err
			}
		}
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// SumOf returns a checksum of fields, because SQLite does not notice a changed
// byte within a row.
func SumOf(fields []any) int64 {
	return int64(crc32.Checksum(AppendFields(make([]byte, 0, 512), fields), castagnoli))
}

// AppendFields appends the values of fields to dst.
func AppendFields(dst []byte, fields []any) []byte {
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
