package page

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

const (
	// partSize is the approximate number of bytes of lines in one part: a
	// browser unpacks one to show a stretch, and all of them to search.
	partSize = 256 << 10
	// plainShare and the limits next to it determine how much of a session is
	// in the page as plain HTML: all of a small one, the starts of outputs, or
	// only the conversation of a large one. The parts contain all of it.
	plainShare, leastPlain, mostPlain = 6, 64 << 10, 3 << 20
	// shortest is the minimum length of an output worth showing, markup the
	// approximate number of bytes of HTML around an entry, and listed that of a
	// prompt in the list of prompts.
	shortest, markup, listed = 400, 800, 120
)

// A Source provides the entries of a page.
type Source struct {
	View   *pith.View
	Path   []int // the positions that the page shows first, in order
	Wanted []int // all positions in the page, in file order
	Choice Choice
	Agent  Agent
	// Cwd is the project and Home the user's directory, as they occur in the
	// lines: paths of tools are shown relative to them.
	Cwd, Home string
	// Line returns the line of an entry as it may be shown; nil leaves it
	// unchanged. It must be safe for concurrent use and must not modify its
	// argument.
	Line func(pos int, line []byte) []byte
	// Name returns a label or an id as it may be shown; nil leaves it
	// unchanged.
	Name func(string) string
	// NoScript means that the path must be readable without a script, as Plain.
	NoScript bool
	// Excerpt means that Path is a part of a path: each entry is the child of
	// the one before it, no entry is the session's leaf, and labels, which other
	// entries set, are left out.
	Excerpt bool
}

// All returns the positions of all entries.
func All(v *pith.View) []int {
	all := make([]int, v.Len())
	for i := range all {
		all[i] = i
	}
	return all
}

// A Document is a session as a page: its stretches, and the HTML of each, made
// part by part.
type Document struct {
	Source
	Index Index
	Facts Facts
	Plain bytes.Buffer // HTML of the path, long outputs cut; empty unless NoScript is set
	Left  int          // turns of the path that are missing in Plain
	Brief bool         // Plain contains no outputs

	readers   *sync.Pool // readers of the view, for concurrent rendering
	stretches []stretch
	place     []int32        // position in the file to position in the page; -1 for none
	of        []int32        // position in the page to its stretch
	onPath    []bool         // by stretch
	leaf      int            // position of the last entry of the path that is shown, or -1
	cut       int            // maximum length of a text in the plain part; 0 means no limit
	from      int            // the first stretch in the plain part
	compacted bool           // a compaction precedes the next response of the path
	kept      []stretchFacts // what was added, unless NoScript is set
}

// NewDocument starts a page. Nothing is read yet.
func NewDocument(s Source) *Document {
	if s.Name == nil {
		s.Name = func(text string) string { return text }
	}
	d := &Document{Source: s, readers: new(sync.Pool), place: slices.Repeat([]int32{-1}, s.View.Len()), leaf: -1}
	for n, i := range s.Wanted {
		d.place[i] = int32(n)
	}
	before := map[int]int{} // of an excerpt: the entry before another
	if s.Excerpt {
		for k := 1; k < len(s.Path); k++ {
			before[int(d.place[s.Path[k]])] = int(d.place[s.Path[k-1]])
		}
	}
	d.stretches = divide(s.View, s.Wanted, d.place, func(n int) int {
		if s.Excerpt {
			if at, ok := before[n]; ok {
				return at
			}
			return -1
		}
		return d.parent(n)
	})
	d.of = make([]int32, len(s.Wanted))
	for k := range d.stretches {
		for _, pos := range d.stretches[k].entries {
			d.of[d.place[pos]] = int32(k)
		}
	}
	d.onPath = make([]bool, len(d.stretches))
	d.Index.Leaf, d.Index.Excerpt = -1, s.Excerpt
	for _, pos := range s.Path {
		e := s.View.At(pos)
		if d.place[pos] < 0 || !isTalk(&e) {
			continue
		}
		d.leaf = pos
		d.onPath[d.of[d.place[pos]]] = true
	}
	if d.leaf >= 0 {
		d.Index.Leaf = int(d.of[d.place[d.leaf]])
	}
	d.Facts = newFacts(d)
	if s.NoScript {
		d.budget()
	}
	return d
}

// parent returns the position in the page of the parent of an entry, or -1.
func (d *Document) parent(n int) int {
	id := d.View.At(d.Wanted[n]).ParentID
	if id == "" {
		return -1
	}
	pos, err := d.View.Find(id)
	if err != nil || int(d.place[pos]) == n {
		return -1
	}
	return int(d.place[pos])
}

