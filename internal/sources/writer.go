package sources

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Writer makes the lines of one translated session. Its methods do not return
// errors: after the reader stopped they do nothing.
type Writer struct {
	line    []byte
	yield   func(line []byte) bool
	program string
	taken   map[uint32]struct{} // the IDs of the session
	last    string
	model   string                 // of the last response
	path    func(id string) string // of another session of the root; "" if it is unknown
	stopped bool
	damaged error // see Damaged
}

// Translate yields the lines of a session without their line feeds. They are valid
// until the next one. An error comes last; a [foreign.DamagedError] means that a
// part was left out. path returns the path of another session of the root by its
// ID, or "" if there is none.
func Translate(ctx context.Context, p Program, s Session, path func(id string) string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		w := &Writer{program: p.Name(), taken: map[uint32]struct{}{}, path: path}
		w.yield = func(line []byte) bool {
			if !yield(line, nil) {
				w.stopped = true
				stop() // the program stops reading
			}
			return !w.stopped
		}
		err := p.Translate(ctx, s, w)
		switch {
		case w.stopped:
		case err != nil:
			yield(nil, fmt.Errorf("%s session %s: %w", p.Title(), s.ID, err))
		case w.damaged != nil:
			yield(nil, &foreign.DamagedError{Err: fmt.Errorf("%s session %s: %w", p.Title(), s.ID, w.damaged)})
		}
	}
}

// ParentPath returns the path of another session of the same root, for
// Header.Parent.
func (w *Writer) ParentPath(id string) string {
	if id == "" {
		return ""
	}
	return w.path(id)
}

// A Header contains the facts about a translated session.
type Header struct {
	ID   string
	Time time.Time
	Cwd  string
	// Parent is the path of the session that this one was forked from or that
	// started it, if it is known.
	Parent string
	// Original is the file or database from which the session was read.
	Original string
	// Version is the version of the program that wrote the session, if it is
	// known.
	Version string
	// Spawned means that the parent started this session as a subagent.
	Spawned bool
	// Archived means that the program hides the session.
	Archived bool
}

// Header writes the first line. It must be called before any entry is written.
func (w *Writer) Header(h Header) {
	w.line = format.AppendHeader(w.line[:0], &format.Header{ID: h.ID, Timestamp: stamp(h.Time), Cwd: h.Cwd, ParentSession: h.Parent})
	w.member("source", w.program)
	w.member("original", h.Original)
	w.member("programVersion", h.Version)
	if h.Spawned {
		w.line = append(w.line[:len(w.line)-1], `,"spawned":true}`...)
	}
	if h.Archived {
		w.line = append(w.line[:len(w.line)-1], `,"archived":true}`...)
	}
	w.write()
}

// ID returns a new entry ID for a key of the program: eight hexadecimal digits
// that depend only on the key, or, if another key has the same, on the order of
// the calls.
func (w *Writer) ID(key string) string {
	sum := sha256.Sum256([]byte(key))
	for {
		for i := 0; i < len(sum); i += 4 {
			n := binary.BigEndian.Uint32(sum[i:])
			if _, taken := w.taken[n]; !taken {
				w.taken[n] = struct{}{}
				return hex.EncodeToString(sum[i : i+4])
			}
		}
		sum = sha256.Sum256(sum[:])
	}
}

// Last returns the ID of the entry written last, or "" before the first.
func (w *Writer) Last() string { return w.last }

// Add writes an entry with an ID made from a key, and returns the ID. origin is
// the program's own name for its source; it is stored in the line. A compaction
// that names no first kept entry keeps none.
func (w *Writer) Add(key, parent string, at time.Time, e format.Entry, origin string) string {
	w.last = w.ID(key)
	*e.Head() = format.Base{ID: w.last, ParentID: parent, Timestamp: stamp(at)}
	if c, ok := e.(*format.Compaction); ok {
		c.FirstKeptEntryID = cmp.Or(c.FirstKeptEntryID, c.ID)
	}
	w.line = format.AppendEntry(w.line[:0], e)
	w.member("origin", origin)
	w.write()
	return w.last
}

