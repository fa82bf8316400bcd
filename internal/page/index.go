package page

import (
	"encoding/json"
	"iter"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
)

// An Index contains the facts about all stretches that the page's script needs.
type Index struct {
	Stretches []Stretch `json:"stretches"`
	Firsts    []int     `json:"firsts,omitzero"`  // the first stretch of each part
	Leaf      int       `json:"leaf"`             // the last stretch of the path; -1 for none
	Excerpt   bool      `json:"excerpt,omitzero"` // Leaf is the end of the page, not of the session
}

// A Stretch is a turn, or the part of one on a branch, in an index.
type Stretch struct {
	Parent int      `json:"p"` // -1 for a root
	IDs    []string `json:"i"` // of the entries
	// Kinds has a letter for each entry: p a prompt, m another message, r a
	// result, k a compaction, s a branch summary, o one that models do not see.
	Kinds  string         `json:"c"`
	Tokens []int64        `json:"t"`          // estimates of each entry's size
	Of     []int          `json:"o"`          // of each entry its row, or -1
	Rows   []Row          `json:"r"`          // of the tree
	Labels map[int]string `json:"l,omitzero"` // by entry
	Kept   map[int]string `json:"k,omitzero"` // of a compaction: the id of the first entry that it keeps
	Hidden []string       `json:"h,omitzero"` // ids of entries hidden by edits of the context
	Used   map[int]int64  `json:"u,omitzero"` // size of the context of a response
}

// A Row is a line of the tree.
type Row struct {
	Kind  byte // u prompt, a text of the model, c call, f failure, k compaction, s branch summary, x other
	Entry int
	Text  string
	Note  string // the result
	Icon  string
	Bad   bool
}

// MarshalJSON implements json.Marshaler: a row is a list.
func (r Row) MarshalJSON() ([]byte, error) {
	list := []any{string(r.Kind), r.Entry, r.Text, r.Note, r.Icon, r.Bad}
	for len(list) > 3 && (list[len(list)-1] == "" || list[len(list)-1] == false) {
		list = list[:len(list)-1]
	}
	return json.Marshal(list)
}

// pieceSize is the number of entries in one piece of an index.
const pieceSize = 4096

// Pieces returns the index in pieces of some thousand entries. The stretches of
// all pieces are to be concatenated; the other members are in the first piece,
// the leaf in each.
func (x *Index) Pieces() iter.Seq[Index] {
	return func(yield func(Index) bool) {
		piece, from, entries := *x, 0, 0
		for k := range x.Stretches {
			if entries += len(x.Stretches[k].IDs); entries < pieceSize {
				continue
			}
			if piece.Stretches = x.Stretches[from : k+1]; !yield(piece) {
				return
			}
			piece, from, entries = Index{Leaf: x.Leaf}, k+1, 0
		}
		if piece.Stretches = x.Stretches[from:]; len(piece.Stretches) > 0 || from == 0 {
			yield(piece)
		}
	}
}

// PieceIsFull reports whether enough entries were added for a piece of the
// index.
func (d *Document) PieceIsFull() bool {
	n := 0
	for k := range d.Index.Stretches {
		n += len(d.Index.Stretches[k].IDs)
	}
	return n >= pieceSize
}

// Piece removes the stretches of the index and returns them as its next piece.
// They are valid until a part is added. The other members stay for the last
// piece, which is the index itself.
func (d *Document) Piece() Index {
	piece := Index{Stretches: d.Index.Stretches, Leaf: d.Index.Leaf}
	d.Index.Stretches = d.Index.Stretches[:0]
	return piece
}

// Facts are the facts of a page about the whole session.
type Facts struct {
	Model            string
	First, Last      time.Time
	Work             time.Duration
	Spent            format.Spent // on all branches
	Files            map[string]Change
	Request, Outcome string   // of the path
	Prompts          []Prompt // in the plain part of the page
	Failed           bool
	Pictures         int
	Window           []Bar
	Branches         int
	Entries          int
}

