package entrytree

import (
	"cmp"
	"context"
	"hash/maphash"
	"iter"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/parallel"
)

const (
	// entriesAtOnce is the number of entries that one goroutine reads at a time.
	entriesAtOnce = 512
	// mostKept is the number of entries of a session whose lines are kept.
	// Others are read again when they are printed, so that the memory for a
	// session does not grow with its text.
	mostKept = 1 << 16
)

// lines are the descriptions of the entries of a session.
type lines struct {
	view   *pith.View
	path   func(string) string
	most   int              // number of entries whose lines are kept
	kept   []entryline.Line // of the first entries, by position
	wide   bool             // an id of the entries that were read is longer than pi's
	silent []uint64         // bits by position: a response that only carries tool calls
	calls  []callRef        // all tool calls, if not every line is kept
	seed   maphash.Seed
}

// A callRef is a response with a tool call. References are sorted by hash, then
// by position.
type callRef struct {
	hash uint32 // of the call's id
	pos  int32
}

// read reads the entries that decide which rows there are, concurrently: the
// responses, which may be silent and which have the calls that describe tool
// results. Of the first entries it reads all that may be shown.
func (l *lines) read(ctx context.Context, shown func(pos int) bool) error {
	n := l.view.Len()
	l.kept, l.silent, l.seed = make([]entryline.Line, min(n, l.most)), make([]uint64, (n+63)/64), maphash.MakeSeed()
	needed := l.needed(shown)
	d := entryline.NewDescriber(l.path)
	err := parallel.Make(ctx, (n+entriesAtOnce-1)/entriesAtOnce, func() func(int) (piece, error) {
		lines := l.view.Reader()
		return func(i int) (p piece, err error) {
			for pos := i * entriesAtOnce; pos < min(n, (i+1)*entriesAtOnce); pos++ {
				if needed(pos) {
					p.positions = append(p.positions, pos)
				}
			}
			for line, err := range lines.LinesAt(p.positions) {
				if err != nil {
					return p, err
				}
				brief, err := d.Read(&line)
				if err != nil {
					return p, err
				}
				p.briefs = append(p.briefs, brief)
				p.wide = p.wide || len(line.ID) > idLength
			}
			return p, nil
		}
	}, func(_ int, p piece) bool {
		l.wide = l.wide || p.wide
		for i, pos := range p.positions {
			l.take(pos, &p.briefs[i], d)
		}
		return true
	})
	slices.SortFunc(l.calls, func(a, b callRef) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.pos, b.pos)) })
	return err
}

// A piece contains consecutive entries that were read.
type piece struct {
	positions []int
	briefs    []entryline.Brief
	wide      bool
}

// needed returns a function that reports whether an entry must be read before
// the rows are known.
func (l *lines) needed(shown func(pos int) bool) func(pos int) bool {
	results := false                                  // some are shown
	responses := make([]uint64, (l.view.Len()+63)/64) // bits by position
	for pos := range l.view.Len() {
		switch _, role := l.view.Kind(pos); role {
		case format.RoleToolResult:
			results = results || shown(pos)
		case format.RoleAssistant:
			responses[pos/64] |= 1 << (pos % 64)
		}
	}
	return func(pos int) bool {
		if responses[pos/64]>>(pos%64)&1 == 1 {
			return results || shown(pos)
		}
		return pos < l.most && shown(pos)
	}
}

// take adds an entry that was read. Entries come in order.
func (l *lines) take(pos int, b *entryline.Brief, d *entryline.Describer) {
	if b.Silent {
		l.silent[pos/64] |= 1 << (pos % 64)
	}
	if pos < l.most {
		l.kept[pos] = d.Line(b)
	}
	if l.view.Len() <= l.most {
		return
	}
	for id := range b.Calls() {
		l.calls = append(l.calls, callRef{l.hash(id), int32(pos)})
	}
}

func (l *lines) hash(call string) uint32 { return uint32(maphash.String(l.seed, call)) }

func (l *lines) isSilent(pos int) bool { return l.silent[pos/64]>>(pos%64)&1 == 1 }

// callers returns the responses that may have the call of a result, the last
// one first.
func (l *lines) callers(call string, result int) []callRef {
	want := callRef{l.hash(call), int32(result)}
	find := func(pos int32) int {
		i, _ := slices.BinarySearchFunc(l.calls, callRef{want.hash, pos}, func(a, b callRef) int {
			return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.pos, b.pos))
		})
		return i
	}
	list := slices.Clone(l.calls[find(0):find(want.pos)])
	slices.Reverse(list)
	return list
}

// A lineReader returns the lines of rows. It is not safe for concurrent use.
type lineReader struct {
	*lines
	d                  *entryline.Describer
	entries, responses *pith.Reader
	list               []entryline.Line
	positions, unread  []int           // of the lines that are not kept: positions, and indexes in list
	caller             entryline.Brief // the response that was read last
	callerPos          int             // its position, or -1
}

func (l *lines) reader() *lineReader {
	return &lineReader{lines: l, d: entryline.NewDescriber(l.path), entries: l.view.Reader(), responses: l.view.Reader(), callerPos: -1}
}

// describe returns the lines of rows. They are valid until the next call.
func (r *lineReader) describe(rows iter.Seq2[int, outline.Row]) ([]entryline.Line, error) {
	r.list, r.positions = r.list[:0], r.positions[:0]
	r.unread = r.unread[:0]
	for _, row := range rows {
		if row.Pos < len(r.kept) {
			r.list = append(r.list, r.kept[row.Pos])
			continue
		}
		r.unread = append(r.unread, len(r.list))
		r.list = append(r.list, entryline.Line{})
		r.positions = append(r.positions, row.Pos)
	}
	k := 0
	for line, err := range r.entries.LinesAt(r.positions) {
		if err != nil {
			return nil, err
		}
		if r.list[r.unread[k]], err = r.line(&line); err != nil {
			return nil, err
		}
		k++
	}
	return r.list, nil
}

// line returns the line of an entry. A tool result is described by the last
// call with its id before it in the file.
func (r *lineReader) line(line *pith.Line) (out entryline.Line, err error) {
	b, err := r.d.Read(line)
	if err != nil {
		return out, err
	}
	out = b.Line(func(call string) (text string, known bool) {
		for _, c := range r.callers(call, line.Pos) {
			if err = r.readCaller(int(c.pos)); err != nil {
				return "", false
			}
			for id, description := range r.caller.Calls() {
				if id == call {
					text, known = description, true
				}
			}
			if known {
				return text, true
			}
		}
		return "", false
	})
	return out, err
}

// readCaller reads a response for its calls.
func (r *lineReader) readCaller(pos int) error {
	if pos == r.callerPos {
		return nil
	}
	line, err := r.responses.Line(pos)
	if err != nil {
		return err
	}
	r.caller, err = r.d.Read(&line)
	r.callerPos = pos
	return err
}