// Len returns the number of stretches.
func (d *Document) Len() int { return len(d.stretches) }

// A Range is a range of consecutive stretches of a page.
type Range struct{ From, To int }

// Parts splits the stretches into ranges that are rendered separately.
func (d *Document) Parts() []Range {
	var parts []Range
	size, from := 0, 0
	for k := range d.stretches {
		if size >= partSize {
			parts = append(parts, Range{from, k})
			size, from = 0, k
		}
		size += d.size(k)
	}
	if from < len(d.stretches) {
		parts = append(parts, Range{from, len(d.stretches)})
	}
	return parts
}

func (d *Document) size(k int) (size int) {
	for _, pos := range d.stretches[k].entries {
		size += d.View.At(pos).Size
	}
	return size
}

// A Part is a rendered range.
type Part struct {
	Range
	HTML  []byte // of the stretches, with a Separator between two
	facts []stretchFacts
	plain []byte
	left  int
}

// Separator separates the HTML of two stretches. It does not occur in text, where
// it is replaced by a visible symbol.
const Separator = "\x1e"

// lines reads the entries at positions as they may be shown. A line is valid
// until the next iteration.
func (d *Document) lines(ctx context.Context, positions []int) iter.Seq2[pith.Line, error] {
	return func(yield func(pith.Line, error) bool) {
		reader, _ := d.readers.Get().(*pith.Reader)
		if reader == nil {
			reader = d.View.Reader()
		}
		defer d.readers.Put(reader)
		for l, err := range reader.LinesAt(positions) {
			if err = cmp.Or(err, ctx.Err()); err == nil && d.Line != nil {
				l.Raw = d.Line(l.Pos, []byte(l.Raw))
			}
			if !yield(l, err) || err != nil {
				return
			}
		}
	}
}

