package search

import (
	"context"
	"errors"
	"github.com/pith-sessions/pith/internal/cache"
	"io"
	"os"
	"slices"
	"time"

	"github.com/pith-sessions/pith/internal/cache/index"
	"github.com/pith-sessions/pith/internal/envelope"
)

const (
	// partText is the number of bytes of words in a part. Parts are made before
	// they are written, so this bounds the memory.
	partText = 1 << 20
	partDocs = 2048
	// batchText is the number of bytes of words written in one transaction. Two
	// such batches are in memory.
	batchText = 2 << 20
	// briefBatch is the same for a build with a time limit.
	briefBatch = 1 << 20
)

// A part is an addition to the index, with the number of file bytes that it
// covers.
type part struct {
	index.Addition
	bytes int64
	text  int
}

// An indexer makes documents from the lines of files.
type indexer struct {
	lines envelope.Lines
	entry entry
	words []byte
	grams gramSet
	part  part
	last  int64 // end of the last document's line
}

// file sends the parts of a file. It returns false if ctx ended. A file that
// cannot be read is left out; a search reads it.
func (x *indexer) file(ctx context.Context, j job, out chan<- part) bool {
	in, err := os.Open(j.path)
	if err != nil {
		return true
	}
	defer in.Close()
	stat, err := in.Stat()
	if err != nil {
		return true
	}
	if j.from > 0 {
		if tail, err := cache.Fingerprint(in, j.from); err != nil || tail != j.tail {
			return true // it was rewritten meanwhile
		}
	}
	m := mark{inode: cache.InodeOf(stat), mtime: stat.ModTime().UnixNano(), size: stat.Size()}
	x.begin(j)
	// An incomplete last line is left for the next time.
	end, err := x.read(ctx, in, j.from, stat.Size(), func(at int64) bool { return x.send(ctx, in, &m, at, out) })
	if err != nil {
		return ctx.Err() == nil
	}
	if end > j.from || j.afresh {
		return x.send(ctx, in, &m, end, out)
	}
	return true
}

func (x *indexer) begin(j job) {
	x.part = part{Addition: index.Addition{Path: j.path, Before: j.before, Afresh: j.afresh}}
	x.last = 0
	x.part.bytes = -j.from
	x.grams.take() // of a file that could not be read to its end
}

// send sends the documents of the lines before an offset and starts the next
// part.
func (x *indexer) send(ctx context.Context, in io.ReaderAt, m *mark, end int64, out chan<- part) bool {
	p := x.part
	tail, err := cache.Fingerprint(in, end)
	if err != nil || end == 0 {
		return true // it was truncated: another search sees it
	}
	now := *m
	now.end, now.tail = end, tail
	p.State, p.Grams = now.encode(), x.grams.take()
	p.bytes += end
	select {
	case out <- p:
	case <-ctx.Done():
		return false
	}
	x.part = part{Addition: index.Addition{Path: p.Path, Before: p.State}}
	x.part.bytes = -end
	x.last = 0
	return true
}

// errEnded stops reading a file whose remaining parts are not needed.
var errEnded = errors.New("the context ended")

// read makes documents from the whole lines between two offsets, and calls full
// with the end of a line when there is enough for a part. It returns the end of
// the last whole line.
func (x *indexer) read(ctx context.Context, in io.ReaderAt, from, to int64, full func(end int64) bool) (int64, error) {
	end := from
	_, err := x.lines.Each(ctx, in, from, to, func(line *envelope.Line) error {
		if !line.Ended {
			return nil
		}
		x.line(line)
		end = line.At + line.Size
		if (x.part.text >= partText || len(x.part.Documents) >= partDocs) && !full(end) {
			return errEnded
		}
		return nil
	})
	return end, err
}

// line makes a document from a line that contains text.
func (x *indexer) line(line *envelope.Line) {
	if !x.entry.read(line.Data) {
		return
	}
	x.words = x.words[:0]
	for i := range x.entry.fields {
		x.words = appendWords(x.words, x.entry.fields[i].text)
		x.grams.add(x.entry.fields[i].text)
	}
	x.part.Documents = append(x.part.Documents, slices.Clone(x.words))
	x.part.Places = appendPlace(x.part.Places, place{line.At, int(line.Size - 1), roleNumber(roleOf(&x.entry))}, x.last)
	x.part.text += len(x.words)
	x.last = line.At + line.Size - 1
}

// roleNumber returns the number of a role in places, or 0 for one that queries
// do not know.
func roleNumber(role string) byte { return byte(slices.Index(Roles, role) + 1) }

const (
	// lockPause is the time between two attempts to write to a database that
	// another process is writing to.
	lockPause = 50 * time.Millisecond
	// lockTries is the number of attempts.
	lockTries = 100
)

// patiently writes to the index, and waits for another process that is writing.
// If ctx ends, it stops waiting, but a write in progress is completed, because
// its documents are worth storing.
func patiently(ctx context.Context, write func(context.Context) error) error {
	for range lockTries {
		err := write(context.WithoutCancel(ctx))
		if !errors.Is(err, index.ErrBusy) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lockPause):
		}
	}
	return index.ErrBusy
}
