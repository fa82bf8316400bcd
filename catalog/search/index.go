package search

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"github.com/pith-sessions/pith/internal/cache"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/cache/index"
)

// textVersion increases with every change of the way documents are made.
const textVersion = 12

// textFile is the name of the index file in its directory.
const textFile = "text.db"

// An Index records which entries contain which words. It is a cache on disk
// that several processes may share; deleting it loses nothing. A search finds
// the same hits with an index, without one, and with one that is not up to
// date.
//
// An Index is safe for concurrent use.
type Index struct {
	texts *index.Texts

	mu    sync.Mutex // guards the fields below
	have  *contents  // nil until it is loaded, and when it must be loaded again
	last  assigned
	noted bool
}

// assigned contains the sources of the sessions of the last list that was
// searched.
type assigned struct {
	infos []catalog.Info
	have  *contents
	srcs  []*source // nil for a session that is not in the index
}

// contents are the contents of the index at some moment. They do not change: a
// search uses the same contents throughout.
type contents struct {
	version index.Version
	sources map[string]*source
	inodes  map[cache.Inode]*source
	runs    []run // ordered by document
}

// A source is a file with indexed entries.
type source struct {
	number int // number of the source, from 0
	path   string
	mark   mark
	runs   []index.Segment
}

// A run is a segment with its source.
type run struct {
	index.Segment
	of *source
}

// OpenIndex opens the index in a directory, which it creates. An error means
// that the directory cannot hold an index; searches work without one.
func OpenIndex(dir string) (*Index, error) {
	if dir == "" {
		return nil, index.ErrNowhere
	}
	texts, err := index.OpenTexts(filepath.Join(dir, textFile), textVersion)
	if err != nil {
		return nil, err
	}
	return &Index{texts: texts}, nil
}

// IndexFiles returns the paths of the index files in a directory, whether they
// exist or not.
func IndexFiles(dir string) []string { return index.FilesOf(filepath.Join(dir, textFile)) }

// Clear removes everything, for every process that uses the index.
func (ix *Index) Clear(ctx context.Context) error {
	defer ix.reload()
	return ix.texts.Clear(ctx)
}

// Close closes the index.
func (ix *Index) Close() error { return ix.texts.Close() }

// Notice returns a message for the user that the index was unusable and is
// being rebuilt. It returns it once, and "" otherwise.
func (ix *Index) Notice() string {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.noted || ix.texts.Replaced() == nil {
		return ""
	}
	ix.noted = true
	return "the search index was damaged or outdated and is rebuilt"
}

// load reads which files are indexed, unless nothing changed since the last
// call. If they cannot be read, the contents are empty.
func (ix *Index) load(ctx context.Context) *contents {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	version, err := ix.texts.Version(ctx)
	if err == nil && ix.have != nil && ix.have.version == version {
		return ix.have
	}
	if errors.Is(err, index.ErrDamaged) && ix.texts.Reset(err) == nil {
		version, err = ix.texts.Version(ctx)
	}
	list, failed := ix.texts.Sources(ctx)
	if slices.ContainsFunc(list, func(s index.Source) bool { _, ok := decodeMark(s.State); return !ok }) && ix.texts.Reset(errMark) == nil {
		list, failed = nil, nil
		version, err = ix.texts.Version(ctx)
	}
	c := &contents{version, make(map[string]*source, len(list)), make(map[cache.Inode]*source, len(list)), make([]run, 0, len(list))}
	if ix.have = nil; err == nil && failed == nil {
		ix.have = c
	}
	for _, s := range list {
		m, ok := decodeMark(s.State)
		if !ok {
			continue // the index could not be replaced
		}
		of := &source{len(c.sources), s.Path, m, s.Segments}
		c.sources[s.Path], c.inodes[m.inode] = of, of
		for _, seg := range s.Segments {
			c.runs = append(c.runs, run{seg, of})
		}
	}
	slices.SortFunc(c.runs, func(a, b run) int { return cmp.Compare(a.First, b.First) })
	return c
}

