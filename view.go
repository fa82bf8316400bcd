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

// A View is a session as it stood when the view was taken. It never changes,
// whatever is appended, read or moved since, also when the file is replaced. What it
// returns may be kept. It copies nothing when it is taken; lines are read when they
// are asked for, so it must not be read from after the session was closed. It may be used by several goroutines.
//
// Positions count the entries in file order, from 0. Ids can occur twice in a
// file, positions cannot.
type View struct {
	snapshot
	once  sync.Once
	owned *envelope.Table // with ids of its own
}

// A snapshot is what a view sees. Its tree, which is filled as it is asked, is used
// under the lock of its session.
type snapshot struct {
	mu *sync.Mutex
	*place
	table  *envelope.Table // a copy, which does not grow
	tree   *tree.Tree
	labels tree.Labels
	leaf   int
	body   io.ReaderAt
}

// View is the session as it stands now.
func (s *Session) View() *View {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shared = true
	return &View{snapshot: s.snapshot()}
}

// now is a snapshot for reading along a path. Its tree and its labels may go on with
// the session.
func (j *journal) now() snapshot {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.snapshot()
}

// snapshot is the session as it stands now. The caller holds mu.
func (j *journal) snapshot() snapshot {
	body := j.body()
	if j.draft != nil {
		body = j.draft.snapshot() // it goes on growing
	}
	table := *j.table
	return snapshot{&j.mu, &j.place, &table, j.tree, j.labels, j.leaf, body}
}

// An Envelope is what is known of an entry without reading its line.
type Envelope struct {
	Pos int // among all entries, in file order
	ID  string
	// ParentID is empty for a root; it may name an entry that does not exist.
	ParentID string
	Type     format.Type // "" for a type that pith does not know; the line says
	Role     format.Role // of a message
	Time     time.Time   // zero when the entry does not say
	Size     int         // of the line, in bytes
}

// A Line is an entry as it stands in the file, with what is known of it without
// decoding it.
type Line struct {
	Envelope
	Raw json.RawMessage
}

// Len is the number of entries.
func (v *View) Len() int { return v.table.Len() }

// At is what is known of the entry at a position, which must be below Len. No line
// is read.
func (v *View) At(pos int) Envelope {
	return envelopeOf(v.facts(), pos)
}

// facts is the table with ids that cost no copy each.
func (v *View) facts() *envelope.Table {
	v.once.Do(func() {
		own := *v.table
		own.OwnIDs()
		v.owned = &own
	})
	return v.owned
}

func envelopeOf(t *envelope.Table, i int) Envelope {
	e := &t.Entries[i]
	out := Envelope{Pos: i, ID: t.ID(i), ParentID: t.Parent(i), Type: e.Kind.Type(), Role: e.Role.Name(), Size: int(e.Len)}
	if e.Time != envelope.NoTime {
		out.Time = time.UnixMilli(e.Time)
	}
	return out
}

// Find is the position of the entry with that id; of several, of the last one in
// the file. The error matches ErrNoEntry when there is none.
func (v *View) Find(id string) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.find(id)
}

// Line is the entry at a position as it stands in the file. The error matches
// ErrNoEntry when there is no such position.
func (v *View) Line(pos int) (Line, error) {
	if pos < 0 || pos >= v.Len() {
		return Line{}, fmt.Errorf("position %d of %d: %w", pos, v.Len(), ErrNoEntry)
	}
	raw, err := v.rawLine(pos)
	return Line{v.At(pos), raw}, err
}

// Entry is the entry at a position.
func (v *View) Entry(pos int) (format.Entry, error) {
	line, err := v.Line(pos)
	if err != nil {
		return nil, err
	}
	return format.DecodeEntry(line.Raw)
}

// Entries yields all entries in file order, those of all branches. An error comes
// once, last. The sequence can be ranged over again.
func (v *View) Entries() iter.Seq2[format.Entry, error] { return v.walkAll().decoded() }

// Path is the way from a root to an entry, the entry included, as positions. For
// "" it is the active branch: that to the leaf.
func (v *View) Path(id string) ([]int, error) {
	row, err := v.rowTo(id)
	out := make([]int, row.Len())
	for k, i := range row.All() {
		out[k] = i
	}
	return out, err
}

// PathIDs are the ids of Path.
func (v *View) PathIDs(id string) ([]string, error) {
	row, err := v.rowTo(id)
	return v.idsOf(row), err
}

func (v *View) rowTo(id string) (tree.Row, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	i, err := v.positionOr(id, v.leaf)
	return v.tree.Path(i), err
}

func (v *View) idsOf(row tree.Row) []string {
	table := v.table // a few ids do not pay for owning all of them
	if row.Len() > table.Len()/4 {
		table = v.facts()
	}
	out := make([]string, row.Len())
	for k, i := range row.All() {
		out[k] = table.ID(i)
	}
	return out
}

// Children are the positions of an entry's direct children in file order; for "",
// of the roots.
func (v *View) Children(id string) ([]int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	i, err := v.positionOr(id, tree.None)
	if err != nil {
		return nil, err
	}
	return v.tree.Children(i), nil
}

// Tree is the whole session: its roots, each with its descendants. Children are
// ordered by time. Entries whose parent is missing are roots.
func (v *View) Tree() []*Node {
	facts := v.facts()
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.nodes(facts)
}

// Label is the label of an entry, "" when it has none.
func (v *View) Label(id string) string {
	label, _ := v.labels.Of(id)
	return label.Text
}

// Leaf is the position of the entry at which the session stood; -1 before the first.
func (v *View) Leaf() int { return v.leaf }