// Entries decodes lines after passing them through line. A line that is not an
// entry any more is yielded as an unknown one. An entry is valid until the next
// iteration. An error is yielded once and ends the sequence.
func Entries(ctx context.Context, lines iter.Seq2[pith.Line, error], line func(pos int, line []byte) []byte) iter.Seq2[format.Entry, error] {
	return func(yield func(format.Entry, error) bool) {
		for l, err := range lines {
			if err = cmp.Or(err, ctx.Err()); err != nil {
				yield(nil, err)
				return
			}
			raw := []byte(l.Raw)
			if line != nil {
				raw = line(l.Pos, raw)
			}
			e, err := format.DecodeEntry(raw)
			if err != nil {
				e = &format.UnknownEntry{Base: format.Base{Raw: raw}}
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Turn reads entries that follow each other.
func (d *Document) Turn(ctx context.Context, positions []int) (*Turn, error) {
	t := &Turn{pictures: map[string][]picture{}, Diffs: map[string]string{}, Agent: d.Agent, Cwd: d.Cwd, Home: d.Home}
	items, err := inspect.ItemsOf(func(yield func(pith.Line, error) bool) {
		for l, err := range d.lines(ctx, positions) {
			if err == nil {
				t.attach(&l)
			}
			if !yield(l, err) {
				return
			}
		}
	}, d.label)
	if err != nil {
		return nil, err
	}
	t.Items = items
	for i := range items {
		if s := items[i].Spent; s != nil {
			t.Spent = t.Spent.Plus(s.Spent)
		}
		if tool := items[i].Tool; tool != nil && tool.Result != nil && tool.Result.Spent != nil {
			t.Spent = t.Spent.Plus(tool.Result.Spent.Spent)
		}
		t.Model = cmp.Or(string(items[i].Model), t.Model)
	}
	for _, pos := range positions {
		if at := d.View.At(pos).Time; at.After(t.Until) {
			t.Until = at
		}
	}
	return t, nil
}

// attach takes the images out of a line and keeps them, and the diff of the
// result of an edit, which items do not contain.
func (t *Turn) attach(l *pith.Line) {
	image := bytes.Contains(l.Raw, []byte(`"image"`))
	if !image && (l.Role != format.RoleToolResult || !bytes.Contains(l.Raw, []byte(`"diff"`))) {
		return
	}
	m := journal.MessageOf(l.Raw)
	if l.Role == format.RoleToolResult {
		if diff := jsonl.LookupString(m.Details, "diff"); diff != "" {
			t.Diffs[l.ID] = diff
		}
	}
	content, images := []byte{'['}, t.images
	for raw := range jsonl.Elements(m.Content) {
		if block, ok := journal.ReadBlock(raw); ok && string(jsonl.TextOf(block.Type)) == "image" {
			t.pictures[l.ID] = append(t.pictures[l.ID], pictureOf(raw))
			t.images++
			raw = []byte(`{"type":"image"}`)
		}
		content = append(append(content, raw...), ',')
	}
	if t.images > images { // decode the rest without their bytes
		content[len(content)-1] = ']'
		message, _ := jsonl.Lookup(l.Raw, "message")
		l.Raw = jsonl.Set(l.Raw, "message", jsonl.Set(message, "content", content))
	}
}

// label returns the label of an entry as it may be shown, or "".
func (d *Document) label(id string) string {
	if d.Excerpt || id == "" {
		return ""
	}
	label := d.View.Label(id)
	if label == "" {
		return ""
	}
	return d.Name(label)
}

// Outline is like Render, but returns a part without HTML, only for the index.
func (d *Document) Outline(ctx context.Context, r Range) (*Part, error) {
	p, err := d.Render(ctx, r, nil)
	if err == nil {
		p.HTML = nil
	}
	return p, err
}

// Render renders a range and appends its HTML to dst. It does not modify the
// document and may be called concurrently.
func (d *Document) Render(ctx context.Context, r Range, dst []byte) (*Part, error) {
	part := &Part{Range: r, HTML: dst}
	for k := r.From; k < r.To; k++ {
		if k > r.From {
			part.HTML = append(part.HTML, Separator...)
		}
		t, err := d.turn(ctx, k)
		if err != nil {
			return nil, err
		}
		w := d.writer(k, t, d.Choice)
		w.b = part.HTML
		w.stretch(k)
		part.HTML = w.b
		part.facts = append(part.facts, d.factsOf(k, w))
		switch {
		case !d.onPath[k] || !d.NoScript:
		case k < d.from:
			part.left++
		default:
			short := d.Choice
			short.Most, short.Brief = d.cut, d.Brief
			plain := d.writer(k, t, short)
			plain.b = part.plain
			plain.stretch(k)
			part.plain = plain.b
		}
	}
	return part, nil
}

// turn reads a stretch. The first one of a long turn knows the cost and the time
// of the others.
func (d *Document) turn(ctx context.Context, k int) (*Turn, error) {
	t, err := d.Turn(ctx, d.stretches[k].entries)
	if err != nil {
		return nil, err
	}
	t.More = d.stretches[k].more
	for next := d.continued(k); next > 0 && !t.More; next = d.continued(next) {
		rest, err := d.Turn(ctx, d.stretches[next].entries)
		if err != nil {
			return nil, err
		}
		t.Spent, t.Until, t.Model = t.Spent.Plus(rest.Spent), rest.Until, cmp.Or(t.Model, rest.Model)
	}
	return t, nil
}

// continued returns the stretch that continues a long turn, or 0.
func (d *Document) continued(k int) int {
	for next := k + 1; next < len(d.stretches); next++ {
		if s := &d.stretches[next]; s.parent == k {
			if s.more {
				return next
			}
			return 0
		}
	}
	return 0
}

func (d *Document) writer(k int, t *Turn, c Choice) *writer {
	entries := d.stretches[k].entries
	n := 0
	return &writer{Choice: c, Turn: t, used: map[int]int{}, shown: map[string]int{}, entry: func(it inspect.Item) int {
		for at := n; at < len(entries); at++ { // items are in the order of their entries
			if d.View.At(entries[at]).ID == string(it.EntryID) {
				n = at
				break
			}
		}
		return n
	}}
}

// stretch writes a stretch as a section.
func (w *writer) stretch(k int) {
	class := "turn"
	if w.More {
		class += " more"
	}
	before := len(w.b)
	w.raw(`<section class="`, class, `">`)
	start := len(w.b)
	w.turn()
	if len(w.b) == start { // nothing is shown
		w.b = w.b[:before]
		return
	}
	w.raw("</section>\n")
}

// Opening returns the HTML of the first turns of the path, with long outputs
// cut, for a page that must show something before everything was read.
func (d *Document) Opening(ctx context.Context, most int) ([]byte, error) {
	var html []byte
	n := 0
	for k := range d.stretches {
		if !d.onPath[k] {
			continue
		}
		if n += len(d.stretches[k].entries); n > most && len(html) > 0 {
			break
		}
		entries := d.stretches[k].entries
		t, err := d.Turn(ctx, entries[:min(len(entries), most)])
		if err != nil {
			return nil, err
		}
		t.More = d.stretches[k].more
		w := d.writer(k, t, Choice{Only: d.Choice.Only, Most: 2000})
		w.b = html
		w.stretch(k)
		html = w.b
	}
	return html, nil
}

// Add adds a part to the index, facts and plain text. Parts must be added in
// order.
func (d *Document) Add(p *Part) {
	for i := range p.facts {
		d.add(p.From+i, &p.facts[i])
	}
	d.Index.Firsts = append(d.Index.Firsts, p.From)
	d.Left += p.left
	d.Plain.Write(p.plain)
}

// budget decides how much the plain part contains, and at which stretch it
// starts, so that it stays small compared to the whole.
func (d *Document) budget() {
	total := 0
	for _, i := range d.Wanted {
		total += d.View.At(i).Size
	}
	room := min(max(total/plainShare, leastPlain), mostPlain)
	size := func(cut int) (n int) {
		for _, pos := range d.Path {
			e := d.View.At(pos)
			if n += min(e.Size, cut) + markup; e.Role == format.RoleUser {
				n += listed
			}
		}
		return n
	}
	if size(1<<40) <= room {
		return
	}
	for d.cut = 64 << 10; d.cut > shortest && size(d.cut) > room; d.cut /= 2 {
	}
	d.Brief = d.cut <= shortest
	used := 0
	for k := len(d.stretches) - 1; k >= 0; k-- {
		if !d.onPath[k] {
			continue
		}
		for _, pos := range d.stretches[k].entries {
			if e := d.View.At(pos); !d.Brief || e.Role != format.RoleToolResult {
				used += min(e.Size, d.cut) + markup
			}
		}
		if used > 2*mostPlain {
			d.from = k + 1
			return
		}
	}
}

// whole reports whether the page contains all of the path before its script
// runs.
func (d *Document) whole() bool { return d.NoScript && d.cut == 0 && d.Left == 0 }

// Short returns a note about the parts of a document that can be read only with
// scripts, or "".
func (d *Document) Short() string {
	var left []string
	if d.Brief {
		left = append(left, "tool output")
	}
	if d.Left > 0 {
		left = append(left, Count(int64(d.Left), "earlier turn"))
	}
	if len(left) == 0 {
		return ""
	}
	return "This is a long session. Without scripts this page omits " + strings.Join(left, " and ") + "."
}

// worked returns how long the agent worked on the path: the times between
// entries, without those that it waited for the user.
func worked(v *pith.View, path []int) (first, last time.Time, work time.Duration) {
	for _, pos := range path {
		e := v.At(pos)
		if e.Time.IsZero() || !isTalk(&e) {
			continue
		}
		if first.IsZero() {
			first = e.Time
		}
		if e.Role != format.RoleUser && !last.IsZero() && e.Time.After(last) {
			work += e.Time.Sub(last)
		}
		last = e.Time
	}
	return first, last, work
}

// Later returns the document of a later view of the same session, and its first
// stretch that this one does not have in the same form. What is known of the
// stretches before it is taken over; the others are still to be added.
func (d *Document) Later(v *pith.View, path []int) (*Document, int) {
	s := d.Source
	s.View, s.Path, s.Wanted = v, path, All(v)
	now := NewDocument(s)
	from := 0
	for from < min(len(d.kept), len(now.stretches)) && now.keeps(from, d) {
		now.add(from, &d.kept[from])
		from++
	}
	return now, from
}

// keeps reports whether a stretch is the same as in an earlier document, with
// the same labels.
func (d *Document) keeps(k int, was *Document) bool {
	a, b := &d.stretches[k], &was.stretches[k]
	if a.parent != b.parent || a.more != b.more || !slices.Equal(a.entries, b.entries) {
		return false
	}
	for n, pos := range a.entries {
		if OneLine(d.label(d.View.At(pos).ID), mostOfLine) != was.kept[k].Labels[n] {
			return false
		}
	}
	return true
}

// Head returns what is known of a session before all of it was read: the end of
// its path, and facts that the caller has.
func (d *Document) Head(ctx context.Context, request, model string, spent format.Spent) (*Document, error) {
	now := *d
	now.Facts.Request, now.Facts.Model, now.Facts.Spent = request, model, spent
	if d.Index.Leaf < 0 {
		return &now, nil
	}
	entries := d.stretches[d.Index.Leaf].entries
	t, err := d.Turn(ctx, entries[max(0, len(entries)-6):])
	if err != nil {
		return nil, err
	}
	var f stretchFacts
	for i := range t.Items {
		f.tell(&t.Items[i], 0, d)
	}
	now.Facts.Outcome, now.Facts.Failed = f.outcome, f.failed
	return &now, nil
}
