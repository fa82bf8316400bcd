package catalog

import (
	"context"
	"errors"
	"math"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A query selects sessions and the facts to read.
type query struct {
	project  *project // nil for all
	internal bool     // also sessions that a program made for its own use
	headOnly bool     // only the facts of the header
	text     bool
	spent    bool // collect the responses of models
	touched  bool // collect the files that tools touched
}

// wants reports whether a session with this header matches.
func (q *query) wants(cwd string, internal bool) bool {
	return (q.internal || !internal) && (q.project == nil || q.project.has(cwd))
}

// errUnwanted means that a file is a session that does not match the query.
var errUnwanted = errors.New("not asked for")

// A sessionFile is an open session file.
type sessionFile = foreign.File

func openFile(path string) (sessionFile, error) { return foreign.Open(context.Background(), path) }

// A reader reads the facts of files, one after the other, with one buffer.
type reader struct {
	lines jsonl.Lines
	facts facts
	size  int64 // end of the part that was read

	torn bool // its last line may be incomplete
}

// read reads the facts of a file. The error is errUnwanted for a session that
// does not match the query.
func (r *reader) read(ctx context.Context, f file, q query, open opener) (Info, error) {
	if f.isForeign() {
		out := r.translated(ctx, &f, &q, nil)
		return out.info, out.err
	}
	in, err := open(f.path())
	if err != nil {
		return Info{}, readError("open", f.path(), err)
	}
	defer in.Close()
	r.facts.reset(q)
	if err := r.fold(ctx, in, 0); err != nil && err != errEnough {
		return Info{}, located(ctx, f.path(), err)
	}
	info := r.facts.info(&f, r.sizeOf(in))
	var is row
	is.collected(&r.facts, nil)
	is.gives(&info, &q)
	return info, nil
}

// fold reads a file from an offset to its end, or as far as the query requires.
func (r *reader) fold(ctx context.Context, in sessionFile, from int64) error {
	r.torn = false
	var err error
	r.size, err = r.lines.Each(ctx, journal.Headed(in, func() bool { return r.facts.hasHeader }), from, math.MaxInt64, r.line)
	switch {
	case err == nil && !r.facts.hasHeader:
		err = pith.ErrNotSession
	case err == nil && r.facts.stopped:
		err = errEnough // the rest was read for what is collected
	}
	return err
}

// line handles a line. One without an ending may be incomplete.
func (r *reader) line(line *jsonl.Line) error {
	r.torn = !line.Ended
	return r.facts.line(line.Data, line.At, line.Size)
}

// sizeOf returns the number of bytes that the facts describe. If reading
// stopped early, it is the size of the file.
func (r *reader) sizeOf(in sessionFile) int64 {
	if r.facts.stopped {
		if stat, err := in.Stat(); err == nil {
			return stat.Size()
		}
	}
	return r.size
}

// located adds the path to an error, except for errors that are not about the
// file.
func located(ctx context.Context, path string, err error) error {
	if err == errUnwanted || err == ctx.Err() {
		return err
	}
	return readError("read", path, err)
}

// An opener opens a file for reading.
type opener func(path string) (sessionFile, error)
