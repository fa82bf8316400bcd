package journal

import (
	"cmp"
	"io"
	"maps"
	"slices"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Tail is the state of a log's end.
type Tail uint8

const (
	// TailClean means that the log is empty or ends with a line ending.
	TailClean Tail = iota
	// TailNoNewline means that the last line is complete, but its line ending
	// is missing.
	TailNoNewline
	// TailTorn means that the last line was cut off.
	TailTorn
)

// A State is what a log contains. It is immutable and safe for concurrent use;
// the zero State is that of an empty log.
type State struct {
	Header    *format.Header // nil if there is none
	HeaderAt  int64          // position of the header's line
	HeaderLen int
	// Slot is oh-my-pi's title slot, if the file starts with one.
	Slot *Slot
	// Signature shows which program the file belongs to.
	Signature Signature
	Entries   []Entry
	Faults    []Fault     // of the lines
	Names     []Name      // in file order, including cleared names
	Body      io.ReaderAt // reads the lines
	Size      int64       // number of bytes
	Lines     int         // number of physical lines
	Tail      Tail
	// Old is the State of the log if that is of an old version. This State is
	// then that of its migrated form, which is only in memory.
	Old *State

	birth  *birth // of the first State of these
	title  string // oh-my-pi's last record of the title
	labels map[string]Label
	next   int64 // start of the next line
	end    mark  // the end of the log
	links
}

// A Name is an entry that names the session.
type Name struct {
	Entry int
	Name  string
}

// A Label is a mark that a user set on an entry.
type Label struct {
	Target string // ID of the entry
	Text   string
	Time   string // timestamp of the label entry, as written
	order  int
}

// setLabel applies the next label entry of the file. An empty text clears the
// label. Setting a label again keeps its place in the order; clearing it does
// not.
func (s *scanner) setLabel(l Label) {
	if !s.owned {
		s.labels, s.owned = maps.Clone(s.labels), true
	}
	if l.Text == "" {
		delete(s.labels, l.Target)
		return
	}
	if s.labels == nil {
		s.labels = map[string]Label{}
	}
	if old, ok := s.labels[l.Target]; ok {
		l.order = old.order
	} else {
		l.order = len(s.Entries)
	}
	s.labels[l.Target] = l
}

// Label returns the label of an entry, if it has one.
func (s *State) Label(id string) (Label, bool) {
	l, ok := s.labels[id]
	return l, ok
}

// Labels returns the labels in the order in which they were first set.
func (s *State) Labels() []Label {
	return slices.SortedFunc(maps.Values(s.labels), func(a, b Label) int { return cmp.Compare(a.order, b.order) })
}

// A birth is shared by States that follow one another.
type birth struct{ _ byte }

// Follows reports whether s has all entries of t, at the same positions.
func (s *State) Follows(t *State) bool { return s.birth == t.birth }

// Len returns the number of entries.
func (s *State) Len() int { return len(s.Entries) }

// At returns an entry, which must not be changed.
func (s *State) At(i int) *Entry { return &s.Entries[i] }

// ID returns the ID of an entry, or "" for None.
func (s *State) ID(i int) string {
	if i == None {
		return ""
	}
	return s.Entries[i].ID
}

// Line reads the line of an entry.
func (s *State) Line(i int) ([]byte, error) {
	e := &s.Entries[i]
	line := make([]byte, e.Len)
	_, err := jsonl.ReadFull(s.Body, line, e.Offset)
	return line, err
}

// HasConversation reports whether there is a user or assistant message.
func (s *State) HasConversation() bool {
	return slices.ContainsFunc(s.Entries, func(e Entry) bool { return e.Conversation() })
}

// Resume returns the leaf of a session after loading: the last entry, of
// whatever kind. OpenClaw's record of a leaf stands for its target.
func (s *State) Resume() int {
	at := len(s.Entries) - 1
	for at != None && s.Entries[at].Kind == KindLeafRecord {
		at = s.Above(at) // its target
	}
	return at
}

// A Finding is a problem and its place in the file on disk.
type Finding struct {
	Line    int
	Offset  int64
	EntryID string
	Code    string
	Text    string
}

// Findings returns the faults of the lines and the problems of the tree, in file
// order.
func (s *State) Findings() []Finding {
	var out []Finding
	file, faults := s, s.Faults
	if s.Old != nil {
		// Migration adds missing IDs; every other fault remains.
		file, faults = s.Old, slices.DeleteFunc(slices.Clone(s.Old.Faults), func(f Fault) bool { return f.Kind == FaultNoID })
	}
	for _, f := range faults {
		out = append(out, Finding{f.Line, f.Offset, s.ID(f.Entry), f.Kind.Code(), f.Text()})
	}
	for _, p := range s.Problems() {
		e := &file.Entries[p.Entry]
		out = append(out, Finding{int(e.Line), e.Offset, s.ID(p.Entry), p.Kind.Code(), p.String()})
	}
	slices.SortStableFunc(out, func(a, b Finding) int { return cmp.Compare(a.Offset, b.Offset) })
	return out
}
