package envelope

import (
	"fmt"
	"io"
	"math"

	"github.com/pith-sessions/pith/format"
)

// layout is the version of the form in which a table is saved. It must change
// whenever Save, or the meaning of its output, does: a table of another form is
// not read.
const layout = 7

// probe distinguishes machines with different byte orders.
const probe = 0x0102030405060708

// Save writes the table so that Recall can use it in place.
func (t *Table) Save(w *FlatWriter) {
	w.Int(layout)
	w.Int(probe)
	w.Int(sizeOf[row]())
	for _, n := range []int64{t.size, t.next, int64(t.lines), int64(t.tail), t.HeaderAt, int64(t.HeaderLen)} {
		w.Int(n)
	}
	w.String(string(t.last.data[:t.last.len]))
	WriteFlatList(w, t.rows.chunks()...)
	WriteFlatList(w, t.shifts)
	WriteFlatList(w, t.links)
	WriteFlatList(w, t.text)
	for _, list := range t.turning {
		WriteFlatList(w, list)
	}
	slot := Slot{Len: -1}
	if t.Slot != nil {
		slot = *t.Slot
	}
	for _, n := range []int64{int64(t.Signature), slot.At, int64(slot.Len)} {
		w.Int(n)
	}
	t.saveNotes(w)
}

func (t *Table) saveNotes(w *FlatWriter) {
	w.Int(int64(len(t.Faults)))
	for _, f := range t.Faults {
		for _, n := range []int64{int64(f.Kind), int64(f.Line), f.Offset, int64(f.Entry)} {
			w.Int(n)
		}
	}
	w.Int(int64(len(t.Labels)))
	for _, l := range t.Labels {
		w.String(l.Target)
		w.String(l.Label)
		w.String(l.Timestamp)
	}
	for _, list := range [][]NameNote{t.Names, t.Titles} {
		w.Int(int64(len(list)))
		for _, n := range list {
			w.Int(int64(n.Entry))
			w.String(n.Name)
		}
	}
}

// Recall returns a saved table if it is one of the given log. The log may have
// grown since: see [Table.Extend]. The table uses the data as long as it
// exists, and writes to it when it grows. It keeps owner reachable until then,
// so that the provider of the data can tell when to free it.
func Recall(r *FlatReader, log io.ReaderAt, size int64, owner any) (*Table, error) {
	r.Check(r.Int() == layout && r.Int() == probe && r.Int() == sizeOf[row](), "another form")
	t := &Table{owner: owner, lent: true, seen: true}
	t.size, t.next, t.lines, t.tail = r.Int(), r.Int(), r.Index(0, math.MaxInt32), Tail(r.Index(0, int(TailTorn)+1))
	t.HeaderAt, t.HeaderLen = r.Int(), r.Index(0, math.MaxInt32)
	r.Check(0 <= t.next && t.next <= t.size && t.size <= size, "a longer log")
	r.Check(0 <= t.HeaderAt && t.HeaderAt <= t.size-int64(t.HeaderLen), "a header outside the log")
	t.last.len = copy(t.last.data[:], r.String())
	r.Check(t.last.len > 0 && int64(t.last.len) <= t.size, "no end of the log")
	t.rows = rowsOf(ReadFlatList[row](r))
	t.shifts = append([]shift(nil), ReadFlatList[shift](r)...)
	t.links = append([]link(nil), ReadFlatList[link](r)...)
	t.text = ReadFlatList[byte](r)
	r.Check(t.Len() == 0 || len(t.shifts) > 0 && t.shifts[0].entry == 0, "entries without lines")
	for k := range t.turning {
		t.turning[k] = append([]int32(nil), ReadFlatList[int32](r)...)
		for _, i := range t.turning[k] {
			r.Check(0 <= i && int(i) < t.Len(), "an entry that is not there")
		}
	}
	t.Signature = Signature(r.Index(0, 1<<8))
	if at, n := r.Int(), r.Index(-1, math.MaxInt32); n >= 0 {
		r.Check(0 <= at && at <= t.size-int64(n), "a title outside the log")
		t.Slot = &Slot{At: at, Len: n}
	}
	t.recallNotes(r)
	if r.Err() != nil {
		return nil, r.Err()
	}
	if err := t.last.check(log, t.size); err != nil {
		return nil, err
	}
	if err := t.recallHeader(log); err != nil {
		return nil, err
	}
	return t, t.ReadSlot(log)
}

func (t *Table) recallNotes(r *FlatReader) {
	n := t.Len()
	for range r.Count() {
		f := Fault{Kind: FaultKind(r.Index(1, int(FaultEarlyLine)+1)), Line: r.Index(0, math.MaxInt32), Offset: r.Int()}
		f.Entry = r.Index(-1, n)
		t.Faults = append(t.Faults, f)
	}
	for range r.Count() {
		t.Labels = append(t.Labels, LabelNote{r.String(), r.String(), r.String()})
	}
	for _, list := range []*[]NameNote{&t.Names, &t.Titles} {
		for range r.Count() {
			*list = append(*list, NameNote{r.Index(0, n), r.String()})
		}
	}
}

// recallHeader reads the header from the log.
func (t *Table) recallHeader(log io.ReaderAt) error {
	line := make([]byte, t.HeaderLen)
	if _, err := ReadFull(log, line, t.HeaderAt); err != nil {
		return err
	}
	h, err := format.DecodeHeader(line)
	if err != nil {
		return fmt.Errorf("the header at byte %d: %w", t.HeaderAt, err)
	}
	t.Header = h
	return nil
}
