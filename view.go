package pith

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"sync"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/tree"
)

// A View is an immutable snapshot of a session. It does not change when entries
// are appended or read, when the leaf moves, or when the file is replaced. The
// caller may retain everything that it returns. Taking a view copies nothing:
// lines are read on demand, so a view must not be used after its session is
// closed. It is safe for concurrent use.
//
// A position is the index of an entry in file order, from 0. Ids can occur
// twice in a file, positions cannot.
type View struct{ snapshot }

// A snapshot is the data behind a view. Its tree, which is filled lazily, is
// guarded by the session's mutex.
type snapshot struct {
	mu *sync.Mutex
	*place
	position // its table is a copy, which does not grow
	body     io.ReaderAt
}

// View returns a snapshot of the session.
func (s *Session) View() *View {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shared = true
	return &View{s.snapshot()}
}

// now returns a snapshot for reading along a path. Its tree and labels may
// continue to change with the session.
func (j *journal) now() snapshot {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.snapshot()
}

// snapshot returns the current state of the session. The caller must hold mu.
func (j *journal) snapshot() snapshot {
	body := j.body()
	if j.draft != nil {
		body = j.draft.snapshot() // the draft continues to grow
	}
	now, table := j.position, *j.table
	now.table = &table
	return snapshot{&j.mu, &j.place, now, body}
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
func (v *View) Len() int { return v.table.Len() }

// At returns the envelope of the entry at a position, which must be less than
// Len. It reads no line.
func (v *View) At(pos int) Envelope { return v.envelope(pos, v.table.At(pos)) }

// envelope is At for an entry that was read from the table.
func (v *View) envelope(pos int, e envelope.Entry) Envelope {
	out := Envelope{Pos: pos, Type: e.Kind.Type(), Role: e.Role.Name(), Size: int(e.Len)}
	out.ID, out.ParentID = v.table.IDs(pos)
	if e.Time != envelope.NoTime {
		out.Time = time.UnixMilli(e.Time)
	}
	if v.labels.Len() > 0 {
		label, _ := v.labels.Of(out.ID)
		out.Label, out.LabelTime = label.Text, label.Time
	}
	return out
}

// Kind returns the type and the role of the entry at a position, as At does, but
// copies no ids.
func (v *View) Kind(pos int) (format.Type, format.Role) {
	kind, role := v.table.Kind(pos)
	return kind.Type(), role.Name()
}

// Find returns the position of the entry with that id. If several have it, Find
// returns the last one in the file. The error matches ErrNoEntry if there is
// none.
func (v *View) Find(id string) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.find(id)
}

// Line returns the entry at a position with its bytes in the file. The error
// matches ErrNoEntry if the position is out of range.
func (v *View) Line(pos int) (Line, error) {
	if pos < 0 || pos >= v.Len() {
		return Line{}, fmt.Errorf("position %d of %d: %w", pos, v.Len(), ErrNoEntry)
	}
	raw, err := v.rawLine(pos)
	return Line{v.At(pos), raw}, err
}

// Entry returns the decoded entry at a position.
func (v *View) Entry(pos int) (format.Entry, error) {
	line, err := v.Line(pos)
	if err != nil {
		return nil, err
	}
	return format.DecodeEntry(line.Raw)
}

// Entries yields the entries of all branches in file order. An error is yielded
// once and ends the sequence. The sequence can be ranged over again.
func (v *View) Entries() iter.Seq2[format.Entry, error] { return v.walkAll().decoded() }

// Path returns the positions from a root to an entry, inclusive. For "" it
// returns the active branch, the path to the leaf.
func (v *View) Path(id string) ([]int, error) {
	row, err := v.rowTo(id)
	out := make([]int, row.Len())
	for k, i := range row.All() {
		out[k] = i
	}
	return out, err
}

// PathIDs returns the ids of the entries of Path.
func (v *View) PathIDs(id string) ([]string, error) {
	row, err := v.rowTo(id)
	out := make([]string, row.Len())
	for k, i := range row.All() {
		out[k] = v.table.ID(i)
	}
	return out, err
}

func (v *View) rowTo(id string) (tree.Row, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	i, err := v.findOr(id, v.leaf)
	return v.tree.Path(i), err
}

