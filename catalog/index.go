package catalog

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pith-sessions/pith/internal/cache"
	"github.com/pith-sessions/pith/internal/edits"
	"github.com/pith-sessions/pith/internal/foreign"
)

// An Index remembers the facts of session files between lists, so that the cost
// of a list depends on the changes. It is a cache on disk that several
// processes may share; deleting it loses nothing. A change of a file is
// detected from its identity, size and time and, if these are not enough, from
// a hash of its bytes.
//
// Lists are the same with and without an index. An Index is safe for concurrent
// use.
type Index struct {
	db *cache.DB

	mu     sync.Mutex // guards the fields below
	noted  bool
	failed error
}

// CacheDir returns the directory for data that can be rebuilt: PITH_CACHE_DIR,
// or pith in the cache directory of the system, or "" if there is none. Of the
// options only the environment is used.
func CacheDir(o Options) string {
	if dir := o.env("PITH_CACHE_DIR"); dir != "" {
		return o.expand(dir, "")
	}
	base := o.env("XDG_CACHE_HOME")
	home := o.environment().HomeDir()
	switch {
	case filepath.IsAbs(base): // the specification ignores relative ones
	case runtime.GOOS == "windows":
		base = o.env("LOCALAPPDATA")
	case home == "":
		base = ""
	case runtime.GOOS == "darwin":
		base = filepath.Join(home, "Library", "Caches")
	default:
		base = filepath.Join(home, ".cache")
	}
	if base == "" {
		return ""
	}
	return filepath.Join(base, "pith")
}

// OpenIndex opens the index in a directory, which it creates. An index that is
// damaged or has another version is replaced by an empty one: see Notice. An
// error means that the directory cannot hold an index; lists work without one.
func OpenIndex(dir string) (*Index, error) {
	db, err := cache.Open(dir)
	if err != nil {
		return nil, err
	}
	return &Index{db: db}, nil
}

// IndexFiles returns the paths of the index files in a directory, whether they
// exist or not.
func IndexFiles(dir string) []string { return cache.Files(dir) }

// Clear removes everything.
func (ix *Index) Clear() error { return ix.db.Reset() }

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
	return "the session index was damaged or outdated and is rebuilt"
}

// Err returns the first error in storing facts, or nil. Lists are complete in
// either case.
func (ix *Index) Err() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.failed
}

// fail stores the first error.
func (ix *Index) fail(err error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.failed == nil && err != nil && !errors.Is(err, context.Canceled) {
		ix.failed = err
	}
}

// briefs are the briefs of files.
type briefs struct {
	byPath  map[string]*brief
	byInode func() map[cache.Inode]*brief
}

// below returns the briefs of the files below some roots. If they cannot be
// read, there are none.
func (ix *Index) below(ctx context.Context, roots []Root) *briefs {
	ranges := make([][2]string, len(roots))
	for i, r := range roots {
		base := strings.TrimSuffix(r.Dir, string(filepath.Separator))
		ranges[i] = [2]string{base + string(filepath.Separator), base + string(filepath.Separator+1)}
	}
	return ix.briefs(ctx, ranges)
}

// of returns the briefs of files.
func (ix *Index) of(ctx context.Context, files []*file) *briefs {
	ranges := make([][2]string, len(files))
	for i, f := range files {
		ranges[i] = [2]string{f.path(), f.path() + "\x00"}
	}
	return ix.briefs(ctx, ranges)
}

// An unlistedError is the error of a session whose root cannot be listed. Lists
// report the root.
type unlistedError struct{ error }

func (e unlistedError) Unwrap() error { return e.error }

// unreadable adds to the sessions of a root, of which only some could be listed,
// those that are known from before, unless their files are gone. Opening one of
// these returns the error.
func (ix *Index) unreadable(ctx context.Context, r Root, found []*foreign.Session, cause error) []*foreign.Session {
	listed := map[string]bool{}
	for _, s := range found {
		listed[s.Path] = true
	}
	root, err := os.Stat(r.Dir)
	inFiles := err != nil || root.IsDir()
	for path, b := range ix.below(ctx, []Root{r}).byPath {
		if listed[path] || b.kind == rowOther {
			continue
		}
		if _, err := os.Stat(path); inFiles && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		found = append(found, &foreign.Session{
			Path: path, Original: r.Dir, Modified: time.Unix(0, b.mtime), Stamp: uint64(b.ino),
			Lines: func(context.Context) iter.Seq2[[]byte, error] {
				return func(yield func([]byte, error) bool) { yield(nil, unlistedError{cause}) }
			},
		})
	}
	return found
}

