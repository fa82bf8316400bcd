package catalog

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/pith-sessions/pith/internal/cache/index"
)

// An Index remembers the facts of session files between lists, so that a list
// costs what changed. It is a cache on the disk that several processes may use
// at once: deleting it loses nothing. Whether a file changed is seen from its
// identity, size and time and, where these are not enough, from a fingerprint of
// its bytes.
//
// Lists are the same with and without an index. It may be used by several
// goroutines.
type Index struct {
	dir   string
	files *index.Files

	mu     sync.Mutex // guards what follows
	loaded bool
	rows   map[string]*row // by path; a row does not change once it is here
	moved  map[index.Inode]string
	told   bool
	failed error
}

// factsFile is the index in its folder.
const factsFile = "facts.db"

// CacheDir is the folder for what can be made again: PITH_CACHE_DIR, or pith in
// the folder that the system has for caches; "" when there is none. Of the
// options, the environment counts.
func CacheDir(o Options) string {
	if dir := o.env("PITH_CACHE_DIR"); dir != "" {
		return o.expand(dir, "")
	}
	base := o.env("XDG_CACHE_HOME")
	home := o.environment().HomeDir()
	switch {
	case filepath.IsAbs(base): // the specification has relative ones ignored
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

// OpenIndex opens the index in a folder, which it makes. An index that is
// damaged or of an older version is replaced by an empty one: see Notice. An
// error means that there can be no index there; lists work without.
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

// Dir is the folder that the index is in, where others may keep what can be made
// again; "" for a nil Index.
func (ix *Index) Dir() string {
	if ix == nil {
		return ""
	}
	return ix.dir
}

// IndexFiles are the files of the index in a folder, whether they exist or not.
func IndexFiles(dir string) []string { return index.FilesOf(filepath.Join(dir, factsFile)) }

// Clear forgets everything, for all that use the index.
func (ix *Index) Clear(ctx context.Context) error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.rows, ix.loaded = nil, false
	return ix.files.Clear(ctx)
}

// Close ends the use of the index.
func (ix *Index) Close() error { return ix.files.Close() }

// Notice is what a person should know about the index, once: that it was of no
// use and is being made anew. It is "" when there is nothing to say.
func (ix *Index) Notice() string {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.told || ix.files.Replaced() == nil {
		return ""
	}
	ix.told = true
	return "the index of sessions was damaged or of an older version; it is made anew"
}

// Err is why something could not be kept, the first time; nil if all was. Lists
// are complete anyway.
func (ix *Index) Err() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.failed
}

// load reads all rows, the first time. What other processes write later is not
// seen, which is harmless: every row is checked against its file.
func (ix *Index) load(ctx context.Context) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.loaded {
		return
	}
	ix.rows = map[string]*row{}
	err := ix.files.Load(ctx, func(path string, facts []byte) {
		if r, ok := decoded(facts); ok {
			ix.rows[path] = r
		}
	})
	ix.loaded = err == nil
	if err != nil {
		ix.rows = map[string]*row{} // half an index would be hard to explain
		ix.fail(err)
	}
}

// Release lets go of what was loaded, which takes much memory where there are many
// sessions, for a process that has its list and stays. It is loaded again by the next
// list; a LiveList that only reads what changed does not need it.
func (ix *Index) Release() {
	if ix == nil {
		return
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.rows, ix.moved, ix.loaded = map[string]*row{}, nil, false
}

// fetch loads the row of one path, if not all are loaded.
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

// decoded is a row as the database has it.
func decoded(facts []byte) (*row, bool) {
	r := &row{}
	return r, decodeRow(string(facts), r) == nil
}

// fail keeps the first error. ix.mu is held.
func (ix *Index) fail(err error) {
	if ix.failed == nil && !errors.Is(err, context.Canceled) {
		ix.failed = err
	}
}

// at is the row of a path; nil if there is none.
func (ix *Index) at(path string) *row {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.rows[path]
}

// byInode is where a file was before it was renamed, and its row there.
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

// stateOf is the state of a row.
func (ix *Index) stateOf(ctx context.Context, path string) string {
	state, err := ix.files.State(ctx, path)
	if err != nil {
		return ""
	}
	return string(state)
}

// A keeping is a row to be kept.
type keeping struct {
	path  string
	row   *row
	state []byte
}

// keep writes rows and forgets paths. Where that is not possible in time,
// because others are writing, nothing is kept.
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
		err = ix.files.Write(context.WithoutCancel(ctx), rows, nil) // the others follow when they are next read
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if err != nil {
		ix.fail(err)
		return
	}
	for _, k := range kept {
		ix.rows[k.path] = k.row
	}
	for _, path := range gone {
		delete(ix.rows, path)
	}
	ix.moved = nil
}

// goneBelow are the paths of rows below folders that are not among files.
func (ix *Index) goneBelow(roots []Root, files []file) []string {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	known := 0
	for i := range files {
		if ix.rows[files[i].path] != nil {
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
		if there[path] {
			continue
		}
		for _, r := range roots {
			if strings.HasPrefix(path, r.Dir+string(filepath.Separator)) {
				gone = append(gone, path)
				break
			}
		}
	}
	return gone
}
