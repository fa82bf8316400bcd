package compact

import (
	"encoding/json"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/transcript"
)

// A trail is the path to one entry of a session, with the part of it that the
// context uses. Entries are read on demand.
type trail struct {
	context *pith.Context
	path    *path
	leaf    string

	// first is the position of the first path entry in the context.
	first int
	// compacted is the position of the compaction at the start of the context,
	// or -1.
	compacted int
	// compaction is that compaction. It is nil if the context does not show it,
	// because an edit hides its summary, which pith and pi refuse to write.
	compaction *format.Compaction
}

// openTrail opens the path to an entry; for "" it is empty.
func openTrail(s *pith.Session, leaf string) (*trail, error) {
	v := s.View()
	if leaf == "" {
		return &trail{context: &pith.Context{}, path: &path{}, compacted: -1}, nil
	}
	context, err := v.Context(leaf)
	if err != nil {
		return nil, err
	}
	p, err := openPath(v, leaf)
	if err != nil {
		return nil, err
	}
	t := &trail{context: context, path: p, leaf: leaf}
	t.first, t.compacted = context.First, context.Compaction
	if t.compacted < 0 {
		return t, nil
	}
	for m, err := range context.ReusedMessages() {
		if err != nil {
			return nil, err
		}
		if m.EntryID != t.path.ID(t.compacted) {
			break
		}
		entry, err := t.path.Entry(t.compacted)
		if err != nil {
			return nil, err
		}
		t.compaction, _ = entry.(*format.Compaction)
		break
	}
	return t, nil
}

// A path is the path from a root to an entry. Positions count from the root.
// Lines are read on demand.
type path struct {
	entries []pith.Envelope
	lines   *pith.Reader
}

func openPath(v *pith.View, id string) (*path, error) {
	positions, err := v.Path(id)
	if err != nil {
		return nil, err
	}
	entries := make([]pith.Envelope, len(positions))
	for k, pos := range positions {
		entries[k] = v.At(pos)
	}
	return &path{entries, v.Reader()}, nil
}

func (p *path) Len() int { return len(p.entries) }

func (p *path) ID(pos int) string { return p.entries[pos].ID }

func (p *path) Type(pos int) format.Type { return p.entries[pos].Type }

func (p *path) Role(pos int) format.Role { return p.entries[pos].Role }

// Entry returns the entry at a position.
func (p *path) Entry(pos int) (format.Entry, error) {
	line, err := p.lines.Line(p.entries[pos].Pos)
	if err != nil {
		return nil, err
	}
	return format.DecodeEntry(slices.Clone(line.Raw))
}

// Message returns the message of a message entry, or nil if it has none. Its
// bytes are valid until the next call of a method that reads.
func (p *path) Message(pos int) (json.RawMessage, error) {
	line, err := p.lines.Line(p.entries[pos].Pos)
	if err != nil || line.Type != format.TypeMessage {
		return nil, err
	}
	raw, _ := jsonl.Lookup(line.Raw, "message")
	return raw, nil
}

// project returns the messages that an entry alone, with its edit if any, adds
// to a context. The rules are those of every context.
func project(e format.Entry, edit *format.ContextEdit) ([]json.RawMessage, error) {
	var path shortPath
	path.add(e)
	if edit != nil {
		path.add(edit)
	}
	plan, err := transcript.Build(&path, transcript.Origin{})
	if err != nil {
		return nil, err
	}
	var out []json.RawMessage
	for m, err := range plan.Messages(&path) {
		if err != nil {
			return nil, err
		}
		out = append(out, m.Raw)
	}
	return out, nil
}

// A shortPath is an entry and optionally its edit. It implements
// transcript.Path.
type shortPath struct {
	lines   [][]byte
	entries []journal.Entry
}

func (p *shortPath) add(e format.Entry) {
	var r journal.Record
	r.Read(e.Head().Raw)
	p.lines, p.entries = append(p.lines, e.Head().Raw), append(p.entries, r.Entry())
}

func (p *shortPath) Len() int { return len(p.lines) }

func (p *shortPath) Line(pos int) ([]byte, error) { return p.lines[pos], nil }

func (p *shortPath) At(pos int) *journal.Entry { return &p.entries[pos] }