// briefs returns the briefs of the files whose paths are in some ranges.
func (ix *Index) briefs(ctx context.Context, ranges [][2]string) *briefs {
	b := &briefs{byPath: map[string]*brief{}}
	b.byInode = sync.OnceValue(func() map[cache.Inode]*brief {
		of := make(map[cache.Inode]*brief, len(b.byPath))
		for _, one := range b.byPath {
			of[one.inode()] = one
		}
		return of
	})
	if ix == nil {
		return b
	}
	var list []*brief // as long as it may be incomplete
	err := ix.db.Read(ctx, func(tx *sql.Tx) error {
		for _, r := range ranges {
			if err := selectBriefs(ctx, tx, func(one *brief) { list = append(list, one) }, "WHERE path >= ? AND path < ?", r[0], r[1]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		ix.fail(err)
		return b
	}
	for _, one := range list {
		b.byPath[one.path] = one
	}
	return b
}

// selectBriefs calls take with the briefs that a condition selects.
func selectBriefs(ctx context.Context, tx *sql.Tx, take func(*brief), condition string, args ...any) error {
	rows, err := tx.QueryContext(ctx, "SELECT id, brief_sum, "+briefColumns+" FROM file "+condition, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	var b brief
	return scan(rows, append([]any{&b.id, new(int64)}, b.fields()...), func() {
		is := b
		take(&is)
	})
}

// scan calls take after each row that is not damaged. The first field is its id,
// the second the checksum of the others.
func scan(rows *sql.Rows, fields []any, take func()) error {
	values, into := make([]any, len(fields)), make([]any, len(fields))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if cache.Assign(fields, values, nil) && *fields[1].(*int64) == cache.SumOf(fields[2:]) {
			take()
		}
	}
	return rows.Err()
}

// gone returns the ids of those whose files are not among these, except below
// directories and databases that could not be listed.
func (b *briefs) gone(files []*file, unlisted []string) (ids []int64) {
	found := make(map[string]bool, len(files))
	for _, f := range files {
		found[f.path()] = true
	}
	for path, one := range b.byPath {
		if !found[path] && !slices.ContainsFunc(unlisted, func(dir string) bool { return strings.HasPrefix(path, dir) }) {
			ids = append(ids, one.id)
		}
	}
	return ids
}

// prior returns the row of a file as it was read before, perhaps under another
// name, or nil.
func (b *briefs) prior(ctx context.Context, ix *Index, q *query, f *file) *row {
	was := b.byPath[f.path()]
	if was == nil && f.inode != (cache.Inode{}) && len(b.byPath) > 0 {
		was = b.byInode()[f.inode]
	}
	if was == nil {
		return nil
	}
	return ix.rows(ctx, q, []int64{was.id})[was.id]
}

// rows returns rows by their ids. Those that are damaged or gone are missing.
func (ix *Index) rows(ctx context.Context, q *query, ids []int64) map[int64]*row {
	out := make(map[int64]*row, len(ids))
	ix.selectRows(ctx, q, func(r *row) { out[r.id] = r }, "WHERE id IN (SELECT value FROM json_each(?))", numbers(ids))
	return out
}

// numbers returns a list for json_each.
func numbers(ids []int64) string {
	list, _ := json.Marshal(ids) // of numbers
	return string(list)
}

// row returns the row of a file as it was read before, perhaps under another
// name, or nil.
func (ix *Index) row(ctx context.Context, q *query, f *file) (found *row) {
	take := func(r *row) { found = r }
	ix.selectRows(ctx, q, take, "WHERE path = ?", f.path())
	if found == nil && f.inode != (cache.Inode{}) {
		ix.selectRows(ctx, q, take, "WHERE ino = ? AND dev = ?", int64(f.inode.Number), int64(f.inode.Device))
	}
	return found
}

// selectRows calls take with the rows that a condition selects, and with what the
// query asks for of other tables, unless they are damaged.
func (ix *Index) selectRows(ctx context.Context, q *query, take func(*row), condition string, args ...any) {
	if ix == nil {
		return
	}
	var list []*row
	ix.fail(ix.db.Read(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT id, sum, "+rowColumns+" FROM file "+condition, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		var r row
		err = scan(rows, append([]any{&r.id, new(int64)}, r.fields()...), func() {
			is := r
			list = append(list, &is)
		})
		if err != nil || len(list) == 0 {
			return err
		}
		return q.load(ctx, tx, list)
	}))
	for _, r := range list {
		if r.isWhole(q) {
			take(r)
		}
	}
}

// load loads what was collected for rows, as far as the query asks for it.
func (q *query) load(ctx context.Context, tx *sql.Tx, list []*row) (err error) {
	ids := make([]int64, len(list))
	for i, r := range list {
		ids[i] = r.id
	}
	var responses map[int64][]responseRow
	var touches map[int64][]edits.Touch
	if q.spent {
		responses, err = responseTable.Of(ctx, tx, numbers(ids))
	}
	if q.touched && err == nil {
		touches, err = touchedTable.Of(ctx, tx, numbers(ids))
	}
	for _, r := range list {
		r.found = collection{responses[r.id], touches[r.id]}
	}
	return err
}

// store stores rows, and deletes those with the ids in gone. If that is not
// possible in time, because other processes are writing, nothing is stored.
func (ix *Index) store(ctx context.Context, kept []*row, gone []int64) {
	if ix == nil || len(kept) == 0 && len(gone) == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	ix.fail(ix.db.Write(ctx, func(tx *sql.Tx) error {
		if err := forget(ctx, tx, gone); err != nil {
			return err
		}
		find, err := tx.PrepareContext(ctx, "SELECT id, responses, responses_sum, touches, touches_sum FROM file WHERE path = ?")
		if err != nil {
			return err
		}
		defer find.Close()
		put, err := tx.PrepareContext(ctx, "INSERT OR REPLACE INTO file (id, brief_sum, sum, "+rowColumns+") VALUES (?, ?, ?"+strings.Repeat(", ?", len(new(row).fields()))+")")
		if err != nil {
			return err
		}
		defer put.Close()
		for _, r := range kept {
			var id sql.NullInt64
			var was row
			err := find.QueryRowContext(ctx, r.path).Scan(&id, &was.responses, &was.responsesSum, &was.touches, &was.touchesSum)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
			if r.base != nil && (err != nil || !r.continues(&was)) {
				continue // another process was faster
			}
			fields := r.fields()
			in, err := put.ExecContext(ctx, append([]any{id, cache.SumOf(r.brief.fields()), cache.SumOf(fields)}, fields...)...)
			if err != nil {
				return err
			}
			if r.id, err = in.LastInsertId(); err != nil {
				return err
			}
			if err := r.storeCollection(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	}))
}

// continues reports whether a stored row is the one that this row continues.
func (r *row) continues(was *row) bool {
	b := r.base
	return was.responses == b.responses && was.responsesSum == b.responsesSum && was.touches == b.touches && was.touchesSum == b.touchesSum
}

// storeCollection stores what was collected for a row, instead of what is stored
// unless the row continues that.
func (r *row) storeCollection(ctx context.Context, tx *sql.Tx) error {
	if r.base == nil {
		if err := forgetCollection(ctx, tx, []int64{r.id}); err != nil {
			return err
		}
	}
	if err := responseTable.Add(ctx, tx, r.id, r.responses-len(r.found.responses), r.found.responses); err != nil {
		return err
	}
	return touchedTable.Add(ctx, tx, r.id, r.touches-len(r.found.touches), r.found.touches)
}

// forget deletes rows with what was collected for them.
func forget(ctx context.Context, tx *sql.Tx, ids []int64) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM file WHERE id IN (SELECT value FROM json_each(?))", numbers(ids)); err != nil {
		return err
	}
	return forgetCollection(ctx, tx, ids)
}

func forgetCollection(ctx context.Context, tx *sql.Tx, ids []int64) error {
	for _, table := range []string{responseTable.Name, touchedTable.Name} {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE file IN (SELECT value FROM json_each(?))", numbers(ids)); err != nil {
			return err
		}
	}
	return nil
}
