package page

import (
	"iter"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/prices"
)

// An Index contains the facts about all entries that the page's script needs: a
// column for each member.
type Index struct {
	IDs     []string       `json:"ids"`
	Parents []int          `json:"parents"` // -1 for a root
	Kinds   string         `json:"kinds"`   // see [Lines.Of]
	Texts   []string       `json:"texts"`
	Labels  map[int]string `json:"labels,omitzero"`
	Kept    map[int]int    `json:"kept,omitzero"`    // of a compaction: the first entry that it keeps, or itself
	Hidden  map[int]int    `json:"hidden,omitzero"`  // of an edit: the entry that it hides
	Firsts  []int          `json:"firsts,omitzero"`  // the first entry of each part
	Leaf    int            `json:"leaf"`             // -1 for none
	Excerpt bool           `json:"excerpt,omitzero"` // Leaf is the last entry of the page, not the session's leaf
}

// pieceSize is the number of entries in one piece of an index.
const pieceSize = 4096

// Pieces returns the index in pieces of some thousand entries. The columns of
// all pieces are to be concatenated; the other members are in the first piece,
// the leaf in each.
func (x *Index) Pieces() iter.Seq[Index] {
	return func(yield func(Index) bool) {
		piece := *x
		for from := 0; from == 0 || from < len(x.IDs); from += pieceSize {
			to := min(from+pieceSize, len(x.IDs))
			piece.IDs, piece.Parents, piece.Kinds, piece.Texts = x.IDs[from:to], x.Parents[from:to], x.Kinds[from:to], x.Texts[from:to]
			if !yield(piece) {
				return
			}
			piece = Index{Leaf: x.Leaf}
		}
	}
}

// PieceIsFull reports whether enough entries were added for a piece of the
// index.
func (d *Document) PieceIsFull() bool { return len(d.Index.IDs) >= pieceSize }

// Piece removes the columns of the index and returns them as its next piece.
// They are valid until a part is added. The other members stay for the last
// piece, which is the index itself.
func (d *Document) Piece() Index {
	x := &d.Index
	piece := Index{IDs: x.IDs, Parents: x.Parents, Kinds: x.Kinds, Texts: x.Texts, Leaf: x.Leaf}
	x.IDs, x.Parents, x.Kinds, x.Texts = x.IDs[:0], x.Parents[:0], "", x.Texts[:0]
	d.kinds.Reset()
	return piece
}

// Facts are the facts of a page about the whole session.
type Facts struct {
	Model       string
	First, Last time.Time
	Spent       format.Spent
	Pictures    int
	Window      []Bar
}

// A Bar is the size of the context at one response of the path.
type Bar struct {
	At        int // the position of the response in the page
	Tokens    int64
	Compacted bool // between this response and the one before
}

// indexFacts contains the facts about an entry for the index.
type indexFacts struct {
	kind         byte
	text         string
	at           time.Time
	spent        format.Spent
	model        string
	pictures     int
	tokens       int64  // size of the context of a response
	kept, hidden string // ids named by a compaction or an edit
	labeled      string // the id that a label names
	compaction   bool
}

// addFacts records the facts about the next entry for the index.
func (p *Part) addFacts(e format.Entry, lines *Lines) {
	t := indexFacts{pictures: Pictures(e)}
	t.kind, t.text = lines.Of(e)
	t.at, _ = e.Head().Time()
	if spent, model := prices.Entry(e); !spent.IsZero() || model != "" {
		t.spent, t.model = spent, strings.Clone(model)
	}
	switch e := e.(type) {
	case *format.Compaction:
		t.compaction, t.kept = true, e.FirstKeptEntryID
	case *format.Label:
		t.labeled = e.TargetID
	case *format.ContextEdit:
		if e.Replacement == nil {
			t.hidden = e.TargetID
		}
	case *format.MessageEntry:
		if a, ok := e.Message.(*format.Assistant); ok {
			t.tokens = a.Usage.Input + a.Usage.CacheRead + a.Usage.CacheWrite
		}
	}
	p.entryFacts = append(p.entryFacts, t)
}

// add adds an entry to the index and the facts.
func (d *Document) add(n int, t indexFacts) {
	i := d.Wanted[n]
	head := d.View.At(i)
	parent := d.parent(n, head.ParentID)
	d.Index.IDs = append(d.Index.IDs, d.Name(head.ID))
	d.Index.Parents = append(d.Index.Parents, parent)
	d.Index.Texts = append(d.Index.Texts, t.text)
	if t.kind == 'u' && d.prompt == "" {
		d.prompt = t.text
	}
	d.addLabel(n, head.ID)
	if at, ok := d.placeOf(t.labeled); ok && at < n {
		d.addLabel(at, t.labeled)
	}
	if t.compaction {
		d.Index.Kept[n] = n
		if at, ok := d.placeOf(t.kept); ok {
			d.Index.Kept[n] = at
		}
	}
	if at, ok := d.placeOf(t.hidden); ok {
		d.Index.Hidden[n] = at
	}
	d.Facts.add(t)
	if !d.onPath[i] {
		return
	}
	if t.tokens > 0 {
		d.Facts.Window = append(d.Facts.Window, Bar{n, t.tokens, d.compacted})
		d.compacted = false
	}
	d.compacted = d.compacted || t.compaction
}

// addLabel records the label of an entry, or that it has none.
func (d *Document) addLabel(n int, id string) {
	if label := d.label(id); label != "" {
		d.Index.Labels[n] = OneLine(label, mostOfLine)
	} else {
		delete(d.Index.Labels, n)
	}
}

// parent returns the position in the page of an entry's parent, or -1.
func (d *Document) parent(n int, id string) int {
	if d.Excerpt {
		if at, ok := d.before[n]; ok {
			return at
		}
		return -1
	}
	if at, ok := d.placeOf(id); ok && at != n {
		return at
	}
	return -1
}

func (d *Document) placeOf(id string) (int, bool) {
	if id == "" {
		return 0, false
	}
	i, err := d.View.Find(id)
	if err != nil {
		return 0, false
	}
	return int(d.place[i]), d.place[i] >= 0
}

func (f *Facts) add(t indexFacts) {
	if !t.at.IsZero() && (f.First.IsZero() || t.at.Before(f.First)) {
		f.First = t.at
	}
	if t.at.After(f.Last) {
		f.Last = t.at
	}
	f.Spent = f.Spent.Plus(t.spent)
	f.Pictures += t.pictures
	if t.model != "" {
		f.Model = t.model
	}
}

// Pictures returns the number of images of an entry.
func Pictures(e format.Entry) (n int) {
	m, ok := e.(*format.MessageEntry)
	if !ok {
		return 0
	}
	c, _ := format.ContentOf(m.Message)
	for _, block := range c.Blocks {
		if _, ok := block.(*format.ImageBlock); ok {
			n++
		}
	}
	return n
}
