package search

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"io/fs"
	"strings"
	"sync"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/cache"
)

// An Index records which entries contain which words. It is a cache on disk
// that several processes may share; deleting it loses nothing. A search finds
// the same hits with an index, without one, and with one that is not up to
// date.
//
// An Index is safe for concurrent use.
type Index struct {
	db *cache.DB

	mu    sync.Mutex // guards noted
	noted bool
}

// OpenIndex opens the index in a directory, which it creates. An error means
// that the directory cannot hold an index; searches work without one.
func OpenIndex(dir string) (*Index, error) {
	db, err := cache.Open(dir)
	if err != nil {
		return nil, err
	}
	return &Index{db: db}, nil
}

// Close closes the index.
func (ix *Index) Close() error { return ix.db.Close() }

// Notice returns a message for the user that the index was unusable and is
// being rebuilt. It returns it once, and "" otherwise.
func (ix *Index) Notice() string {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.noted || !ix.db.Replaced() {
		return ""
	}
	ix.noted = true
	return "the search index was damaged or outdated and is rebuilt"
}

// Started reports whether the index contains entries.
func (ix *Index) Started(ctx context.Context) (started bool) {
	err := ix.db.Read(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM indexed)").Scan(&started)
	})
	return started && err == nil
}

// A source is a file with indexed entries.
type source struct {
	id          int64
	mark        mark
	first, last int64 // its entries have ids between them
}

// sum returns a checksum, because SQLite does not notice a changed byte within a
// row.
func (s *source) sum() int64 {
	m := &s.mark
	return sumOf(s.id, m.dev, m.ino, m.size, m.mtime, m.end, m.tail, s.first, s.last)
}

func sumOf(numbers ...int64) int64 {
	b := make([]byte, 0, 128)
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return int64(crc32.ChecksumIEEE(b))
}

// A mark records how far a file was indexed, and its identity.
type mark struct {
	dev, ino    int64
	size, mtime int64 // of the file when it was indexed
	end         int64 // the entries before it are indexed
	tail        int64 // hash of the bytes before end
}

// markOf returns the mark of a file of which nothing is indexed.
func markOf(f fs.FileInfo) mark {
	inode := cache.InodeOf(f)
	return mark{dev: int64(inode.Device), ino: int64(inode.Number), size: f.Size(), mtime: f.ModTime().UnixNano()}
}

// isForeign reports whether the lines of the session are made when it is read.
// Their number and their end are not in the mark: the inode changes with them.
func (m *mark) isForeign() bool { return m.dev == cache.ForeignDevice }

// covers reports whether a file, when it was listed, still started with the
// bytes that were indexed. Only if the file changed, a few bytes are read: a
// file that was modified in its middle and also appended to, in place, is taken
// for appended.
func (m *mark) covers(f *catalog.Info) bool {
	if int64(f.Inode.Device) != m.dev || int64(f.Inode.Number) != m.ino {
		return false
	}
	if f.Size == m.size || m.isForeign() {
		return f.FileTime.UnixNano() == m.mtime // otherwise it was rewritten
	}
	tail, err := fingerprint(f.Path, m.end)
	return err == nil && tail == m.tail
}

// sources returns the sources of the index by path.
func sources(ctx context.Context, tx *sql.Tx) (map[string]*source, error) {
	rows, err := tx.QueryContext(ctx, "SELECT path, id, dev, ino, size, mtime, read_to, tail_hash, first, last, sum FROM indexed")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string]*source{}
	for rows.Next() {
		var path string
		var s source
		var sum int64
		if err := rows.Scan(&path, &s.id, &s.mark.dev, &s.mark.ino, &s.mark.size, &s.mark.mtime, &s.mark.end, &s.mark.tail, &s.first, &s.last, &sum); err != nil {
			return nil, err
		}
		if sum != s.sum() {
			return nil, cache.ErrDamaged
		}
		out[path] = &s
	}
	return out, rows.Err()
}

// A document is an entry that the index found.
type document struct {
	id, file, offset, length int64
}

// documents returns the entries that match an FTS5 expression and a condition.
func (q *Query) documents(ctx context.Context, tx *sql.Tx, expression, condition string, args ...any) ([]document, error) {
	all, role := []any{expression}, ""
	if roles := q.Filters.Wants("role"); len(roles) > 0 {
		all = append(all, longRole)
		for _, r := range roles {
			all = append(all, roleNumber(strings.ToLower(r)))
		}
		role = " AND (e.role IN (?" + strings.Repeat(", ?", len(roles)) + ") OR e.id IS NULL)"
	}
	rows, err := tx.QueryContext(ctx, "SELECT word.rowid, ifnull(e.file, 0), ifnull(e.offset, 0), ifnull(e.length, 0), ifnull(e.role, 0), ifnull(e.sum, -1) FROM word LEFT JOIN entry e ON e.id = word.rowid WHERE word MATCH ?"+role+" "+condition, append(all, args...)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []document
	for rows.Next() {
		var d document
		var role, sum int64
		if err := rows.Scan(&d.id, &d.file, &d.offset, &d.length, &role, &sum); err != nil {
			return nil, err
		}
		if sum != sumOf(d.id, d.file, d.offset, d.length, role) {
			return nil, cache.ErrDamaged
		}
		out = append(out, d)
	}
	return out, rows.Err()
}

// expression returns the FTS5 query that every match of the query fulfills, or
// "" if an index cannot help. Words are letters and digits, and quotes prevent
// any other interpretation.
func (q *Query) expression() string {
	var parts []string
	for _, t := range q.Terms {
		if t.Regexp != nil {
			if q.Any {
				return ""
			}
			continue
		}
		forms := []string{strings.Join(t.Words, " ")}
		star := ""
		if t.Prefix {
			star = " *"
		}
		if q.Any && len(t.Forms) > 0 {
			forms, star = t.Forms, ""
		}
		for i, f := range forms {
			forms[i] = `"` + strings.ReplaceAll(f, `"`, `""`) + `"` + star
		}
		parts = append(parts, "("+strings.Join(forms, " OR ")+")")
	}
	if len(parts) == 0 {
		return ""
	}
	and := " AND "
	if q.Any {
		and = " OR "
	}
	return "(" + strings.Join(parts, and) + ") OR " + longEntry
}

// counts returns approximately how many entries contain each term, and how many
// there are.
func (q *Query) counts(ctx context.Context, tx *sql.Tx) (counts []int, total int, err error) {
	counts = make([]int, len(q.Terms))
	for i, t := range q.Terms {
		if t.Regexp != nil {
			continue
		}
		words := t.Forms
		if len(words) == 0 {
			words = t.Words
		}
		list, _ := json.Marshal(words) // of strings
		sum := "sum"
		if len(t.Forms) == 0 {
			sum = "min"
		}
		if err := tx.QueryRowContext(ctx, "SELECT ifnull("+sum+"(doc), 0) FROM json_each(?) w JOIN word_count c ON c.term = w.value", string(list)).Scan(&counts[i]); err != nil {
			return nil, 0, err
		}
	}
	return counts, total, tx.QueryRowContext(ctx, "SELECT ifnull(max(id), 0) FROM entry").Scan(&total)
}