// Context is what a model sees from an entry; for "", from the leaf.
func (v *View) Context(id string) (*Context, error) {
	v.mu.Lock()
	i, err := v.positionOr(id, v.leaf)
	v.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return v.contextAt(i)
}

// A Reader reads lines of a view into memory that it uses again, and reads ahead:
// the fast way for who goes through many lines and keeps none. It must not be used
// by two goroutines at once; a view may have several.
type Reader struct {
	view *View
	walk *walk
}

// Reader returns a reader of the view's lines.
func (v *View) Reader() *Reader {
	return &Reader{v, v.walkAll()}
}

// Line is the entry at a position. Its bytes stay valid until the next call.
func (r *Reader) Line(pos int) (Line, error) {
	if pos < 0 || pos >= r.view.Len() {
		return Line{}, fmt.Errorf("position %d of %d: %w", pos, r.view.Len(), ErrNoEntry)
	}
	raw, err := r.walk.lineOf(r.walk.entry(pos))
	if err != nil {
		return Line{}, err
	}
	return Line{r.view.At(pos), raw}, nil
}

// Lines yields all entries in file order. The bytes of a line stay valid until the
// next one is taken. An error comes once, last.
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

// LinesAt yields the entries at positions, in their order. It reads ahead no
// further than they stand one behind the other, so that what nobody asked for is not
// read. The bytes of a line stay valid until the next one is taken. An error comes
// once, last.
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

// stretch is up to which of the positions, from the one at k on, entries stand so close
// behind each other that they are read at once, and where the last of these ends.
func (r *Reader) stretch(positions []int, k int) (next int, end int64) {
	for next = k; next < len(positions); next++ {
		pos := positions[next]
		if pos < 0 || pos >= r.view.Len() {
			return max(next, k+1), end // an error when its turn comes
		}
		e := r.walk.entry(pos)
		if next > k && (e.Offset < end || e.Offset > end+leastAhead) {
			break
		}
		end = e.Offset + int64(e.Len)
	}
	return next, end
}

func (s *snapshot) find(id string) (int, error) {
	if i := s.tree.Find(id); i != tree.None {
		return i, nil
	}
	return tree.None, noEntry(id)
}

// findLocked is find for who does not hold the lock.
func (s *snapshot) findLocked(id string) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.find(id)
}

// labelsLocked are the labels in the order in which they were first set.
func (s *snapshot) labelsLocked() []tree.Label {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.labels.All()
}

func (s *snapshot) name() string { return s.table.DisplayName(s.file) }

// positionOr is find, where "" is another place.
func (s *snapshot) positionOr(id string, other int) (int, error) {
	if id == "" {
		return other, nil
	}
	return s.find(id)
}

func (s *snapshot) program() format.Program { return s.programOf(s.table) }

// path is the way from a root to an entry.
func (s *snapshot) path(i int) tree.Row {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tree.Path(i)
}

// walk is a walk along a row of entries.
func (s *snapshot) walk(row tree.Row) *walk {
	return &walk{table: s.table, row: row, body: s.body, file: s.file}
}

func (s *snapshot) walkAll() *walk { return s.walk(tree.AllOf(s.table.Len())) }

// rawLine reads the line of an entry, and nothing else.
func (s *snapshot) rawLine(i int) (json.RawMessage, error) {
	w := s.walk(tree.Row{})
	e := w.entry(i)
	raw := make([]byte, e.Len)
	if _, err := envelope.ReadFull(s.body, raw, e.Offset); err != nil {
		return nil, w.failed(err)
	}
	return raw, nil
}

// A Node is an entry in the tree of a session. The view that it is of reads its
// entry, by its position.
type Node struct {
	ID        string
	Pos       int         // of the entry among all, in file order; ids can occur twice
	Type      format.Type // "" for a type that pith does not know; the entry says
	Role      format.Role // of a message
	Label     string
	LabelTime string // timestamp of the label entry, as written
	OnPath    bool   // lies on the path to the leaf
	Depth     int    // roots have 0
	Children  []*Node
}

// nodes makes the tree, with the ids of a table. It goes over the nodes once: they
// are more than a processor keeps at hand.
func (s *snapshot) nodes(table *envelope.Table) []*Node {
	nodes := make([]*Node, table.Len()) // one array for nearly all lists of children, too
	labelled := s.labels.Len() > 0
	ordered := true // parents stand before their children
	var fresh []Node
	for i := range nodes {
		if len(fresh) == 0 {
			fresh = make([]Node, min(len(nodes)-i, nodesAtOnce))
		}
		n := &fresh[0]
		fresh, nodes[i] = fresh[1:], n
		n.Pos = i // a number first: to write one makes the page there at once, see nodesAtOnce
		e := &table.Entries[i]
		n.ID, n.Type, n.Role = table.ID(i), e.Kind.Type(), e.Role.Name()
		if labelled {
			label, _ := s.labels.Of(n.ID)
			n.Label, n.LabelTime = label.Text, label.Time
		}
		if table.Follows(i) { // nearly every entry has one child, the one behind it
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

// nodesAtOnce is for how many nodes memory is taken. The garbage collector looks
// through memory for all of them as soon as it is there, and the system then provides
// every page of it twice: once to be read, once to be written.
const nodesAtOnce = 256

func pick(nodes []*Node, positions []int) []*Node {
	out := make([]*Node, len(positions))
	for k, i := range positions {
		out[k] = nodes[i]
	}
	return out
}

// number sets the depth of every node, walking with a list instead of the stack.
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
