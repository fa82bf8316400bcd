package envelope

import (
	"cmp"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// take adds the next block of the log, which ends at the given offset.
func (t *Table) take(r io.ReaderAt, b *block, end int64) error {
	if uint64(len(t.text)+len(b.text)) > math.MaxUint32 || t.Len()+len(b.recs) > math.MaxInt32 || end > maxOffset {
		return errors.New("the log is too long, or has too many entries or too long IDs")
	}
	known := len(t.Faults)
	dropped, err := t.takeRecords(r, b)
	if err != nil {
		return err
	}
	t.takeFaults(b, dropped, known)
	t.Signature.join(b.signature)
	t.lines += b.lines
	if b.lines == 0 && t.tail != TailClean {
		return nil // inside the log's last line, which belongs to an earlier block
	}
	t.tail = b.tail
	t.next = end
	if b.tail == TailTorn {
		t.next = b.open
	}
	return nil
}

// takeRecords adds the records of a block that are entries, and returns the
// indexes of the others.
func (t *Table) takeRecords(r io.ReaderAt, b *block) (dropped []int, err error) {
	base := uint32(len(t.text))
	t.text = append(t.text, b.text...)
	next := 0 // the first record not taken yet
	for ; !t.seen && next < len(b.recs); next++ {
		if err := t.first(r, &b.recs[next].Entry); err != nil {
			return nil, err
		}
		dropped = append(dropped, next)
	}
	for _, s := range b.specials {
		if s.rec < next {
			continue
		}
		t.takeEntries(b.recs[next:s.rec], base)
		next = s.rec
		switch s.what {
		case recHeader:
			e := &b.recs[s.rec]
			t.Faults = append(t.Faults, Fault{FaultExtraHeader, t.lines + 1 + int(e.Line), e.Offset, -1})
		case recBare:
		default:
			t.takeEntries(b.recs[next:next+1], base)
			if s.note.len > 0 {
				t.note(t.Len()-1, s.note.of(b.notes))
			}
			next++
			continue
		}
		dropped = append(dropped, s.rec)
		next++
	}
	t.takeEntries(b.recs[next:], base)
	return dropped, nil
}

// takeEntries adds entries whose names are in the text from base on.
func (t *Table) takeEntries(recs []rec, base uint32) {
	for k := range recs {
		e := &recs[k]
		if e.id.form == nameText {
			e.id.n += base
		}
		if e.parent.form == nameText {
			e.parent.n += base
		}
		if k == 0 && e.parent.form != nameEmpty { // a block does not know which entry comes before
			e.form = parentOther
			if n := t.Len(); n > 0 && t.id(e.parent) == t.ID(n-1) {
				e.form = parentBefore
			}
		}
		e.Line += int32(t.lines + 1)
		t.add(e)
	}
}

// add adds an entry whose names are in the table's text.
func (t *Table) add(e *rec) {
	i := t.Len()
	if by := e.Line - int32(i); len(t.shifts) == 0 || t.shifts[len(t.shifts)-1].by != by {
		t.shifts = append(t.shifts, shift{int32(i), by})
	}
	if e.form == parentOther {
		t.links = append(t.links, link{int32(i), e.parent})
	}
	if n := turningKinds[e.Kind]; n > 0 {
		t.turning[n-1] = append(t.turning[n-1], int32(i))
	}
	t.rows.add(pack(&e.Entry, e.id, e.form))
}

// takeFaults adds the faults of a block, and sorts them with those from known
// on in the order of the log.
func (t *Table) takeFaults(b *block, dropped []int, known int) {
	if len(b.faults) == 0 && len(t.Faults) == known {
		return
	}
	first := t.Len() - len(b.recs) + len(dropped)
	for _, f := range b.faults {
		if f.Entry >= 0 {
			before, gone := slices.BinarySearch(dropped, f.Entry)
			if gone && f.Kind == FaultNoType && t.Header != nil && t.HeaderAt == f.Offset {
				continue // a header of version 4 has no type
			}
			f.Entry += first - before
			if gone {
				f.Entry = -1
			}
		}
		f.Line += t.lines + 1
		if before := t.Header == nil || f.Offset < t.HeaderAt; before && f.Kind == FaultMalformed {
			f.Kind = FaultEarlyLine
		}
		t.Faults = append(t.Faults, f)
	}
	slices.SortStableFunc(t.Faults[known:], func(a, b Fault) int { return cmp.Compare(a.Offset, b.Offset) })
}

// first decides the kind of the file by its first object.
func (t *Table) first(r io.ReaderAt, e *Entry) error {
	line := t.lines + 1 + int(e.Line)
	if e.Offset >= HeaderWithin || e.Len > HeaderMost {
		return &format.LineError{Line: line, Offset: e.Offset, Err: format.ErrNotSession}
	}
	data := make([]byte, e.Len)
	if _, err := ReadFull(r, data, e.Offset); err != nil {
		return err
	}
	switch format.ClassifyFirst(data) {
	case format.FirstTitleSlot:
		if t.Slot == nil {
			t.Signature.TakeSlot()
			t.Slot = &Slot{At: e.Offset, Len: len(data), Title: jsonl.LookupString(data, "title")}
		}
		return nil
	case format.FirstHeader, format.FirstV4:
		h, err := format.DecodeHeader(data)
		if err != nil {
			return &format.LineError{Line: line, Offset: e.Offset, Err: err}
		}
		t.Signature.TakeHeader(h)
		t.Header, t.HeaderAt, t.HeaderLen, t.seen = h, e.Offset, len(data), true
		return nil
	}
	return &format.LineError{Line: line, Offset: e.Offset, Err: format.ErrNotSession}
}
