package corpus

import (
	"io"
	"math"
)

// A step is one entry of the current path.
type step struct {
	id     entryID
	result bool // a tool result, which must not be separated from its call
}

// A generator writes one session. It keeps the path from the root to the leaf,
// to which later entries refer.
type generator struct {
	o     Options
	r     *random
	pools [4]pool
	out   *output

	now     int64 // milliseconds
	counter uint32
	key     uint32
	entries int

	path   []step
	turns  []int // path positions of user messages since the last compaction
	calls  []call
	model  model
	tokens int // in the context

	sinceCompaction int
	branches        schedule
	labels          schedule
	named           bool
}

func newGenerator(w io.Writer, o Options) *generator {
	r := &random{state: mix64(o.Seed)}
	expected := o.expectedEntries()
	return &generator{
		o:        o,
		r:        r,
		pools:    pools(),
		out:      &output{w: w, buf: make([]byte, 0, flushAt+flushAt/2)},
		now:      o.Start.UnixMilli(),
		key:      uint32(r.next()),
		model:    models[0],
		tokens:   9000,
		branches: newSchedule(o.Branches, expected),
		labels:   newSchedule(o.Labels, expected),
	}
}

// A schedule spreads a number of events evenly over the entries.
type schedule struct{ left, next, every int }

func newSchedule(events, entries int) schedule {
	every := max(1, entries/(events+1))
	return schedule{left: events, next: every, every: every}
}

// due reports whether the next event is due, and consumes it.
func (s *schedule) due(entries int) bool {
	if s.left == 0 || entries < s.next {
		return false
	}
	s.left--
	s.next += s.every
	return true
}

// room returns the number of entries that may still be written.
func (g *generator) room() int {
	if g.o.Bytes > 0 && g.out.size >= g.o.Bytes {
		return 0
	}
	if g.o.Entries == 0 {
		return math.MaxInt
	}
	return g.o.Entries - g.entries
}

func (g *generator) leaf() position {
	if len(g.path) == 0 {
		return position{}
	}
	return position{g.path[len(g.path)-1].id, true}
}

func (g *generator) header() {
	out := g.out
	out.text(`{"type":"session","version":3,"id":`)
	out.quoted(g.o.ID)
	out.text(`,"timestamp":`)
	out.time(g.now)
	out.text(`,"cwd":`)
	out.quoted(g.o.Cwd)
	if g.o.ParentSession != "" {
		out.text(`,"parentSession":`)
		out.quoted(g.o.ParentSession)
	}
	out.endLine()
}

// wait advances the clock.
func (g *generator) wait(minMS, maxMS int) { g.now += int64(g.r.between(minMS, maxMS)) }

// envelope writes the fields that place a new entry in the tree, and makes it
// the leaf.
func (g *generator) envelope() {
	id := shuffled(g.counter, g.key)
	out := g.out
	out.text(`"id":`)
	out.id(id)
	out.text(`,"parentId":`)
	out.parent(g.leaf())
	out.text(`,"timestamp":`)
	out.time(g.now)
	g.counter++
	g.entries++
	g.sinceCompaction++
	g.path = append(g.path, step{id: id})
}

// begin starts an entry with its type, followed by its envelope.
func (g *generator) begin(entryType string) {
	g.out.text(`{"type":"`)
	g.out.text(entryType)
	g.out.text(`",`)
	g.envelope()
}

// fill writes text until the line has about the given length; more is the
// number of bytes that follow the text.
func (g *generator) fill(k kind, lineLength, more int) {
	g.body(k, lineLength-more-g.out.lineLength())
}

// body writes about size bytes of text.
func (g *generator) body(k kind, size int) {
	g.out.buf = g.pools[k].fill(g.out.buf, g.r, size)
}

const (
	base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	base62Digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// digits writes n random characters of an alphabet of 62 or 64.
func (g *generator) digits(alphabet string, n int) {
	for n > 0 {
		for bits, k := g.r.next(), min(n, 10); k > 0; k-- {
			g.out.buf = append(g.out.buf, alphabet[bits&63%uint64(len(alphabet))])
			bits >>= 6
			n--
		}
	}
}
