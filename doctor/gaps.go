package doctor

import (
	"bytes"
	"maps"
	"slices"
	"sort"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A gap is the range between two records: one line end in an intact file.
type gap struct {
	*diagnosis
	from  int64
	first bool // no record precedes it
	last  bool // no record follows it
	out   []byte
}

// cleanGaps computes the replacements of dirty gaps, and records the links of
// records lost in them.
func (d *diagnosis) cleanGaps(dirty map[int]bool) error {
	d.cure.gaps = make(map[int][]byte, len(dirty))
	d.lost = make(map[string]string)
	for _, k := range slices.Sorted(maps.Keys(dirty)) {
		_, from := d.record(k - 1)
		to, _ := d.record(k)
		raw, err := d.now.bytes(from, int(to-from))
		if err != nil {
			return err
		}
		g := gap{diagnosis: d, from: from, first: k == 0, last: k > len(d.entries())}
		g.clean(raw)
		if !bytes.Equal(g.out, raw) {
			d.cure.gaps[k] = g.out
		}
	}
	return nil
}

// clean processes the pieces of the gap. The first one ends the line of the
// previous record, the last one starts that of the next record, and those in
// between are separate lines.
func (g *gap) clean(raw []byte) {
	pieces := bytes.Split(raw, []byte{'\n'})
	at, final := g.from, len(pieces)-1
	for n, p := range pieces {
		switch {
		case n == 0 && !g.first:
			g.piece(p, at, Padded)
			g.endOfLine(final == 0)
		case n == final:
			beside := Padded
			if g.last {
				beside = NulBytes
			}
			if g.piece(p, at, beside) && g.last && len(p) > 0 && g.opt.wants(NoNewline) {
				g.out = append(g.out, '\n')
			}
		default:
			if g.piece(p, at, NulBytes) {
				g.out = append(g.out, '\n')
			}
		}
		at += int64(len(p)) + 1
	}
}

// endOfLine ends the line of the previous record. missing means that the file
// has no line end there.
func (g *gap) endOfLine(missing bool) {
	switch {
	case !missing,
		g.last && g.opt.wants(NoNewline),
		!g.last && g.opt.wants(Fused):
		g.out = append(g.out, '\n')
	}
}

// piece keeps white space, title slots and faults that are not to be repaired,
// and reports whether it kept p. nul is the code of NUL bytes there.
func (g *gap) piece(p []byte, at int64, nul Code) bool {
	junk := len(bytes.Trim(p, " \t\r")) > 0
	if junk && !g.isSlot(p) {
		g.remember(p)
		if g.opt.wants(g.codeOf(p, at, nul)) || g.isCopy(at) {
			return false
		}
	}
	g.out = append(g.out, p...)
	return true
}

// isSlot reports whether p is oh-my-pi's title slot, which precedes the header.
func (g *gap) isSlot(p []byte) bool {
	return g.first && jsonl.Valid(p) && format.ClassifyFirst(p) == format.FirstTitleSlot
}

// isCopy reports whether at is the offset of the header that was moved to the
// start.
func (g *gap) isCopy(at int64) bool {
	return g.made != nil && g.movedAt >= 0 && g.cure.migrate && g.now == g.was && at-int64(len(g.made)) == g.movedAt
}

// codeOf returns the code of the fault of a piece.
func (g *gap) codeOf(p []byte, at int64, nul Code) Code {
	if len(bytes.Trim(p, "\x00 \t\r")) == 0 {
		return nul
	}
	faults, end := g.now.table.Faults, at+int64(len(p))
	n := sort.Search(len(faults), func(i int) bool { return faults[i].Offset >= at })
	for ; n < len(faults) && faults[n].Offset <= end; n++ {
		switch code := lineCodes[faults[n].Kind]; {
		case code == "" || code == NoID || code == NoMessage || code == NoNewline:
		case code == NoType && faults[n].Entry >= 0: // about an entry, like those above
		default:
			return code
		}
	}
	return Fused
}

// remember records the parent of a lost record, so that its children can be
// attached there.
func (g *gap) remember(p []byte) {
	start := bytes.Index(p, []byte(`{"`))
	if start < 0 {
		return
	}
	var id, parent, typ string
	for key, raw := range jsonl.Members(p[start:]) {
		value, _ := jsonl.String(raw)
		switch name, _ := jsonl.String(key); name {
		case "type":
			typ = value
		case "id":
			id = value
		case "parentId":
			parent = value
		}
	}
	if id != "" && typ != string(format.TypeSession) {
		g.lost[id] = parent
	}
}
