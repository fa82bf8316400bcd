package doctor

import (
	"bytes"
	"context"
	"fmt"
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
	// changed is set once out differs from the stretch.
	changed bool
}

// cleanGaps computes the replacements of dirty gaps, and records the links of
// records lost in them.
func (d *diagnosis) cleanGaps(dirty map[int]bool) error {
	d.changeSet.gaps = make(map[int][]byte, len(dirty))
	d.lost = make(map[string]string)
	for _, k := range slices.Sorted(maps.Keys(dirty)) {
		_, from := d.now.record(k - 1)
		to, _ := d.now.record(k)
		g := gap{diagnosis: d, from: from, first: k == 0, last: k > d.now.state.Len()}
		if err := g.clean(to); err != nil {
			return err
		}
		if g.changed {
			d.changeSet.gaps[k] = g.out
		}
	}
	return nil
}

// clean goes through the pieces of the stretch, which ends at to. The first one ends
// the line of the record before, the last one begins that of the record behind, and
// those between are lines of their own.
func (g *gap) clean(to int64) error {
	n := 0
	var lines jsonl.Lines
	_, err := lines.Each(context.Background(), g.now.r, g.from, to, func(l *jsonl.Line) error {
		n++
		return g.line(l, n == 1)
	})
	if err == nil && n == 0 {
		err = g.line(&jsonl.Line{At: g.from}, true)
	}
	return err
}

// line takes the next piece of the stretch.
func (g *gap) line(l *jsonl.Line, first bool) error {
	nul := NulBytes
	if first && !g.first || !l.Ended && !g.last {
		nul = Padded
	}
	kept, err := g.piece(l, nul)
	switch {
	case first && !g.first:
		g.endOfLine(!l.Ended)
	case kept && l.Ended:
		g.out = append(g.out, '\n')
	case kept && g.last && len(l.Data) > 0 && g.opt.wants(NoNewline):
		g.out, g.changed = append(g.out, '\n'), true
	}
	return err
}

// endOfLine ends the line of the previous record. missing means that the file
// has no line end there.
func (g *gap) endOfLine(missing bool) {
	switch {
	case !missing:
		g.out = append(g.out, '\n')
	case g.last && g.opt.wants(NoNewline), !g.last && g.opt.wants(Fused):
		g.out, g.changed = append(g.out, '\n'), true
	}
}

// piece keeps white space, title slots and what is not to be repaired, and
// reports whether it was kept. nul is the fault that NUL bytes are there.
func (g *gap) piece(l *jsonl.Line, nul Code) (kept bool, err error) {
	p, size := l.Data, l.Size
	if l.Ended {
		size--
	}
	if l.TooLong {
		if p, err = g.now.bytes(l.At, sampled); err != nil {
			return false, err
		}
	}
	junk := len(bytes.Trim(p, " \t\r")) > 0
	if junk && !g.isSlot(p) {
		g.remember(p)
		if g.opt.wants(g.codeOf(p, l.At, l.At+size, nul)) || g.isCopy(l.At) {
			g.changed = true
			return false, nil
		}
	}
	if l.TooLong {
		return false, fmt.Errorf("the line of %d MB at byte %d cannot be copied; repair it too", size>>20, l.At)
	}
	g.out = append(g.out, p...)
	return true, nil
}

// isSlot reports whether p is oh-my-pi's title slot, which precedes the header.
func (g *gap) isSlot(p []byte) bool {
	return g.first && jsonl.Valid(p) && format.ClassifyFirst(p) == format.FirstTitleSlot
}

// isCopy reports whether at is the offset of the header that was moved to the
// start.
func (g *gap) isCopy(at int64) bool {
	return g.made != nil && g.movedAt >= 0 && g.changeSet.migrate && g.now == g.was && at-int64(len(g.made)) == g.movedAt
}

// codeOf is the kind of fault that a piece is.
func (g *gap) codeOf(p []byte, at, end int64, nul Code) Code {
	if len(bytes.Trim(p, "\x00 \t\r")) == 0 {
		return nul
	}
	faults := g.now.state.Faults
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