// Children returns the positions of an entry's direct children in file order,
// or of the roots for "".
func (v *View) Children(id string) ([]int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	i, err := v.findOr(id, tree.None)
	if err != nil {
		return nil, err
	}
	return v.tree.Children(i), nil
}

// Tree returns the roots of the session with their descendants. Children are
// ordered by time. Entries whose parent is missing are roots.
func (v *View) Tree() []*Node {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.nodes()
}

// DepthFirst returns all entries as chains, parents before their children. A
// chain consists of Len entries from the position Pos on, each the only child of
// the one before. Parent is the index of the chain whose last entry is the parent
// of the first one, or -1 for a root. Of siblings, the one on the path to the
// leaf comes first, then the others by time. The list grows with the number of
// branches, not of entries, unlike [View.Tree].
func (v *View) DepthFirst() []struct{ Pos, Len, Parent int32 } {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.tree.DepthFirst(v.leaf)
}

// Label returns the label of an entry, or "".
func (v *View) Label(id string) string {
	label, _ := v.labels.Of(id)
	return label.Text
}

// Leaf returns the position of the leaf, or -1 before the first entry.
func (v *View) Leaf() int { return v.leaf }

// Context returns the context at an entry, or at the leaf for "".
func (v *View) Context(id string) (*Context, error) {
	v.mu.Lock()
	i, err := v.findOr(id, v.leaf)
	v.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return v.contextAt(i)
}

// A Reader reads lines of a view sequentially. It reads ahead and reuses its
// buffer, so it is the fastest way to scan many lines without retaining them. A
// Reader is not safe for concurrent use, but a view may have several.
type Reader struct {
	// ReadLong, if not nil, reads lines over 6 MB, which then need not be in
	// memory as a whole. The reader returns its result as the line.
	ReadLong func(pos int, line *io.SectionReader) ([]byte, error)

	view *View
	walk *walk
}

// longLine is the size from which on lines are read by Reader.ReadLong.
const longLine = 6 << 20

// Reader returns a new reader of the view's lines.
func (v *View) Reader() *Reader {
	return &Reader{view: v, walk: v.walkAll()}
}

// Line returns the entry at a position. Its bytes are valid until the next
// call.
func (r *Reader) Line(pos int) (Line, error) {
	if pos < 0 || pos >= r.view.Len() {
		return Line{}, fmt.Errorf("position %d of %d: %w", pos, r.view.Len(), ErrNoEntry)
	}
	e := r.walk.table.At(pos)
	if r.ReadLong != nil && e.Len > longLine {
		raw, err := r.ReadLong(pos, io.NewSectionReader(r.walk.body, e.Offset, int64(e.Len)))
		return Line{r.view.envelope(pos, e), raw}, err
	}
	raw, err := r.walk.lineOf(e)
	if err != nil {
		return Line{}, err
	}
	return Line{r.view.envelope(pos, e), raw}, nil
}

// Lines yields all entries in file order. The bytes of a line are valid until
// the next iteration. An error is yielded once and ends the sequence.
func (r *Reader) Lines() iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for pos := range r.view.Len() {
			line, err := r.Line(pos)
			if !yield(line, err) || err != nil {
				return
			}
		}
	}
}

// LinesAt yields the entries at the given positions, in their order. It reads
// ahead only across entries that are close together in the file. The bytes of a
// line are valid until the next iteration. An error is yielded once and ends
// the sequence.
func (r *Reader) LinesAt(positions []int) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		defer func() { r.walk.until = 0 }()
		together := 0
		for k, pos := range positions {
			if k >= together {
				together, r.walk.until = r.stretch(positions, k)
			}
			line, err := r.Line(pos)
			if !yield(line, err) || err != nil {
				return
			}
		}
	}
}

// stretch returns the index after the last position, starting at k, whose
// entries are close enough in the file to be read together, and the offset at
// which they end.
func (r *Reader) stretch(positions []int, k int) (next int, end int64) {
	for next = k; next < len(positions); next++ {
		pos := positions[next]
		if pos < 0 || pos >= r.view.Len() {
			return max(next, k+1), end // Line reports the error later
		}
		e := r.walk.table.At(pos)
		if next > k && (e.Offset < end || e.Offset > end+leastAhead) {
			break
		}
		end = e.Offset + int64(e.Len)
	}
	return next, end
}

