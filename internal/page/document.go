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
	// partSize is the approximate number of bytes of lines in one part: a
	// browser unpacks one to show an entry, and all of them to search.
	partSize = 256 << 10
	// plainShare and the limits next to it determine how much of a session is
	// in the page as plain HTML: all of a small one, the starts of outputs, or
	// only the conversation of a large one. The parts contain all of it.
	plainShare, leastPlain, mostPlain = 6, 64 << 10, 3 << 20
	// shortest is the minimum length of an output worth showing, and markup the
	// approximate number of bytes of HTML around an entry.
	shortest, markup = 400, 300
)

// A Source provides the entries of a page.
type Source struct {
	View   *pith.View
	Path   []int // the positions that the page shows first, in order
	Wanted []int // all positions in the page, in file order
	Choice Choice
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

// A Document is a session as a page: the facts about all entries in the page's
// index, and the HTML of each, made part by part.
type Document struct {
	Source
	Index Index
	Facts Facts
	Plain bytes.Buffer // HTML of the path, long outputs cut; empty unless NoScript is set
	Left  int          // entries of the path that are missing in Plain
	Brief bool         // Plain contains only the conversation

	readers   *sync.Pool // readers of the view, for concurrent rendering
	onPath    []bool     // by position in the file
	place     []int32    // position in the file to position in the page; -1 for none
	cut       int        // maximum length of a text in the plain part; 0 means no limit
	from      int        // the first entry in the plain part
	compacted bool       // a compaction precedes the next response of the path
	kinds     strings.Builder
	prompt    string      // the first user message
	before    map[int]int // of an excerpt: the entry before another, by position in the page
}

// NewDocument starts a page. Nothing is read yet.
func NewDocument(s Source) *Document {
	if s.Name == nil {
		s.Name = func(text string) string { return text }
	}
	if !s.Excerpt {
		s.Path = withoutMarkers(s.View, s.Path)
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
	if s.Excerpt {
		d.Index.Excerpt, d.before = true, make(map[int]int, len(s.Path))
		for k := 1; k < len(s.Path); k++ {
			d.before[int(d.place[s.Path[k]])] = int(d.place[s.Path[k-1]])
		}
	}
	if s.NoScript {
		d.budget()
	}
	return d
}

// withoutMarkers returns a path without the entries at its end that only record
// which entry is the current one.
func withoutMarkers(v *pith.View, path []int) []int {
	for n := len(path); n > 0; n-- {
		pos := path[n-1]
		if v.At(pos).Type != format.TypeCustom {
			return path[:n]
		}
		if e, err := v.Entry(pos); err != nil || !isMarker(e) {
			return path[:n]
		}
	}
	return path
}

func isMarker(e format.Entry) bool {
	c, ok := e.(*format.Custom)
	return ok && c.CustomType == format.LeafCustomType
}

// Parts splits the entries into ranges that are rendered separately. A range
// does not start with a tool result, which is described by the call before it.
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

// A Range is a range of consecutive entries of a page.
type Range struct{ From, To int }

// A Part is a rendered range.
type Part struct {
	Range
	HTML       []byte // of the entries, with a Separator between two
	entryFacts []indexFacts
	plain      []byte
	left       int
}

// Separator separates the HTML of two entries. It does not occur in text, where
// it is replaced by a visible symbol.
const Separator = "\x1e"

// Entries reads the entries at positions as they may be shown. An entry is
// valid until the next iteration. An error is yielded once and ends the
// sequence.
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

// Entries decodes lines after passing them through line. A line that is not an
// entry any more is yielded as an unknown one.
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

// Outline is like Render, but returns a part without HTML, only for the index.
func (d *Document) Outline(ctx context.Context, r Range) (*Part, error) {
	return d.read(ctx, &Part{Range: r}, func(int, format.Entry) {})
}

// Render renders a range and appends its HTML to dst. It does not modify the
// document and may be called concurrently.
func (d *Document) Render(ctx context.Context, r Range, dst []byte) (*Part, error) {
	part := &Part{Range: r, HTML: dst}
	return d.read(ctx, part, func(n int, e format.Entry) {
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
			short.Most, short.NoEvents, short.Brief = d.cut, true, d.Brief
			part.plain = short.Entry(part.plain, e, mark)
		}
	})
}

// read adds the facts about the entries of a part, and calls add with each entry
// and its position in the page.
func (d *Document) read(ctx context.Context, part *Part, add func(n int, e format.Entry)) (*Part, error) {
	part.entryFacts = make([]indexFacts, 0, part.To-part.From)
	lines := Lines{choice: d.Choice}
	n := part.From
	for e, err := range d.Entries(ctx, d.Wanted[part.From:part.To]) {
		if err != nil {
			return nil, err
		}
		part.addFacts(e, &lines)
		add(n, e)
		n++
	}
	return part, nil
}

// mark returns the facts about the entry at a position that are not in its
// line.
func (d *Document) mark(pos int) Mark {
	n := int(d.place[pos])
	return Mark{Index: n, Label: d.label(d.View.At(pos).ID), Leaf: n == d.Index.Leaf && !d.Excerpt}
}

// label returns the label of an entry as it may be shown, or "".
func (d *Document) label(id string) string {
	label := d.View.Label(id)
	if label == "" || d.Excerpt {
		return ""
	}
	return d.Name(label)
}

// Grow replaces the view by a later one of the same session, in which entries
// were only added. It returns the range of the new entries, which are still to
// be rendered and added.
func (d *Document) Grow(v *pith.View, path []int) Range {
	r := Range{From: len(d.Wanted)}
	path = withoutMarkers(v, path)
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

// Opening returns the HTML of the first entries of the path, with long outputs
// cut, for a page that must show something before everything was read.
func (d *Document) Opening(ctx context.Context, most int) ([]byte, error) {
	var html []byte
	short := d.Choice
	short.Most, short.NoEvents = 2000, true
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

// Add adds a part to the index, facts and plain text. Parts must be added in
// order.
func (d *Document) Add(p *Part) {
	for k, t := range p.entryFacts {
		d.kinds.WriteByte(t.kind)
		d.add(p.From+k, t)
	}
	d.Index.Kinds = d.kinds.String()
	d.Index.Firsts = append(d.Index.Firsts, p.From)
	d.Left += p.left
	d.Plain.Write(p.plain)
}

// budget decides how much the plain part contains, and at which entry it
// starts, so that it stays small compared to the whole.
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
