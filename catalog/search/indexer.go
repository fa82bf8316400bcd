package search

import (
	"context"
	"errors"
	"math"
	"os"
	"slices"

	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/internal/cache"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// partText is the number of bytes of words in a part. Parts are made before they
// are written, so this bounds the memory.
const partText = 1 << 20

// A line over longLine is not decoded to be indexed. Its only word is longEntry,
// for which every query asks, and its role is longRole, which every query allows:
// a search always reads it. This bounds the memory for a long line.
const (
	longLine  = 8 << 20
	longEntry = "pithlongentry"
	longRole  = -1
)

// A part is what was read of a file, to be added to the index.
type part struct {
	path    string
	before  *source // of the file in the index; nil if there is none
	afresh  bool    // its entries are replaced
	mark    mark    // after this part
	entries []addition
	bytes   int64 // of the file
	text    int   // bytes of words
}

// An addition is an entry with its words.
type addition struct {
	offset, length int64
	role           int
	words          []byte
}

// A job is the part of a file that is not indexed.
type job struct {
	path   string
	from   int64
	before *source // in the index; nil if there is none
}

// An indexer makes documents from the lines of files.
type indexer struct {
	lines jsonl.Lines
	entry entry
	words []byte
}

// errEnded stops reading a file whose remaining parts are not needed.
var errEnded = errors.New("the context ended")

// file sends the parts of a file. It returns false if ctx ended. A file that
// cannot be read is left out; a search reads it.
func (x *indexer) file(ctx context.Context, j job, out chan<- part) bool {
	stat, err := foreign.Stat(j.path)
	if err != nil {
		return true
	}
	is, to := markOf(stat), stat.Size()
	if is.isForeign() {
		to = math.MaxInt64
	} else if j.from > 0 {
		if tail, err := fingerprint(j.path, j.from); err != nil || tail != j.before.mark.tail {
			return true // it was rewritten meanwhile
		}
	}
	from := j.from
	p := part{path: j.path, before: j.before, afresh: j.before != nil && j.from == 0}
	send := func(end int64) bool {
		p.mark, p.bytes = is, end-from
		p.mark.end = end
		if !is.isForeign() {
			if p.mark.tail, err = fingerprint(j.path, end); err != nil {
				return false // it was truncated; the next time sees it
			}
		}
		select {
		case out <- p:
		case <-ctx.Done():
			return false
		}
		from = end
		p = part{path: p.path, before: &source{mark: p.mark}}
		return true
	}
	end := from // of the last whole line: an incomplete one is left for the next time
	_, err = foreign.Lines(ctx, j.path, &x.lines, from, to, func(line *jsonl.Line) error {
		if !line.Ended {
			return nil
		}
		x.line(line, &p)
		end = line.At + line.Size
		if p.text >= partText && !send(end) {
			return errEnded
		}
		return nil
	})
	if err == nil && end > from {
		send(end)
	}
	return ctx.Err() == nil
}

// fingerprint returns the fingerprint of the bytes of a file before an offset.
func fingerprint(path string, end int64) (int64, error) {
	in, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer in.Close() // only read
	return cache.Fingerprint(in, end)
}

// line adds an entry for a line that contains text.
func (x *indexer) line(line *jsonl.Line, p *part) {
	if len(line.Data) > longLine {
		p.entries = append(p.entries, addition{line.At, line.Size - 1, longRole, []byte(longEntry)})
		return
	}
	if !x.entry.read(line.Data) {
		return
	}
	x.words = x.words[:0]
	for i := range x.entry.fields {
		x.words = appendWords(x.words, x.entry.fields[i].text)
	}
	p.entries = append(p.entries, addition{line.At, line.Size - 1, roleNumber(roleOf(&x.entry)), slices.Clone(x.words)})
	p.text += len(x.words)
}

// roleNumber returns the number of a role in the index, or 0 for one that
// queries do not know.
func roleNumber(role string) int { return slices.Index(query.Roles, role) + 1 }
