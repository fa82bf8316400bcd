package search

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/cache/index"
)

// textVersion rises with every change of how documents are made.
const textVersion = 9

// textFile is the index in its folder.
const textFile = "text.db"

// An Index knows which words stand in which entries. It is a cache on the disk
// that several processes may use at once; deleting it loses nothing. A search
// finds the same with an index and without, and with one that is behind.
//
// It may be used by several goroutines.
type Index struct {
	texts *index.Texts

	mu   sync.Mutex // guards what follows
	have *contents  // nil before it was loaded, and when it must be again
	last assigned
	told bool
}

// assigned is which sources sessions have, of the last list that was searched.
type assigned struct {
	infos []catalog.Info
	have  *contents
	srcs  []*source // nil for a session that the index does not know
}

// contents are what the index has of which files, at some moment. They do not
// change: a search keeps those that it began with.
type contents struct {
	version index.Version
	sources map[string]*source
	inodes  map[index.Inode]*source
	runs    []run // in the order of their documents
}

// A source is a file of which entries are indexed.
type source struct {
	number int // of all sources, from 0
	path   string
	mark   mark
	runs   []index.Segment
}

// A run is a segment and the source that it is of.
type run struct {
	index.Segment
	of *source
}

// OpenIndex opens the index in a folder, which it makes. An error means that
// there can be no index there; searches work without.
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

// IndexFiles are the files of the index in a folder, whether they exist or not.
func IndexFiles(dir string) []string { return index.FilesOf(filepath.Join(dir, textFile)) }

// Clear forgets everything, for all that use the index.
func (ix *Index) Clear(ctx context.Context) error {
	defer ix.reload()
	return ix.texts.Clear(ctx)
}

// Close ends the use of the index.
func (ix *Index) Close() error { return ix.texts.Close() }

// Notice is what a person should know about the index, once: that it was of no
// use and is being made anew. It is "" when there is nothing to say.
func (ix *Index) Notice() string {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.told || ix.texts.Replaced() == nil {
		return ""
	}
	ix.told = true
	return "the index of words was damaged or of an older version; it is made anew"
}

// load reads which files are indexed, unless nothing changed since it did. What
// cannot be read is empty.
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
	c := &contents{version, make(map[string]*source, len(list)), make(map[index.Inode]*source, len(list)), make([]run, 0, len(list))}
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

// Prepare makes the next search of these sessions, in this slice, begin at once.
func (ix *Index) Prepare(ctx context.Context, infos []catalog.Info) {
	ix.sourcesOf(ix.load(ctx), infos)
}

// sourcesOf are the sources of sessions. Who searches the same list again, which is not
// changed, has them at once.
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
// loaded: then what the index did not find is not there.
func (ix *Index) holds(ctx context.Context, c *contents) bool {
	now, err := ix.texts.Version(ctx)
	return err == nil && now.Removals == c.version.Removals
}

// heal replaces an index that an error says is damaged by an empty one.
func (ix *Index) heal(err error) {
	if errors.Is(err, index.ErrDamaged) && ix.texts.Reset(err) == nil {
		ix.reload()
	}
}

// reload makes the next look see what was written since.
func (ix *Index) reload() {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.have = nil
}

// movedTo is what is known of a file under another path, which it has left; nil
// if nothing is.
func (c *contents) movedTo(f *catalog.Info) *source {
	if f.Inode == (catalog.Inode{}) {
		return nil
	}
	found := c.inodes[index.Inode(f.Inode)]
	if found == nil || !found.mark.hasTail(f.Path) {
		return nil
	}
	if _, err := os.Lstat(found.path); !errors.Is(err, os.ErrNotExist) {
		return nil // it has both names
	}
	return found
}

// runOf is the run that holds a document.
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

// A place is where the line of a document is in its file, and the entry's role
// as a number.
type place struct {
	offset int64
	length int
	role   byte
}

var errMark = fmt.Errorf("%w: marks of another make", index.ErrDamaged)

var errPlaces = fmt.Errorf("%w: places of another make", index.ErrDamaged)

// appendPlace encodes a place behind one that ended at last.
func appendPlace(b []byte, p place, last int64) []byte {
	b = binary.AppendUvarint(b, uint64(p.offset-last))
	b = binary.AppendUvarint(b, uint64(p.length))
	return append(b, p.role)
}

// placesOf are the places of a run.
func (ix *Index) placesOf(ctx context.Context, r run) ([]place, error) {
	b, err := ix.texts.Places(ctx, r.First)
	if err != nil {
		return nil, err
	}
	out := make([]place, 0, r.Count)
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
	if len(out) != r.Count {
		return nil, errPlaces
	}
	return out, nil
}
