package catalog

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/pith-sessions/pith/internal/cache/index"
)

// An Index remembers the facts of session files between lists, so that the cost
// of a list depends on the changes. It is a cache on disk that several
// processes may share; deleting it loses nothing. A change of a file is
// detected from its identity, size and time and, if these are not enough, from
// a fingerprint of its bytes.
//
// Lists are the same with and without an index. An Index is safe for concurrent
// use.
type Index struct {
	dir   string
	files *index.Files

	mu      sync.Mutex // guards the fields below
	loaded  bool
	listed  bool            // rows come from the list, which may be behind the database
	behind  int             // rows by which the list is behind rows
	changed bool            // rows were stored since those for Recent were saved
	rows    map[string]*row // by path; a row in it does not change
	moved   map[index.Inode]string
	noted   bool
	failed  error
}

// factsFile is the name of the index file in its directory.
const factsFile = "facts.db"

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
// damaged or has an older version is replaced by an empty one: see Notice. An
// error means that the directory cannot hold an index; lists work without one.
func OpenIndex(dir string) (*Index, error) {
	if dir == "" {
		return nil, index.ErrNowhere
	}
	files, err := index.OpenFiles(filepath.Join(dir, factsFile), rowVersion)
	if err != nil {
		return nil, err
	}
	return &Index{dir: dir, files: files}, nil
}

// Dir returns the directory of the index, in which other caches may be stored
// too, or "" for a nil Index.
func (ix *Index) Dir() string {
	if ix == nil {
		return ""
	}
	return ix.dir
}

// IndexFiles returns the paths of the index files in a directory, whether they
// exist or not.
func IndexFiles(dir string) []string { return index.FilesOf(filepath.Join(dir, factsFile)) }

// Clear removes all facts, for every process that uses the index.
func (ix *Index) Clear(ctx context.Context) error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.rows, ix.loaded, ix.listed = nil, false, false
	ix.files.DropLists()
	return ix.files.Clear(ctx)
}

// Close closes the index.
func (ix *Index) Close() error { return ix.files.Close() }

