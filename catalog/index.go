package catalog

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
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
	saved   *savedRows      // nil if there is no saved list, or the database was loaded
	behind  int             // rows by which the saved list is behind
	changed bool            // rows were stored since those for Recent were saved
	rows    map[string]*row // by path; these replace saved rows, and nil is a deleted one; a row does not change
	moved   map[index.Inode]rowRef
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
	ix.unload()
	ix.files.DropParts()
	return ix.files.Clear(ctx)
}

// Close closes the index.
func (ix *Index) Close() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.saved.close()
	return ix.files.Close()
}

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

// load makes all rows available on the first call, from the saved list if there is
// one. Rows that other processes write later are not seen, which is harmless:
// every row is checked against its file.
func (ix *Index) load(ctx context.Context) {
	if ix.savedRows() != nil {
		return
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if !ix.loaded {
		ix.loadAll(ctx)
	}
}

// savedRows returns the saved list, unless there is none or the database was
// loaded.
func (ix *Index) savedRows() *savedRows {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if !ix.loaded {
		if ix.saved = openSaved(ix.files); ix.saved != nil {
			ix.rows, ix.moved, ix.behind, ix.loaded = map[string]*row{}, nil, 0, true
		}
	}
	return ix.saved
}

// unload forgets the rows. A list that is in progress may still read the saved
// one, so its file is closed by the garbage collector. The caller must hold
// ix.mu.
func (ix *Index) unload() {
	ix.rows, ix.moved, ix.saved, ix.loaded = map[string]*row{}, nil, nil, false
}

// loadAll reads all rows from the database. The caller must hold ix.mu.
func (ix *Index) loadAll(ctx context.Context) {
	ix.unload()
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

// saveList saves the rows, if there are many and the saved list lacks some of
// them. files are those that were found.
func (ix *Index) saveList(files []*file) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if !ix.loaded || ix.saved == nil && len(ix.rows) < leastListed {
		return
	}
	ix.saveRecent()
	if ix.behind <= mostBehind && !ix.saved.isDamaged() {
		return
	}
	rows := ix.ordered(files)
	err := ix.files.Save(index.AllRows, func(w *index.PartWriter) {
		for _, base := range slices.Sorted(maps.Keys(rows)) {
			saveRows(w, base, rows[base])
		}
		if runtime.GOOS == "windows" {
			ix.saved.close() // an open file cannot be replaced there
		}
	})
	if err != nil {
		ix.fail(err)
	}
	ix.behind = 0
	ix.unload() // the next list reads the saved one
}

// ordered returns the rows by directory, first those of files in the order in
// which these were found. The caller must hold ix.mu.
func (ix *Index) ordered(files []*file) map[string][]rowRef {
	files = slices.SortedFunc(slices.Values(files), func(a, b *file) int { return cmp.Compare(a.order, b.order) })
	rows := map[string][]rowRef{}
	left := 0
	for range ix.all() {
		left++
	}
	for _, f := range files {
		if ref, ok := ix.ref(f.path()); ok {
			rows[ref.base] = append(rows[ref.base], ref)
			left--
		}
	}
	if left > 0 { // the rows of files elsewhere
		found := make(map[string]bool, len(files))
		for _, f := range files {
			found[f.path()] = true
		}
		for ref := range ix.all() {
			if !found[ref.path()] {
				rows[ref.base] = append(rows[ref.base], ref)
			}
		}
	}
	return rows
}

// all yields all rows. The caller must hold ix.mu.
func (ix *Index) all() iter.Seq[rowRef] {
	return func(yield func(rowRef) bool) {
		for path, r := range ix.rows {
			if base, name := filepath.Split(path); r != nil && !yield(rowRef{base: base, name: name, row: r}) {
				return
			}
		}
		for _, d := range ix.saved.all() {
			for i := range d.len() {
				ref := rowRef{base: d.base, name: d.name(i), dir: d, number: i}
				if len(ix.rows) > 0 {
					if _, replaced := ix.rows[ref.path()]; replaced {
						continue
					}
				}
				if !yield(ref) {
					return
				}
			}
		}
	}
}

// ref returns the row of a path. The caller must hold ix.mu.
func (ix *Index) ref(path string) (ref rowRef, ok bool) {
	ref.base, ref.name = filepath.Split(path)
	if ref.row, ok = ix.rows[path]; ok {
		return ref, ref.row != nil
	}
	ref.dir, ref.number = ix.saved.find(path)
	return ref, ref.dir != nil
}

const (
	// mostFetched is the number of rows that are fetched one by one. If a list
	// lacks more, the database is loaded.
	mostFetched = 400
	// mostBehind is the number of rows that a list may lack before another one is
	// saved.
	mostBehind = 100
)

// lookUp returns for each file its row, inSaved, or nil, and the positions of the
// files that must be read.
func (ix *Index) lookUp(ctx context.Context, files []*file, q *query) (known []*row, unknown []int) {
	ix.load(ctx)
	known = make([]*row, len(files))
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for i := range files {
		f := files[i]
		if f.row != 0 && len(ix.rows) == 0 && f.in.saved.list == ix.saved {
			if f.row > 0 {
				if r, _ := f.savedBrief(); r.suffices(q) {
					known[i] = inSaved
				}
			}
		} else if len(ix.rows) == 0 && ix.saved == nil {
			// Nothing is known.
		} else if ref, ok := ix.ref(f.path()); ok {
			if r := ref.whole(); r != nil && r.isOf(f) && r.suffices(q) {
				known[i] = r
			}
		}
		if known[i] == nil {
			unknown = append(unknown, i)
		}
	}
	return known, ix.catchUp(ctx, files, unknown, q, known)
}

// catchUp looks up in the database the files that are not in the saved list as
// they are now, by their positions, and returns those that must be read. The
// caller must hold ix.mu.
func (ix *Index) catchUp(ctx context.Context, files []*file, unknown []int, q *query, known []*row) []int {
	if ix.saved == nil || len(unknown) == 0 {
		return unknown
	}
	if len(unknown) > mostFetched {
		ix.loadAll(ctx)
	}
	left := unknown[:0]
	for _, i := range unknown {
		f := files[i]
		if r := ix.current(ctx, f.path()); r != nil && r.isOf(f) && r.suffices(q) {
			known[i] = r
		} else {
			left = append(left, i)
		}
	}
	return left
}

// current returns the row of a path in the database, or nil. The caller must hold
// ix.mu.
func (ix *Index) current(ctx context.Context, path string) *row {
	if ix.saved == nil {
		return ix.rows[path]
	}
	facts, err := ix.files.Facts(ctx, path)
	if err != nil || facts == nil {
		return nil
	}
	r, ok := decoded(facts)
	if !ok {
		return nil
	}
	ix.rows[path] = r
	ix.behind++
	return r
}

// restore returns the row of a file whose saved row is damaged, from the database,
// or nil if the file must be read.
func (ix *Index) restore(ctx context.Context, f *file, q *query) *row {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if r := ix.current(ctx, f.path()); r != nil && r.isOf(f) && r.suffices(q) {
		return r
	}
	return nil
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
	ix.unload()
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
	if ref, ok := ix.ref(path); ok {
		return ref.whole()
	}
	return nil
}

// byInode returns the path that a file had before it was renamed, and its row.
func (ix *Index) byInode(n index.Inode) (string, *row) {
	if n == (index.Inode{}) {
		return "", nil
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.moved == nil {
		ix.moved = make(map[index.Inode]rowRef, len(ix.rows))
		for ref := range ix.all() {
			ix.moved[ref.inode()] = ref
		}
	}
	ref, ok := ix.moved[n]
	if !ok {
		return "", nil
	}
	return ref.path(), ref.whole()
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
	slices.SortFunc(kept, func(a, b keeping) int { return cmp.Compare(a.path, b.path) }) // neighbors in the database
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
		if delete(ix.rows, path); ix.saved != nil {
			ix.rows[path] = nil
		}
	}
	for _, k := range kept {
		ix.forget(k.path)
		ix.rows[k.path] = k.row
		if ix.moved != nil {
			base, name := filepath.Split(k.path)
			ix.moved[k.row.inode] = rowRef{base: base, name: name, row: k.row}
		}
	}
	if ix.behind += len(kept); len(gone) > 0 {
		ix.behind += mostBehind + 1 // the list would have them deleted again and again
	}
}

// forget removes the row of a path from moved. The caller must hold ix.mu.
func (ix *Index) forget(path string) {
	if ix.moved == nil {
		return
	}
	if ref, ok := ix.ref(path); ok {
		if of := ix.moved[ref.inode()]; of.path() == path {
			delete(ix.moved, ref.inode())
		}
	}
}

// goneBelow returns the paths of rows below roots that are missing from files.
func (ix *Index) goneBelow(roots []Root, files []*file) []string {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	found := map[*savedDir]int{} // number of rows whose files were found
	others := 0                  // number of rows in ix.rows whose files were found
	var path []byte
	for i := range files {
		f := files[i]
		if f.row != 0 && f.in.saved.list == ix.saved {
			found[f.in.saved]++
		}
		if path = append(append(path[:0], f.in.base...), f.name...); ix.rows[string(path)] != nil {
			others++
		}
	}
	below := func(path string) bool {
		return slices.ContainsFunc(roots, func(r Root) bool { return strings.HasPrefix(path, r.Dir+string(filepath.Separator)) })
	}
	var gone []string
	var there map[string]bool
	missing := func(path string) {
		if there == nil {
			there = make(map[string]bool, len(files))
			for i := range files {
				there[files[i].path()] = true
			}
		}
		if !there[path] {
			gone = append(gone, path)
		}
	}
	for base := range ix.saved.labels() {
		if !below(base) {
			continue
		}
		if d := ix.saved.dir(base); d != nil && found[d] < d.len() {
			for i := range d.len() {
				path := base + d.name(i)
				if _, replaced := ix.rows[path]; !replaced {
					missing(path)
				}
			}
		}
	}
	if others < len(ix.rows) {
		for path, r := range ix.rows {
			if r != nil && below(path) {
				missing(path)
			}
		}
	}
	return gone
}
