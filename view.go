package pith

import (
	"encoding/json"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
)

// A View is an immutable snapshot of a session. It does not change when entries
// are appended or read, when the leaf moves, or when the file is replaced. The
// caller may retain everything that it returns. Taking a view copies nothing:
// lines are read on demand, so a view must not be used after its session is
// closed. It is safe for concurrent use, and only its methods that return errors
// read.
//
// A position is the index of an entry in file order, from 0. Ids can occur
// twice in a file, positions cannot.
type View struct {
	*place
	state *journal.State
	leaf  int
}

// An Envelope holds the properties of an entry that are known without reading
// its line.
type Envelope struct {
	Pos int // index in file order
	ID  string
	// ParentID is empty for a root; it may name an entry that does not exist.
	ParentID string
	Type     format.Type // "" for a type unknown to pith; see the line
	Role     format.Role // of a message
	Time     time.Time   // zero if the entry has none
	Size     int         // length of the line in bytes
	// Label and LabelTime, its timestamp as written, are set by View.At.
	Label, LabelTime string
}

// A Line is an entry with its bytes in the file.
type Line struct {
	Envelope
	Raw json.RawMessage
}

// Len returns the number of entries.
func (v *View) Len() int { return v.state.Len() }

// At returns the envelope of the entry at a position, which must be less than
// Len. It reads no line.
func (v *View) At(pos int) Envelope {
	e := &v.state.Entries[pos]
	label, _ := v.state.Label(e.ID)
	out := Envelope{
		Pos: pos, ID: e.ID, ParentID: e.Parent, Type: e.Kind.Type(), Role: e.Role.Name(), Size: int(e.Len),
		Label: label.Text, LabelTime: label.Time,
	}
	if e.Time != journal.NoTime {
		out.Time = time.UnixMilli(e.Time)
	}
	return out
}

// Kind returns the type and the role of the entry at a position.
func (v *View) Kind(pos int) (format.Type, format.Role) {
	e := &v.state.Entries[pos]
	return e.Kind.Type(), e.Role.Name()
}

// Find returns the position of the entry with that id. If several have it, Find
// returns the last one in the file. The error matches ErrNoEntry if there is
// none.
func (v *View) Find(id string) (int, error) {
	if i := v.state.Find(id); i != journal.None {
		return i, nil
	}
	return journal.None, noEntry(id)
}

// findOr is like Find, but returns other for "".
func (v *View) findOr(id string, other int) (int, error) {
	if id == "" {
		return other, nil
	}
	return v.Find(id)
}

// Path returns the positions from a root to an entry, inclusive. For "" it
// returns the active branch, the path to the leaf.
func (v *View) Path(id string) ([]int, error) {
	leaf, err := v.findOr(id, v.leaf)
	path := v.state.Path(leaf)
	out := make([]int, len(path))
	for k, i := range path {
		out[k] = int(i)
	}
	return out, err
}

// PathIDs returns the ids of the entries of Path.
func (v *View) PathIDs(id string) ([]string, error) {
	leaf, err := v.findOr(id, v.leaf)
	path := v.state.Path(leaf)
	out := make([]string, len(path))
	for k, i := range path {
		out[k] = v.state.ID(int(i))
	}
	return out, err
}

// Children returns the positions of an entry's direct children in file order,
// or of the roots for "".
func (v *View) Children(id string) ([]int, error) {
	i, err := v.findOr(id, journal.None)
	if err != nil {
		return nil, err
	}
	return v.state.Children(i), nil
}

// DepthFirst returns all entries as chains, parents before their children. A
// chain consists of Len entries from the position Pos on, each the only child of
// the one before. Parent is the index of the chain whose last entry is the parent
// of the first one, or -1 for a root. Of siblings, the one on the path to the
// leaf comes first, then the others by time. The list grows with the number of
// branches, not of entries, unlike [View.Tree].
func (v *View) DepthFirst() []struct{ Pos, Len, Parent int32 } {
	return v.state.DepthFirst(v.leaf)
}

// Label returns the label of an entry, or "".
func (v *View) Label(id string) string {
	label, _ := v.state.Label(id)
	return label.Text
}

// Leaf returns the position of the leaf, or -1 before the first entry.
func (v *View) Leaf() int { return v.leaf }

// name returns the display name of the session.
func (v *View) name() string { return v.state.DisplayName(v.file) }

// program returns the program that the session's file belongs to.
func (v *View) program() format.Program { return v.state.Signature.Program(v.file) }