// Notice returns a message for the user that the index was unusable and is
// being rebuilt. It returns it once, and "" otherwise.
func (ix *Index) Notice() string {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.noted || ix.files.Replaced() == nil {
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

// leastListed is the number of rows from which a list is saved next to the
// database: fewer are loaded in milliseconds.
const leastListed = 1000

// load reads all rows on the first call, from the list if there is one. Rows that
// other processes write later are not seen, which is harmless: every row is
// checked against its file.
func (ix *Index) load(ctx context.Context) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.loaded {
		return
	}
	var rows []row
	ix.rows, ix.moved, ix.behind = nil, nil, 0
	ix.listed = ix.files.List(index.AllRows, func(count int, path, facts string) {
		if ix.rows == nil {
			rows, ix.rows = make([]row, 0, count), make(map[string]*row, count)
		}
		var r row
		if decodeRow(facts, &r) == nil {
			rows = append(rows, r) // count is their number, so they stay where they are
			ix.rows[path] = &rows[len(rows)-1]
		}
	})
	if ix.loaded = ix.listed && ix.rows != nil; !ix.loaded {
		ix.loadAll(ctx)
	}
}

// loadAll reads all rows from the database. The caller must hold ix.mu.
func (ix *Index) loadAll(ctx context.Context) {
	ix.rows, ix.moved, ix.listed = map[string]*row{}, nil, false
	err := ix.files.Load(ctx, func(path string, facts []byte) {
		if r, ok := decoded(facts); ok {
			ix.rows[path] = r
		}
	})
	ix.loaded, ix.behind = err == nil, len(ix.rows)
	if err != nil {
		ix.rows = map[string]*row{} // half an index would be hard to explain
		ix.fail(err)
	}
}

// saveList saves a list of the rows, if there are many and the saved list lacks
// some of them.
func (ix *Index) saveList() {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if !ix.loaded || len(ix.rows) < leastListed {
		return
	}
	ix.saveRecent()
	if ix.behind <= mostBehind {
		return
	}
	err := ix.files.KeepList(index.AllRows, len(ix.rows), func(yield func(string, []byte) bool) {
		var facts []byte
		for path, r := range ix.rows {
			if facts = appendRow(facts[:0], r); !yield(path, facts) {
				return
			}
		}
	})
	if err != nil {
		ix.fail(err)
	}
	ix.behind = 0
}

const (
	// mostFetched is the number of rows that are fetched one by one. If a list
	// lacks more, the database is loaded.
	mostFetched = 400
	// mostBehind is the number of rows that a list may lack before another one is
	// saved.
	mostBehind = 100
)

// catchUp looks up in the database the files that are not in the list as they are
// now, by their positions, and returns those that must be read.
func (ix *Index) catchUp(ctx context.Context, files []file, unknown []int, q *query, known []*row) []int {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if !ix.listed || len(unknown) == 0 {
		return unknown
	}
	if len(unknown) > mostFetched {
		ix.loadAll(ctx)
	}
	left := unknown[:0]
	for _, i := range unknown {
		f := &files[i]
		r := ix.rows[f.path]
		if ix.listed {
			if facts, err := ix.files.Facts(ctx, f.path); err == nil && facts != nil {
				if now, ok := decoded(facts); ok {
					r, ix.rows[f.path] = now, now
					ix.behind++
				}
			}
		}
		if r != nil && r.isOf(f) && r.suffices(q) {
			known[i] = r
		} else {
			left = append(left, i)
		}
	}
	return left
}

// Release frees the loaded rows, which take much memory if there are many
// sessions. It is meant for a process that has its list and keeps running. The
// next list loads them again; a LiveList that only reads changes does not need
// them.
func (ix *Index) Release() {
	if ix == nil {
		return
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.rows, ix.moved, ix.loaded, ix.listed = map[string]*row{}, nil, false, false
}

// fetch loads the row of one path, unless all rows are loaded.
func (ix *Index) fetch(ctx context.Context, path string) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.loaded || ix.rows[path] != nil {
		return
	}
	facts, err := ix.files.Facts(ctx, path)
	if r, ok := decoded(facts); ok && err == nil {
		if ix.rows == nil {
			ix.rows = map[string]*row{}
		}
		ix.rows[path] = r
	}
}

func decoded(facts []byte) (*row, bool) {
	r := &row{}
	return r, decodeRow(string(facts), r) == nil
}

// fail stores the first error. The caller must hold ix.mu.
func (ix *Index) fail(err error) {
	if ix.failed == nil && !errors.Is(err, context.Canceled) {
		ix.failed = err
	}
}

// at returns the row of a path, or nil.
func (ix *Index) at(path string) *row {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.rows[path]
}

// byInode returns the path that a file had before it was renamed, and its row.
func (ix *Index) byInode(n index.Inode) (string, *row) {
	if n == (index.Inode{}) {
		return "", nil
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.moved == nil {
		ix.moved = make(map[index.Inode]string, len(ix.rows))
		for path, r := range ix.rows {
			ix.moved[r.inode] = path
		}
	}
	path, ok := ix.moved[n]
	if !ok {
		return "", nil
	}
	return path, ix.rows[path]
}

// stateOf returns the stored state of a path, or "".
func (ix *Index) stateOf(ctx context.Context, path string) string {
	state, err := ix.files.State(ctx, path)
	if err != nil {
		return ""
	}
	return string(state)
}

// A keeping is a row to be stored.
type keeping struct {
	path  string
	row   *row
	state []byte
}

// keep stores rows and deletes the rows of gone paths. If that is not possible
// in time, because other processes are writing, nothing is stored.
func (ix *Index) keep(ctx context.Context, kept []keeping, gone []string) {
	if len(kept) == 0 && len(gone) == 0 {
		return
	}
	rows := make([]index.FileRow, len(kept))
	for i, k := range kept {
		rows[i] = index.FileRow{Path: k.path, Facts: appendRow(nil, k.row), State: k.state}
	}
	err := ix.files.Write(context.WithoutCancel(ctx), rows, gone)
	if errors.Is(err, index.ErrDamaged) && ix.files.Reset(err) == nil {
		err = ix.files.Write(context.WithoutCancel(ctx), rows, nil) // the other rows follow when they are read again
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if err != nil {
		ix.fail(err)
		return
	}
	ix.changed = true
	for _, path := range gone {
		ix.forget(path)
		delete(ix.rows, path)
	}
	for _, k := range kept {
		ix.forget(k.path)
		ix.rows[k.path] = k.row
		if ix.moved != nil {
			ix.moved[k.row.inode] = k.path
		}
	}
	if ix.behind += len(kept); len(gone) > 0 {
		ix.behind += mostBehind + 1 // the list would have them deleted again and again
	}
}

// forget removes the row of a path from moved. The caller must hold ix.mu.
func (ix *Index) forget(path string) {
	if r := ix.rows[path]; r != nil && ix.moved[r.inode] == path {
		delete(ix.moved, r.inode)
	}
}

// goneBelow returns the paths of rows below roots that are missing from files.
// found are the rows of the files, where they are known.
func (ix *Index) goneBelow(roots []Root, files []file, found []*row) []string {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	known := 0
	for i := range files {
		if found[i] != nil || ix.rows[files[i].path] != nil {
			known++
		}
	}
	if known == len(ix.rows) {
		return nil
	}
	there := make(map[string]bool, len(files))
	for i := range files {
		there[files[i].path] = true
	}
	var gone []string
	for path := range ix.rows {
		if !there[path] && slices.ContainsFunc(roots, func(r Root) bool { return strings.HasPrefix(path, r.Dir+string(filepath.Separator)) }) {
			gone = append(gone, path)
		}
	}
	return gone
}