// findLocked is find for callers that do not hold mu.
func (s *snapshot) findLocked(id string) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.find(id)
}

// labelsLocked returns the labels in the order in which they were first set.
func (s *snapshot) labelsLocked() []tree.Label {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.labels.All()
}

func (s *snapshot) name() string { return s.table.DisplayName(s.file) }

func (s *snapshot) program() format.Program { return s.programOf(s.table) }

func (s *snapshot) path(i int) tree.Row {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tree.Path(i)
}

func (s *snapshot) walk(row tree.Row) *walk {
	return &walk{table: s.table, row: row, body: s.body, file: s.file}
}

func (s *snapshot) walkAll() *walk { return s.walk(tree.AllOf(s.table.Len())) }

// rawLine reads the line of one entry, without reading ahead.
func (s *snapshot) rawLine(i int) (json.RawMessage, error) {
	w := s.walk(tree.Row{})
	e := w.table.At(i)
	raw := make([]byte, e.Len)
	if _, err := envelope.ReadFull(s.body, raw, e.Offset); err != nil {
		return nil, w.failed(err)
	}
	return raw, nil
}

// A Node is an entry in the tree of a session. The view reads the entry by its
// position.
type Node struct {
	ID        string
	Pos       int         // index in file order; ids can occur twice
	Type      format.Type // "" for a type unknown to pith; see the entry
	Role      format.Role // of a message
	Label     string
	LabelTime string // timestamp of the label entry, as written
	OnPath    bool   // whether it is on the path to the leaf
	Depth     int    // roots have depth 0
	Children  []*Node
}

// nodes builds the tree. It visits the nodes only once, because they exceed the
// processor's cache.
func (s *snapshot) nodes() []*Node {
	table := s.table
	nodes := make([]*Node, table.Len()) // also the backing array of nearly all lists of children
	labelled := s.labels.Len() > 0
	ordered := true // parents precede their children
	var fresh []Node
	for i := range nodes {
		if len(fresh) == 0 {
			fresh = make([]Node, min(len(nodes)-i, nodesAtOnce))
		}
		n := &fresh[0]
		fresh, nodes[i] = fresh[1:], n
		n.Pos = i // write a number first: it maps the page immediately, see nodesAtOnce
		kind, role := table.Kind(i)
		n.ID, n.Type, n.Role = table.ID(i), kind.Type(), role.Name()
		if labelled {
			label, _ := s.labels.Of(n.ID)
			n.Label, n.LabelTime = label.Text, label.Time
		}
		if table.Follows(i) { // nearly every entry has one child, the next entry
			n.Depth = nodes[i-1].Depth + 1
			nodes[i-1].Children = nodes[i : i+1 : i+1]
		} else if parent := s.tree.Parent(i); parent != tree.None {
			if ordered = ordered && parent < i; ordered {
				n.Depth = nodes[parent].Depth + 1
			}
		}
	}
	for _, i := range s.tree.Path(s.leaf).All() {
		nodes[i].OnPath = true
	}
	for _, i := range s.tree.Forks() {
		nodes[i].Children = pick(nodes, s.tree.AppendOrdered(nil, i))
	}
	roots := pick(nodes, s.tree.Roots())
	if !ordered {
		number(roots)
	}
	return roots
}

// nodesAtOnce is the number of nodes allocated together. The garbage collector
// scans an allocation as soon as it exists, and the system then faults in each
// of its pages twice: once for reading, once for writing.
const nodesAtOnce = 256

func pick(nodes []*Node, positions []int) []*Node {
	out := make([]*Node, len(positions))
	for k, i := range positions {
		out[k] = nodes[i]
	}
	return out
}

// number sets the depth of every node. It uses a list instead of recursion.
func number(roots []*Node) {
	todo := append([]*Node(nil), roots...)
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, c := range n.Children {
			c.Depth = n.Depth + 1
			todo = append(todo, c)
		}
	}
}