// stamp formats a time. A damaged file may contain a time that is not a valid
// date in JavaScript; it becomes the start of 1970.
func stamp(at time.Time) string {
	const most = 8_640_000_000_000_000 // milliseconds
	if ms := at.UnixMilli(); ms > most || ms < -most {
		at = time.UnixMilli(0)
	}
	return format.FormatTime(at)
}

// Message writes a message of the conversation and returns its entry ID.
func (w *Writer) Message(key, parent string, at time.Time, m format.Message) string {
	return w.Add(key, parent, at, &format.MessageEntry{Message: m}, key)
}

// Response writes a response and returns its entry ID. If its model is not that
// of the response before, it writes the change of the model first.
func (w *Writer) Response(key, parent string, at time.Time, m *format.Assistant) string {
	if m.Model != w.model && m.Model != "" {
		parent = w.Add(key+"/model", parent, at, &format.ModelChange{Provider: m.Provider, ModelID: m.Model}, "")
		w.model = m.Model
	}
	return w.Message(key, parent, at, m)
}

// Keep writes a record without a counterpart as a custom entry, so that nothing
// is lost, and returns its entry ID. kind is the program's name for it.
func (w *Writer) Keep(key, parent string, at time.Time, kind string, record []byte) string {
	return w.Add(key, parent, at, &format.Custom{CustomType: w.program + "/" + kind, Data: record}, key)
}

// Unknown writes a record of a kind that pith does not know, as one that Keep
// writes but marked: front ends warn that a part of the session is missing. kind
// is the program's name for it.
func (w *Writer) Unknown(key, parent string, at time.Time, kind string, record []byte) string {
	w.last = w.ID(key)
	w.line = format.AppendEntry(w.line[:0], &format.UnknownEntry{Base: format.Base{Type: format.TypeForeignRecord, ID: w.last, ParentID: parent, Timestamp: stamp(at)}})
	w.member("kind", cmp.Or(kind, "none"))
	w.line = append(append(append(w.line[:len(w.line)-1], `,"data":`...), record...), '}')
	w.member("origin", key)
	w.write()
	return w.last
}

// Name writes the title of the session.
func (w *Writer) Name(key, parent string, at time.Time, name string) string {
	return w.Add(key, parent, at, &format.SessionInfo{Name: name}, key)
}

// Leaf records the entry at which the session continues, unless that is the entry
// written last.
func (w *Writer) Leaf(id string, at time.Time) {
	if id != w.last {
		w.Add("leaf "+id, id, at, &format.Custom{CustomType: format.LeafCustomType, Data: format.LeafData(id)}, "")
	}
}

// Line writes a line that is already in the form of a session, without its line
// feed.
func (w *Writer) Line(line []byte) {
	w.line = append(w.line[:0], line...)
	w.write()
}

// Damaged reports that a part of the session was left out. The rest is kept.
func (w *Writer) Damaged(err error) { w.damaged = err }

// member adds a member at the end of the line, unless the value is empty.
func (w *Writer) member(name, value string) {
	if value == "" {
		return
	}
	w.line = append(w.line[:len(w.line)-1], `,"`+name+`":`...)
	w.line = append(jsonl.AppendString(w.line, value), '}')
}

func (w *Writer) write() {
	if !w.stopped {
		w.yield(w.line)
	}
}

// A Run is the data in a tool result about the subagent that the call started.
type Run struct {
	Session string // ID of the subagent's session in the same root
	Agent   string // kind of the subagent; "" if it is not known
	Task    string
}

// Details adds a run to the details of a result, in the form that pi's
// subagents use.
func (w *Writer) Details(r Run, details []byte) []byte {
	if jsonl.KindOf(details) != '{' {
		details = []byte("{}")
	}
	if _, taken := jsonl.Lookup(details, "results"); taken {
		return details
	}
	run := jsonl.AppendString([]byte(`[{"sessionFile":`), cmp.Or(w.ParentPath(r.Session), fileName(r.Session)))
	if r.Agent != "" {
		run = jsonl.AppendString(append(run, `,"agent":`...), r.Agent)
	}
	if r.Task != "" {
		run = jsonl.AppendString(append(run, `,"task":`...), r.Task)
	}
	details = jsonl.Set(details, "results", append(run, "}]"...))
	return jsonl.Set(details, "mode", []byte(`"single"`))
}