func newFacts(d *Document) Facts {
	f := Facts{Files: map[string]Change{}, Entries: len(d.Wanted)}
	f.First, f.Last, f.Work = worked(d.View, d.Path)
	kids := make([]int, len(d.stretches))
	for k := range d.stretches {
		if p := d.stretches[k].parent; p >= 0 {
			kids[p]++
		}
	}
	for k, n := range kids {
		if n == 0 && d.talks(k) {
			f.Branches++
		}
	}
	return f
}

// talks reports whether a stretch has an entry that is shown.
func (d *Document) talks(k int) bool {
	for _, pos := range d.stretches[k].entries {
		if e := d.View.At(pos); isTalk(&e) {
			return true
		}
	}
	return false
}

// A Prompt is a user message of the path.
type Prompt struct{ Anchor, Text string }

// mostPrompts is the number of prompts that are listed for readers without scripts.
const mostPrompts = 1000

// A Bar is the size of the context at one response of the path.
type Bar struct {
	Anchor    string // of the response
	Tokens    int64
	Failed    bool // a call of it failed
	Compacted bool // between this response and the one before
}

// stretchFacts contains the facts about a stretch for the index.
type stretchFacts struct {
	Stretch
	bars             []Bar
	spent            format.Spent
	model            string
	changed          []Change
	request, outcome string
	failed           bool
	pictures         int
}

// factsOf returns the facts about a stretch that was written.
func (d *Document) factsOf(k int, w *writer) stretchFacts {
	entries := d.stretches[k].entries
	f := stretchFacts{Stretch: Stretch{Parent: d.stretches[k].parent, Tokens: make([]int64, len(entries)), Of: make([]int, len(entries)), Rows: append([]Row{}, w.rows...)}, model: w.Model, changed: w.changed, pictures: w.images}
	kinds := make([]byte, len(entries))
	at := make(map[string]int, len(entries))
	for n, pos := range entries {
		e := d.View.At(pos)
		at[e.ID] = n
		f.IDs = append(f.IDs, d.Name(e.ID))
		kinds[n], f.Of[n] = kindOf(&e), -1
		if label := d.label(e.ID); label != "" {
			set(&f.Labels, n, OneLine(label, mostOfLine))
		}
	}
	f.Kinds = string(kinds)
	for n, r := range w.rows {
		if f.Of[r.Entry] < 0 {
			f.Of[r.Entry] = n
		}
	}
	w.used = map[int]int{}
	calls := 0 // rows of calls, in the order of their items
	for i := range w.Items {
		it := &w.Items[i]
		n, ok := at[string(it.EntryID)]
		if !ok {
			continue
		}
		f.weigh(it, n, at)
		if it.Kind == inspect.ToolUse && it.Tool.Result != nil {
			if r, ok := at[string(it.Tool.Result.EntryID)]; ok && f.Of[r] < 0 {
				f.Of[r] = f.rowOf(n, calls)
			}
		}
		if it.Kind == inspect.ToolUse || it.Kind == inspect.Shell || it.Kind == inspect.Other {
			calls++
		}
		f.tell(it, n, d)
	}
	last := -1
	for n := range f.Of { // an entry without a row belongs to the one before
		if f.Of[n] < 0 {
			f.Of[n] = max(last, 0)
		}
		last = f.Of[n]
	}
	return f
}

// rowOf returns the row of the call with a number, or the first row of its entry.
func (f *stretchFacts) rowOf(entry, call int) int {
	for n := range f.Rows {
		if f.Rows[n].Kind == 'c' {
			if call == 0 {
				return n
			}
			call--
		}
	}
	return f.Of[entry]
}

func set[T any](m *map[int]T, key int, value T) {
	if *m == nil {
		*m = map[int]T{}
	}
	(*m)[key] = value
}

