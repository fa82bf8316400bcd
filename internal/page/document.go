package page

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

const (
	// partSize is about how many bytes of lines one part is made of: a browser
	// unpacks one to show an entry, all of them to search.
	partSize = 256 << 10
	// plainShare and the limits beside it say how much of a session stands in the
	// page as plain HTML: everything of a small one, the beginnings of outputs, or
	// only what was said, of a large one. The parts hold all of it.
	plainShare, leastPlain, mostPlain = 6, 64 << 10, 3 << 20
	// shortest is how much of an output is worth telling, and markup about how many
	// bytes of HTML stand around what an entry says.
	shortest, markup = 400, 300
)

// A Source is where a page's entries come from.
type Source struct {
	View   *pith.View
	Path   []int // the positions that the page shows first, in order
	Wanted []int // all positions that it holds, in file order
	Choice Choice
	// Line is the line of an entry as it may be shown; nil leaves it as it is.
	// Goroutines call it side by side. It must not change what it gets.
	Line func(pos int, line []byte) []byte
	// Name is a label or an id as it may be shown; nil leaves it as it is.
	Name func(string) string
	// NoScript means that the path must be readable without a script, as Plain.
	NoScript bool
}

// A Document is a session as a page: what all of its entries are in the page's
// index, and the HTML of each, made part by part.
type Document struct {
	Source
	Index Index
	Facts Facts
	Plain bytes.Buffer // HTML of the path, long outputs cut; empty unless NoScript is set
	Left  int          // entries of the path that Plain leaves out
	Brief bool         // Plain tells only what was said

	readers   *sync.Pool // of the view, for whoever renders
	onPath    []bool     // by position in the file
	place     []int32    // position in the file to position in the page; -1 for none
	cut       int        // how long a text may be in the plain part; 0 means any
	from      int        // the first entry that the plain part tells
	compacted bool       // a compaction waits for the next answer of the path
	kinds     strings.Builder
	prompt    string // the first thing that the user said
}

// NewDocument begins a page. Nothing is read yet.
func NewDocument(s Source) *Document {
	if s.Name == nil {
		s.Name = func(text string) string { return text }
	}
	d := &Document{Source: s, readers: new(sync.Pool), onPath: make([]bool, s.View.Len()), place: slices.Repeat([]int32{-1}, s.View.Len()),
		Index: Index{IDs: []string{}, Parents: []int{}, Texts: []string{}, Firsts: []int{}, Labels: map[int]string{}, Kept: map[int]int{}, Hidden: map[int]int{}, Leaf: -1}}
	for n, i := range s.Wanted {
		d.place[i] = int32(n)
	}
	for _, i := range s.Path {
		d.onPath[i] = true
	}
	if len(s.Path) > 0 {
		d.Index.Leaf = int(d.place[s.Path[len(s.Path)-1]])
	}
	if s.NoScript {
		d.budget()
	}
	return d
}

// Parts are the entries in pieces, each rendered as a whole: where each begins in
// the page, and where it ends. A piece does not begin with the result of a tool,
// which is told by the call before it.
func (d *Document) Parts() []Range {
	var parts []Range
	size, from := 0, 0
	for n, i := range d.Wanted {
		e := d.View.At(i)
		if size >= partSize && e.Role != format.RoleToolResult {
			parts = append(parts, Range{from, n})
			size, from = 0, n
		}
		size += e.Size
	}
	if from < len(d.Wanted) {
		parts = append(parts, Range{from, len(d.Wanted)})
	}
	return parts
}

// A Range is some entries of a page that follow each other.
type Range struct{ From, To int }

// A Part is what comes of rendering a range.
type Part struct {
	Range
	HTML  []byte // of the entries, with a Separator between two
	told  []told
	plain []byte
	left  int
}

// Separator stands between the HTML of two entries. No text holds it: where one did,
// the sign for it is shown.
const Separator = "\x1e"

// Entries reads the entries at positions as they may be shown. What one holds stays
// valid until the next one is taken. An error comes once, last.
func (d *Document) Entries(ctx context.Context, positions []int) iter.Seq2[format.Entry, error] {
	return func(yield func(format.Entry, error) bool) {
		reader, _ := d.readers.Get().(*pith.Reader)
		if reader == nil {
			reader = d.View.Reader()
		}
		defer d.readers.Put(reader)
		Entries(ctx, reader.LinesAt(positions), d.Line)(yield)
	}
}

// Entries decodes lines, as line says that they may be shown. A line that is no entry
// any more is told as an unknown one.
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

