package compact

import (
	"encoding/json"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/transcript"
)

// A trail is the path to one entry of a session, with what a context takes of it.
// Entries are read when they are asked for.
type trail struct {
	context *pith.Context
	path    *pith.Trail
	leaf    string

	// first is from where on entries of the path are in the context.
	first int
	// compacted is where the compaction stands that the context begins with; -1
	// when there is none.
	compacted int
	// compaction is that compaction. It is nil when the context does not show it,
	// because somebody has hidden its summary with an edit, which pith and pi refuse
	// to write.
	compaction *format.Compaction
}

// openTrail follows the path to an entry; for "" it is empty.
func openTrail(s *pith.Session, leaf string) (*trail, error) {
	context, err := s.ContextAt(leaf)
	if err != nil {
		return nil, err
	}
	t := &trail{context: context, path: context.Trail(), leaf: leaf}
	t.first, t.compacted = context.Start()
	if t.compacted < 0 {
		return t, nil
	}
	for m, err := range context.Messages() {
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

// project makes the messages that an entry alone gives to a context, with its
// edit, if it has one. The rules are those of every context.
func project(e format.Entry, edit *format.ContextEdit) ([]json.RawMessage, error) {
	path := shortPath{e}
	if edit != nil {
		path = append(path, edit)
	}
	plan, err := transcript.Build(path, transcript.Origin{})
	if err != nil {
		return nil, err
	}
	var out []json.RawMessage
	for m, err := range plan.Messages(path) {
		if err != nil {
			return nil, err
		}
		out = append(out, m.Raw)
	}
	return out, nil
}

// A shortPath is an entry and perhaps its edit. It implements transcript.Path.
type shortPath []format.Entry

// Len implements transcript.Path.
func (p shortPath) Len() int { return len(p) }

// Line implements transcript.Path.
func (p shortPath) Line(pos int) ([]byte, error) { return p[pos].Head().Raw, nil }

// At implements transcript.Path.
func (p shortPath) At(pos int) envelope.Entry { return envelope.Of(p[pos]) }

// ID implements transcript.Path.
func (p shortPath) ID(pos int) string { return p[pos].Head().ID }
