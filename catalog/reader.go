package catalog

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/pith-sessions/pith"
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
	lines lineReader
	facts facts

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
	info := r.facts.info(f.modified)
	info.Path, info.Root, info.Size = f.path, f.root, r.size(in)
	return info, nil
}

// fold reads a file from an offset to its end, or as far as the query needs.
func (r *reader) fold(ctx context.Context, in sessionFile, from int64) error {
	if from > 0 {
		if _, err := in.Seek(from, io.SeekStart); err != nil {
			return err
		}
	}
	r.torn = false
	err := r.lines.each(ctx, in, from, r.facts.line, r.lastLine)
	if err == nil && !r.facts.begun {
		err = pith.ErrNotSession
	}
	if err != nil {
		return err
	}
	if !r.torn {
		r.end = r.lines.total
	}
	if r.facts.ends.state == stateUnknown {
		return r.followPath(ctx, in)
	}
	return nil
}

// lastLine takes what is behind the last line end. It may be half of a line that
// is being written, so nothing that is kept may depend on it.
func (r *reader) lastLine(line []byte, off int64) error {
	r.torn, r.end = true, off
	r.state = appendState(r.state[:0], &r.facts)
	return r.facts.line(line, off)
}

func (r *reader) followPath(ctx context.Context, in sessionFile) error {
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	at, err := stateAt(ctx, in, string(r.facts.ends.last))
	r.facts.ends.state = at
	return err
}

// size is how many bytes the facts are about. Where the rest of a file was not
// read it must be asked for.
func (r *reader) size(in sessionFile) int64 {
	if r.facts.stopped {
		if stat, err := in.Stat(); err == nil {
			return stat.Size()
		}
	}
	return r.lines.total
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
