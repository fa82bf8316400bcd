package catalog

import (
	"context"
	"errors"
	"os"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
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

// A reader reads the facts of one file after the other, with one buffer.
type reader struct {
	lines lineReader
	facts facts
}

// read reads the facts of a file. The error is errUnwanted for a session that
// the query excludes.
func (r *reader) read(ctx context.Context, f file, q query) (Info, error) {
	in, err := os.Open(f.path)
	if err != nil {
		return Info{}, readError("open", f.path, err)
	}
	defer in.Close()
	r.facts.reset(q)
	err = r.lines.each(ctx, in, r.facts.line)
	if err == nil && !r.facts.begun {
		err = pith.ErrNotSession
	}
	if err != nil && err != errEnough {
		if err == errUnwanted || err == ctx.Err() {
			return Info{}, err
		}
		return Info{}, readError("read", f.path, err)
	}
	if r.facts.answer != (place{}) {
		r.facts.model = modelOfAnswer(in, r.facts.answer, r.facts.model)
	}
	info := r.facts.info(f.modified)
	info.Path, info.Root, info.Size = f.path, f.root, r.lines.total
	if err == errEnough {
		// The rest was not read; the file's size must be asked for.
		if stat, err := in.Stat(); err == nil {
			info.Size = stat.Size()
		}
	}
	return info, nil
}

// modelOfAnswer reads the line of an assistant's message again, once a file, so
// that not every such message must be searched for its model.
func modelOfAnswer(in *os.File, at place, before string) string {
	line := make([]byte, at.length)
	if _, err := in.ReadAt(line, at.offset); err != nil {
		return before // somebody cut the file meanwhile
	}
	msg, _ := jsonl.Lookup(line, "message")
	if jsonl.KindOf(msg) != '{' {
		return before
	}
	if model := joinModel(stringMember(msg, "provider"), stringMember(msg, "model")); model != "" {
		return model
	}
	return before
}

func joinModel(provider, model string) string {
	if provider == "" || model == "" {
		return provider + model
	}
	return provider + "/" + model
}

func stringMember(obj []byte, name string) string {
	raw, _ := jsonl.Lookup(obj, name)
	s, _ := jsonl.String(raw)
	return s
}

// intMember is the value of a member that is a number, cut to an integer.
func intMember(obj []byte, name string) (int64, bool) {
	raw, _ := jsonl.Lookup(obj, name)
	return number(raw)
}

// number is a number cut to an integer; ok is false for anything else.
func number(raw []byte) (_ int64, ok bool) {
	if n, ok := jsonl.Int(raw); ok {
		return n, true
	}
	f, ok := jsonl.Float(raw)
	if !ok || f > 1<<62 || f < -1<<62 {
		return 0, false
	}
	return int64(f), true
}

// v4Header reads the first line of a file of version 4 or above, of which pith
// knows no more than that.
func v4Header(line []byte) *format.Header {
	h := &format.Header{
		ID: stringMember(line, "id"), Cwd: stringMember(line, "cwd"),
		ParentSession: stringMember(line, "legacyParentSessionPath"),
	}
	if h.ParentSession == "" {
		h.ParentSession = stringMember(line, "parentSessionId")
	}
	if v, ok := intMember(line, "v"); ok {
		h.Version = int(v)
	}
	if ms, ok := intMember(line, "createdAt"); ok {
		if t, ok := dateOf(ms); ok {
			h.Timestamp = format.FormatTime(t)
		}
	}
	return h
}
