package doctor

import (
	"bytes"
	"slices"
	"sort"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
)

var lineCodes = map[journal.FaultKind]Code{
	journal.FaultMalformed: Malformed, journal.FaultTorn: Torn, journal.FaultNoNewline: NoNewline, journal.FaultFused: Fused,
	journal.FaultPadded: Padded, journal.FaultNotObject: NotObject, journal.FaultNoType: NoType, journal.FaultExtraHeader: ExtraHead,
	journal.FaultBOM: BOM, journal.FaultEarlyLine: EarlyLine, journal.FaultNoMessage: NoMessage, journal.FaultNoID: NoID,
	journal.FaultTooLong: TooLong,
}

var lineTexts = map[Code]string{
	Malformed: "a line that is not JSON", Torn: "the last line is torn", NoNewline: "the last line has no newline",
	Fused: "several entries, or parts of them, on one line", Padded: "NUL bytes around an entry", NotObject: "a JSON value that is not an object",
	NoType: "an object without a type", ExtraHead: "another session header", BOM: "a byte order mark before the header",
	EarlyLine: "an unreadable line before the header", NulBytes: "only NUL bytes", TooLong: "a line over 256 MB",
}

// checkLines turns faults of lines into findings, and cleans the gaps between
// records where they occur.
func (d *diagnosis) checkLines() error {
	dirty := map[int]bool{}
	for _, f := range d.was.state.Faults {
		switch f.Kind {
		case journal.FaultBadTime: // reported with the bodies, which may contain the correct time
		case journal.FaultNoID:
			d.checkNoID(f)
		case journal.FaultNoMessage:
			d.checkNoMessage(f)
		case journal.FaultNoType:
			d.checkNoType(f, dirty)
		default:
			code, err := d.lineCode(f)
			if err != nil {
				return err
			}
			if d.isMoved(f) || d.at(code, f.Line, f.Offset, lineTexts[code]) {
				d.markDirty(dirty, f.Line)
			}
		}
	}
	d.checkBlankEnd(dirty)
	return d.cleanGaps(dirty)
}

// checkBlankEnd finds a last line of white space without a line end. pith
// accepts it, but pi writes to such a file when it opens it.
func (d *diagnosis) checkBlankEnd(dirty map[int]bool) {
	t := d.was.state
	isNoNewline := func(f journal.Fault) bool { return f.Kind == journal.FaultNoNewline }
	if t.Tail != journal.TailNoNewline || slices.ContainsFunc(t.Faults, isNoNewline) {
		return
	}
	if d.at(NoNewline, t.Lines, d.was.size, lineTexts[NoNewline]) {
		dirty[t.Len()+1] = true
	}
}

// lineCode returns the code of a fault of a line. A line of NUL bytes is not
// lost text, so it has its own code.
func (d *diagnosis) lineCode(f journal.Fault) (Code, error) {
	switch f.Kind {
	case journal.FaultMalformed, journal.FaultTorn, journal.FaultEarlyLine, journal.FaultTooLong:
		_, offset := d.place(f.Line, f.Offset)
		if offset >= d.size {
			break
		}
		line, err := d.lineAt(offset)
		if err != nil {
			return "", err
		}
		if len(line) > 0 && line[0] == 0 && len(bytes.Trim(line, "\x00 \t\r")) == 0 {
			return NulBytes, nil
		}
	}
	return lineCodes[f.Kind], nil
}

// isMoved reports whether a fault concerns the header that the repair moves to
// the start.
func (d *diagnosis) isMoved(f journal.Fault) bool {
	_, offset := d.place(f.Line, f.Offset)
	return f.Kind == journal.FaultExtraHeader && offset == d.movedAt && !d.changeSet.blocked && d.changeSet.migrate
}

// checkNoID finds entries without an id. In version 1 no entry has one.
func (d *diagnosis) checkNoID(f journal.Fault) {
	if d.was.state.Header.Version < 2 || f.Entry < 0 {
		return
	}
	if !d.entry(NoID, f.Entry, "an entry without an ID") {
		return
	}
	d.changeSet.migrate = true
	if d.id(f.Entry) == "" { // its type is empty, so the migration skipped it
		d.rename(f.Entry)
	}
}

// rename makes the repair give an entry a new id.
func (d *diagnosis) rename(i int) {
	if d.changeSet.ids[i] != "" {
		return
	}
	d.changeSet.ids[i] = d.newID(i, d.id(i))
	d.set(i, text("id", d.changeSet.ids[i]))
}

// newID returns an unused id. It depends only on the session, the position in
// the file and about, so that a preview shows the same ids as the repair.
func (d *diagnosis) newID(i int, about string) string {
	taken := func(id string) bool { return d.now.state.Find(id) != journal.None || d.fresh[id] }
	id := format.LineID(d.now.state.Header.ID, i+1, []byte(about), taken)
	d.fresh[id] = true
	return id
}

// noMessageType is the customType of a former message entry without a message.
const noMessageType = "pith/no-message"

func (d *diagnosis) checkNoMessage(f journal.Fault) {
	if f.Entry >= 0 && d.entry(NoMessage, f.Entry, "a message entry without a message") {
		d.set(f.Entry, text("type", "custom"))
		d.set(f.Entry, text("customType", noMessageType))
	}
}

// noTypeType is the customType of a former entry without a type.
const noTypeType = "pith/no-type"

// checkNoType finds objects without a type. One with an id is an entry, and a
// repair keeps it in its place.
func (d *diagnosis) checkNoType(f journal.Fault, dirty map[int]bool) {
	if f.Entry < 0 {
		if d.at(NoType, f.Line, f.Offset, lineTexts[NoType]) {
			d.markDirty(dirty, f.Line)
		}
		return
	}
	if !d.entry(NoType, f.Entry, "an entry without a type") {
		return
	}
	d.explain("nothing is lost, but no program can interpret the entry")
	d.fix("turn the entry into a hidden note; the tree does not change")
	d.set(f.Entry, text("type", "custom"))
	d.set(f.Entry, text("customType", noTypeType))
}

// markDirty marks the gaps adjacent to a physical line: before each record on
// it and after the last. Record 0 is the header, record n is entry n-1.
func (d *diagnosis) markDirty(dirty map[int]bool, line int) {
	t := d.was.state
	k := sort.Search(t.Len(), func(i int) bool { return int(t.At(i).Line) >= line }) + 1
	header := d.headLine
	if line <= header {
		dirty[0] = true
		if line < header {
			return
		}
		k = 1
	}
	dirty[k] = true
	for ; k <= t.Len() && int(t.At(k-1).Line) == line; k++ {
		dirty[k+1] = true
	}
}

// record returns the range of a record: 0 is the header, n is entry n-1. After
// the last one it is the end.
func (v *view) record(k int) (start, end int64) {
	t := v.state
	switch {
	case k < 0:
		return 0, 0
	case k == 0:
		return t.HeaderAt, t.HeaderAt + int64(t.HeaderLen)
	case k <= t.Len():
		e := t.At(k - 1)
		return e.Offset, e.Offset + int64(e.Len)
	}
	return v.size, v.size
}
