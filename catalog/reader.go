package catalog

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
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
	if _, err := in.Seek(from, io.SeekStart); err != nil {
		return err
	}
	r.torn = false
	var err error
	r.size, err = r.lines.Each(ctx, in, from, r.line)
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
func (r *reader) line(line []byte, off int64) error {
	whole, ok := bytes.CutSuffix(line, []byte{'\n'})
	if !ok {
		r.torn, r.end = true, off
		r.state = appendState(r.state[:0], &r.facts)
	}
	return r.facts.line(whole, off)
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
