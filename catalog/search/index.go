package search

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"github.com/pith-sessions/pith/internal/index"
)

// textVersion rises with every change of how documents are made.
const textVersion = 1

// textFile is the index in its folder.
const textFile = "text.db"

// An Index knows which words stand in which entries. It is a cache on the disk
// that several processes may use at once; deleting it loses nothing. A search
// finds the same with an index and without, and with one that is behind.
//
// It may be used by several goroutines.
type Index struct {
	texts *index.Texts

	mu      sync.Mutex // guards what follows
	loaded  bool
	sources map[string]*source
	inodes  map[index.Inode]*source
	runs    []run // in the order of their documents
	told    bool
}

// A source is a file of which entries are indexed.
type source struct {
	path  string
	state []byte
	mark  mark
	runs  []index.Segment
}

// A run is a segment and the source that it is of.
type run struct {
	index.Segment
	of *source
}

// OpenIndex opens the index in a folder, which it makes. An error means that
// there can be no index there; searches work without.
func OpenIndex(dir string) (*Index, error) {
	texts, err := index.OpenTexts(filepath.Join(dir, textFile), textVersion)
	if err != nil {
		return nil, err
	}
	return &Index{texts: texts}, nil
}

// IndexFiles are the files of the index in a folder, whether they exist or not.
func IndexFiles(dir string) []string { return index.FilesOf(filepath.Join(dir, textFile)) }

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

// load reads which files are indexed, the first time and after a change.
func (ix *Index) load(ctx context.Context) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.loaded {
		return
	}
	list, err := ix.texts.Sources(ctx)
	ix.loaded = err == nil
	ix.sources, ix.inodes, ix.runs = map[string]*source{}, map[index.Inode]*source{}, nil
	for _, s := range list {
		m, ok := decodeMark(s.State)
		if !ok {
			continue
		}
		of := &source{s.Path, s.State, m, s.Segments}
		ix.sources[s.Path], ix.inodes[m.inode] = of, of
		for _, seg := range s.Segments {
			ix.runs = append(ix.runs, run{seg, of})
		}
	}
	slices.SortFunc(ix.runs, func(a, b run) int { return cmp.Compare(a.First, b.First) })
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
	ix.loaded = false
}

// at is what is known of a file under its path; nil if nothing is.
func (ix *Index) at(path string) *source {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.sources[path]
}

// movedTo is what is known of a file under another path, which it has left.
func (ix *Index) movedTo(path string, stat fs.FileInfo) *source {
	inode := index.InodeOf(stat)
	if inode == (index.Inode{}) {
		return nil
	}
	ix.mu.Lock()
	found := ix.inodes[inode]
	ix.mu.Unlock()
	if found != nil && stat.Size() >= found.mark.end && found.mark.hasTail(path) {
		return found
	}
	return nil
}

// runOf is the run that holds a document.
func (ix *Index) runOf(doc int64) (run, bool) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	i, ok := slices.BinarySearchFunc(ix.runs, doc, func(r run, doc int64) int { return cmp.Compare(r.First, doc) })
	if !ok {
		i--
	}
	if i < 0 || doc >= ix.runs[i].First+int64(ix.runs[i].Count) {
		return run{}, false
	}
	return ix.runs[i], true
}

// A place is where the line of a document is in its file, and the entry's role
// as a number.
type place struct {
	offset int64
	length int
	role   byte
}

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
