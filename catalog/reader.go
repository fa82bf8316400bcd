package catalog

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/internal/envelope"
)

// A query says which sessions are wanted and what is to be known about them.
type query struct {
	project  *project // nil for all
	internal bool     // also those that a machinery made for itself
	headOnly bool     // only what the header says
	text     bool
}

// wants reports whether a session with this header is asked for.
func (q *query) wants(cwd string, internal bool) bool {
	return (q.internal || !internal) && (q.project == nil || q.project.has(cwd))
}

// errUnwanted means that a file is a session which the query does not ask for.
var errUnwanted = errors.New("not asked for")

// A sessionFile is an open file of a session.
type sessionFile interface {
	io.ReadSeekCloser
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

func openFile(path string) (sessionFile, error) { return os.Open(path) }

// A reader reads the facts of one file after the other, with one buffer.
type reader struct {
	lines envelope.Lines
	facts facts
	size  int64 // up to where the file was read

	// What the index keeps, if there is one.
	state []byte // of the facts at the end of the last whole line
	end   int64  // where that is
	torn  bool   // there is something behind it
}

// read reads the facts of a file. The error is errUnwanted for a session that
// the query excludes.
func (r *reader) read(ctx context.Context, f file, q query, open opener) (Info, error) {
	in, err := open(f.path)
	if err != nil {
		return Info{}, readError("open", f.path, err)
	}
	defer in.Close()
	r.facts.reset(q)
	if err := r.fold(ctx, in, 0); err != nil && err != errEnough {
		return Info{}, located(ctx, f.path, err)
	}
	return r.facts.info(&f, r.sizeOf(in)), nil
}

// fold reads a file from an offset to its end, or as far as the query needs.
func (r *reader) fold(ctx context.Context, in sessionFile, from int64) error {
	r.torn = false
	var err error
	r.size, err = r.lines.Each(ctx, headed{in, &r.facts}, from, math.MaxInt64, r.line)
	if err == nil && !r.facts.begun {
		err = pith.ErrNotSession
	}
	if err != nil {
		return err
	}
	if !r.torn {
		r.end = r.size
	}
	return nil
}

// line takes a line. What is behind the last line end may be half of one that is
// being written, so nothing that is kept may depend on it.
func (r *reader) line(line *envelope.Line) error {
	if !line.Ended {
		r.torn, r.end = true, line.At
		r.state = appendState(r.state[:0], &r.facts)
	}
	return r.facts.line(line.Data, line.At)
}

// A headed file is read on behind its first bytes only if they hold a header.
type headed struct {
	sessionFile
	facts *facts
}

// ReadAt implements io.ReaderAt.
func (h headed) ReadAt(p []byte, off int64) (int, error) {
	if !h.facts.begun {
		if off >= envelope.HeaderMost || off >= envelope.HeaderWithin && !h.mayBegin() {
			return 0, pith.ErrNotSession
		}
		if rest := envelope.HeaderWithin - off; rest > 0 {
			p = p[:min(int64(len(p)), rest)]
		}
	}
	return h.sessionFile.ReadAt(p, off)
}

// mayBegin reports whether the header begins in the first bytes and ends behind them.
func (h headed) mayBegin() bool {
	head := make([]byte, envelope.HeaderWithin)
	n, _ := h.sessionFile.ReadAt(head, 0) // what cannot be read is no header
	return envelope.BeginsHeader(head[:n])
}

// sizeOf is how many bytes the facts are about. Where the rest of a file was not
// read it must be asked for.
func (r *reader) sizeOf(in sessionFile) int64 {
	if r.facts.stopped {
		if stat, err := in.Stat(); err == nil {
			return stat.Size()
		}
	}
	return r.size
}

// located adds the file to an error, except to those that say nothing about it.
func located(ctx context.Context, path string, err error) error {
	if err == errUnwanted || err == ctx.Err() {
		return err
	}
	return readError("read", path, err)
}

// opener opens a file for reading.
type opener func(path string) (sessionFile, error)