// Prepare makes the next search of these sessions, in this slice, start without
// delay.
func (ix *Index) Prepare(ctx context.Context, infos []catalog.Info) {
	ix.sourcesOf(ix.load(ctx), infos)
}

// sourcesOf returns the sources of sessions. For the same unchanged slice as in
// the last call it returns the same result.
func (ix *Index) sourcesOf(c *contents, infos []catalog.Info) []*source {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if l := &ix.last; l.have == c && len(infos) > 0 && len(l.infos) == len(infos) && &l.infos[0] == &infos[0] {
		return l.srcs
	}
	srcs := make([]*source, len(infos))
	for i := range infos {
		if srcs[i] = c.sources[infos[i].Path]; srcs[i] == nil {
			srcs[i] = c.movedTo(&infos[i])
		}
	}
	ix.last = assigned{infos, c, srcs}
	return srcs
}

// holds reports whether no documents were removed since the contents were
// loaded. Then an entry that the index did not find does not exist.
func (ix *Index) holds(ctx context.Context, c *contents) bool {
	now, err := ix.texts.Version(ctx)
	return err == nil && now.Removals == c.version.Removals
}

// heal replaces an index by an empty one if the error means that it is damaged.
func (ix *Index) heal(err error) {
	if errors.Is(err, index.ErrDamaged) && ix.texts.Reset(err) == nil {
		ix.reload()
	}
}

// reload makes the next load read the index again.
func (ix *Index) reload() {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.have = nil
}

// movedTo returns the source of a file that was renamed, or nil.
func (c *contents) movedTo(f *catalog.Info) *source {
	if f.Inode == (catalog.Inode{}) {
		return nil
	}
	found := c.inodes[cache.Inode(f.Inode)]
	if found == nil || !found.mark.hasTail(f.Path) {
		return nil
	}
	if _, err := os.Lstat(found.path); !errors.Is(err, os.ErrNotExist) {
		return nil // it has both names
	}
	return found
}

// runOf returns the run that contains a document.
func (c *contents) runOf(doc int64) (run, bool) {
	i, ok := slices.BinarySearchFunc(c.runs, doc, func(r run, doc int64) int { return cmp.Compare(r.First, doc) })
	if !ok {
		i--
	}
	if i < 0 || doc >= c.runs[i].First+int64(c.runs[i].Count) {
		return run{}, false
	}
	return c.runs[i], true
}

// A place is the position of a document's line in its file, and the number of
// the entry's role.
type place struct {
	offset int64
	length int
	role   byte
}

var errMark = fmt.Errorf("%w: unknown mark encoding", index.ErrDamaged)

var errPlaces = fmt.Errorf("%w: unknown place encoding", index.ErrDamaged)

// appendPlace encodes a place that follows one that ended at last.
func appendPlace(b []byte, p place, last int64) []byte {
	b = binary.AppendUvarint(b, uint64(p.offset-last))
	b = binary.AppendUvarint(b, uint64(p.length))
	return append(b, p.role)
}

// placesOf returns the places of runs.
func (ix *Index) placesOf(ctx context.Context, runs []run) ([][]place, error) {
	firsts := make([]int64, len(runs))
	for i, r := range runs {
		firsts[i] = r.First
	}
	all, err := ix.texts.Places(ctx, firsts...)
	if err != nil {
		return nil, err
	}
	out := make([][]place, len(runs))
	for i, b := range all {
		if out[i], err = decodePlaces(b, runs[i].Count); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// decodePlaces decodes the places of a run of count documents.
func decodePlaces(b []byte, count int) ([]place, error) {
	out := make([]place, 0, count)
	last := int64(0)
	for len(b) > 0 {
		gap, n := binary.Uvarint(b)
		length, m := binary.Uvarint(b[max(n, 0):])
		if n <= 0 || m <= 0 || n+m >= len(b) || length > 1<<40 {
			return nil, errPlaces
		}
		p := place{last + int64(gap), int(length), b[n+m]}
		out = append(out, p)
		last = p.offset + int64(p.length)
		b = b[n+m+1:]
	}
	if len(out) != count {
		return nil, errPlaces
	}
	return out, nil
}