// Outline is Render for the index alone: a part without HTML.
func (d *Document) Outline(ctx context.Context, r Range) (*Part, error) {
	part := &Part{Range: r, told: make([]told, 0, r.To-r.From)}
	lines := Lines{choice: d.Choice}
	for e, err := range d.Entries(ctx, d.Wanted[r.From:r.To]) {
		if err != nil {
			return nil, err
		}
		part.tell(e, &lines)
	}
	return part, nil
}

// Render renders a range and appends its HTML to dst. It changes nothing of the
// document: goroutines may render side by side.
func (d *Document) Render(ctx context.Context, r Range, dst []byte) (*Part, error) {
	part := &Part{Range: r, HTML: dst, told: make([]told, 0, r.To-r.From)}
	lines := Lines{choice: d.Choice}
	n := r.From
	for e, err := range d.Entries(ctx, d.Wanted[r.From:r.To]) {
		if err != nil {
			return nil, err
		}
		part.tell(e, &lines)
		if n > r.From {
			part.HTML = append(part.HTML, Separator...)
		}
		i, from := d.Wanted[n], len(part.HTML)
		mark := d.mark(i)
		part.HTML = d.Choice.Entry(part.HTML, e, mark)
		switch {
		case !d.onPath[i] || !d.NoScript:
		case n < d.from:
			part.left++
		case d.cut == 0:
			part.plain = append(part.plain, part.HTML[from:]...)
		default:
			short := d.Choice
			short.Most, short.Talk, short.Brief = d.cut, true, d.Brief
			part.plain = short.Entry(part.plain, e, mark)
		}
		n++
	}
	return part, nil
}

// mark is what is known about the entry at a position beside its line.
func (d *Document) mark(pos int) Mark {
	n := int(d.place[pos])
	label := d.View.Label(d.View.At(pos).ID)
	if label != "" {
		label = d.Name(label)
	}
	return Mark{Index: n, Label: label, Leaf: n == d.Index.Leaf}
}

// Grow brings the document to a later view of its session, in which entries were only
// added. It returns the range of the new ones, which wait to be rendered and added.
func (d *Document) Grow(v *pith.View, path []int) Range {
	r := Range{From: len(d.Wanted)}
	d.View, d.Path, d.readers = v, path, new(sync.Pool)
	for i := len(d.Wanted); i < v.Len(); i++ {
		d.place = append(d.place, int32(i))
		d.Wanted = append(d.Wanted, i)
	}
	d.onPath = make([]bool, v.Len())
	for _, i := range path {
		d.onPath[i] = true
	}
	if len(path) > 0 {
		d.Index.Leaf = int(d.place[path[len(path)-1]])
	}
	r.To = len(d.Wanted)
	return r
}

// Opening is the HTML of the first entries of the path, long outputs cut, for a page
// that must show something before all of it was read.
func (d *Document) Opening(ctx context.Context, most int) ([]byte, error) {
	var html []byte
	short := d.Choice
	short.Most, short.Talk = 2000, true
	n := 0
	for e, err := range d.Entries(ctx, d.Path[:min(most, len(d.Path))]) {
		if err != nil {
			return nil, err
		}
		html = short.Entry(html, e, d.mark(d.Path[n]))
		n++
	}
	return html, nil
}

// Add takes a part into index, facts and plain text. Parts must come in order.
func (d *Document) Add(p *Part) {
	for k, t := range p.told {
		d.kinds.WriteByte(t.kind)
		d.add(p.From+k, t)
	}
	d.Index.Kinds = d.kinds.String()
	d.Index.Firsts = append(d.Index.Firsts, p.From)
	d.Left += p.left
	d.Plain.Write(p.plain)
}

// budget decides how much the plain part tells, and at which entry it begins, so
// that it stays small beside the whole.
func (d *Document) budget() {
	total := 0
	for _, i := range d.Wanted {
		total += d.View.At(i).Size
	}
	room := min(max(total/plainShare, leastPlain), mostPlain)
	sizes := make([]int, len(d.Path))
	for k, i := range d.Path {
		sizes[k] = d.View.At(i).Size
	}
	size := func(cut int) (n int) {
		for _, size := range sizes {
			n += min(size, cut) + markup
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
	for k := len(d.Path) - 1; k >= 0; k-- {
		e := d.View.At(d.Path[k])
		if !d.Brief || e.Role != format.RoleToolResult {
			used += min(e.Size, d.cut) + markup
		}
		if used > 2*mostPlain {
			d.from = int(d.place[d.Path[k]]) + 1
			return
		}
	}
}