// weigh adds the size of an item to those of its entries.
func (f *stretchFacts) weigh(it *inspect.Item, n int, at map[string]int) {
	size := func(text string) int64 { return int64(len(text)+3) / 4 }
	f.Tokens[n] += size(string(it.Text))
	if it.Image != nil {
		f.Tokens[n] += 1200 // about what an image of a screen takes
	}
	if it.Tool == nil {
		return
	}
	f.Tokens[n] += size(string(it.Tool.Arguments))
	if r := it.Tool.Result; r != nil {
		if m, ok := at[string(r.EntryID)]; ok {
			f.Tokens[m] += size(string(r.Text)) + 1200*int64(len(r.Images))
		}
	}
}

// tell records what a person wants to know first: what was asked, what came of
// it, and how full the context was.
func (f *stretchFacts) tell(it *inspect.Item, n int, d *Document) {
	if s := it.Spent; s != nil {
		f.spent = f.spent.Plus(s.Spent)
		if used := s.Input + s.CacheRead + s.CacheWrite; used > 0 && it.Role() != inspect.RoleUser && (it.Role() == inspect.RoleAssistant || it.Kind == inspect.ToolUse) {
			set(&f.Used, n, used)
			f.bars = append(f.bars, Bar{Anchor: anchor(d.Name(string(it.EntryID))), Tokens: used})
		}
	}
	switch it.Kind {
	case inspect.User:
		if f.request == "" {
			f.request = OneLine(string(it.Text), 400)
		}
		f.outcome, f.failed = "", false
	case inspect.Response, inspect.Failure:
		if d.Choice.Only == Prompts {
			break
		}
		if f.failed = it.Kind == inspect.Failure; f.failed {
			f.outcome = string(it.Text)
		} else if text := strings.TrimSpace(string(it.Text)); text != "" {
			f.outcome = text[:min(len(text), 4<<10)]
		}
	case inspect.ToolUse:
		if r := it.Tool.Result; r != nil {
			if r.Spent != nil {
				f.spent = f.spent.Plus(r.Spent.Spent)
			}
			if r.IsError && len(f.bars) > 0 {
				f.bars[len(f.bars)-1].Failed = true
			}
		}
	case inspect.Compaction:
		if it.Target != "" {
			set(&f.Kept, n, d.Name(string(it.Target)))
		}
	case inspect.ContextEdit:
		if it.Hidden {
			f.Hidden = append(f.Hidden, d.Name(string(it.Target)))
		}
	}
}

// add adds a stretch to the index and the facts.
func (d *Document) add(k int, s *stretchFacts) {
	d.Index.Stretches = append(d.Index.Stretches, s.Stretch)
	if !d.NoScript {
		d.kept = append(d.kept, *s)
	}
	f := &d.Facts
	f.Spent = f.Spent.Plus(s.spent)
	f.Pictures += s.pictures
	if s.model != "" && (d.onPath[k] || f.Model == "") {
		f.Model = s.model
	}
	if !d.onPath[k] {
		return
	}
	for _, r := range s.Rows {
		if name := anchor(s.IDs[r.Entry]); r.Kind == 'u' && name != "" && d.NoScript && k >= d.from && len(f.Prompts) < mostPrompts {
			f.Prompts = append(f.Prompts, Prompt{name, OneLine(r.Text, 48)})
		}
	}
	if f.Request == "" {
		f.Request = s.request
	}
	if s.request != "" { // what is asked last may have no outcome yet
		f.Outcome, f.Failed = "", false
	}
	if s.outcome != "" {
		f.Outcome, f.Failed = s.outcome, s.failed
	}
	for _, c := range s.changed {
		was := f.Files[c.Path]
		f.Files[c.Path] = Change{c.Path, was.Added + c.Added, was.Removed + c.Removed}
	}
	d.compacted = d.compacted || strings.Contains(s.Kinds, "k")
	for _, bar := range s.bars {
		bar.Compacted, d.compacted = d.compacted && len(f.Window) > 0, false
		f.Window = append(f.Window, bar)
	}
}
