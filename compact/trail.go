package compact

import (
	"encoding/json"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/transcript"
)

// A trail is the path to one entry of a session, with what a context takes of it.
// Entries are read when they are asked for.
type trail struct {
	session *pith.Session
	context *pith.Context
	leaf    string
	ids     []string // from the root on

	// compacted is where the compaction stands that the context begins with; -1
	// when there is none.
	compacted  int
	compaction *format.Compaction
	// kept is from where on entries before the compaction are in the context.
	// It is 0 without a compaction.
	kept int

	all []format.Entry // of the path, when they had to be read in a row
}

// openTrail follows the path to an entry; for "" it is empty.
func openTrail(s *pith.Session, leaf string) (*trail, error) {
	t := &trail{session: s, leaf: leaf, compacted: -1}
	var err error
	if t.context, err = s.ContextAt(leaf); err != nil || leaf == "" {
		return t, err
	}
	if t.ids, err = s.PathIDs(leaf); err != nil {
		return nil, err
	}
	return t, t.findCompaction()
}

// findCompaction looks at the first messages of the context: they come from the
// compaction, if there is one, and the next shows whether it keeps anything.
func (t *trail) findCompaction() error {
	for m, err := range t.context.Messages() {
		switch {
		case err != nil:
			return err
		case t.compacted < 0:
			pos := lastIndex(t.ids, m.EntryID)
			if pos < 0 {
				return nil
			}
			entry, err := t.entry(pos)
			if err != nil {
				return err
			}
			c, ok := entry.(*format.Compaction)
			if !ok {
				return nil
			}
			t.compacted, t.compaction, t.kept = pos, c, pos
		case m.EntryID != t.ids[t.compacted]:
			first := slices.Index(t.ids[:t.compacted], t.compaction.FirstKeptEntryID)
			if first >= 0 && slices.Index(t.ids[first:t.compacted], m.EntryID) >= 0 {
				t.kept = first
			}
			return nil
		}
	}
	return nil
}

// begin takes a compaction that no message of the context comes from. The context
// begins with it all the same; somebody has hidden its summary with an edit, which
// pith and pi refuse to write.
func (t *trail) begin(pos int, c *format.Compaction) {
	t.compacted, t.kept = pos, pos
	if first := slices.Index(t.ids[:pos], c.FirstKeptEntryID); first >= 0 {
		t.kept = first
	}
}

func lastIndex(ids []string, id string) int {
	for i := len(ids) - 1; i >= 0; i-- {
		if ids[i] == id {
			return i
		}
	}
	return -1
}

// entry is the entry at a position of the path. It is found by its id, which is
// quick. Where that does not lead to the entry that the path means, because an
// id is missing or occurs twice, the whole path is read once.
func (t *trail) entry(pos int) (format.Entry, error) {
	if t.all == nil {
		e, err := t.session.Entry(t.ids[pos])
		if err == nil && (pos == 0 || e.Head().ParentID == t.ids[pos-1]) {
			return e, nil
		}
		if err := t.readAll(); err != nil {
			return nil, err
		}
	}
	return t.all[pos], nil
}

func (t *trail) readAll() error {
	path, err := t.session.Path(t.leaf)
	if err != nil {
		return err
	}
	all := make([]format.Entry, 0, len(t.ids))
	for e, err := range path {
		if err != nil {
			return err
		}
		all = append(all, e)
	}
	t.all = all
	return nil
}

// project makes the messages that an entry alone gives to a context, with its
// edit, if it has one. The rules are those of every context.
func project(e format.Entry, edit *format.ContextEdit) ([]json.RawMessage, error) {
	path := shortPath{e}
	if edit != nil {
		path = append(path, edit)
	}
	plan, err := transcript.Build(path)
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
func (p shortPath) At(pos int) *envelope.Entry {
	e := envelope.Of(p[pos])
	return &e
}
