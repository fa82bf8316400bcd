package envelope

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/pith-sessions/pith/format"
)

// Tail is the state of a log's end.
type Tail uint8

const (
	// TailClean: the log is empty or ends with an end of line.
	TailClean Tail = iota
	// TailNoNewline: the last line is whole, its end of line is missing.
	TailNoNewline
	// TailTorn: the last line was cut off.
	TailTorn
)

// ErrRescan means that what was read before has changed: the table cannot be
// extended and must be read anew.
var ErrRescan = errors.New("the log changed under the reader")

// A Table holds the envelopes of a log. The zero Table is that of an empty log.
type Table struct {
	Header *format.Header // nil until a header was found
	// HeaderAt and HeaderLen say where the header's line is.
	HeaderAt  int64
	HeaderLen int
	// Slot is the title of oh-my-pi's title slot, when the file begins with one.
	Slot    string
	Entries []Entry
	Faults  []Fault
	Labels  []LabelNote // in file order, cleared labels included
	Names   []NameNote  // in file order, cleared names included
	Titles  []NameNote  // oh-my-pi's record of its titles

	size  int64 // bytes seen
	next  int64 // where the next line begins
	lines int   // physical lines seen
	tail  Tail
	seen  bool // an object that decides what the file is was seen
	last  mark // the end of what was seen
}

// A LabelNote is a label entry, resolved when the table is read because every
// tree needs all of them.
type LabelNote struct {
	Target, Label string
	Timestamp     string
}

// A NameNote is an entry that names the session.
type NameNote struct {
	Entry int
	Name  string
}

// Size is how many bytes of the log the table covers.
func (t *Table) Size() int64 { return t.size }

// Lines is how many physical lines the table covers.
func (t *Table) Lines() int { return t.lines }

// Tail is the state of the log's end.
func (t *Table) Tail() Tail { return t.tail }

// Extend reads on to the given size. On an error the table is as it was.
func (t *Table) Extend(r io.ReaderAt, size int64) error { return t.ExtendEach(r, size, nil) }

// ExtendEach is Extend, and calls each, unless it is nil, with the new entries in
// order while the rest is being read. What was seen before an error counts for
// nothing.
func (t *Table) ExtendEach(r io.ReaderAt, size int64, each func([]Entry)) error {
	if size < t.size {
		return fmt.Errorf("the log shrank from %d to %d bytes: %w", t.size, size, ErrRescan)
	}
	if size == t.size {
		return nil
	}
	start, err := t.resume(r)
	if err != nil {
		return err
	}
	before := *t
	t.reopen(start)
	add := func(r io.ReaderAt, b *block, end int64) error {
		known := len(t.Entries)
		t.reserve(len(b.recs), end-start, size-start)
		err := t.add(r, b, end)
		if err == nil && each != nil {
			each(t.Entries[known:])
		}
		return err
	}
	err = scan(r, start, size, add)
	if err == nil {
		err = t.last.read(r, size)
	}
	if err != nil {
		*t = before
		return err
	}
	t.size = size
	return nil
}

// maxGuess is how many entries are believed in before there is much to go by: a
// file can begin with small lines and go on with large ones.
const maxGuess = 1 << 17

// reserve makes room for the entries still to come, as many per byte as so
// far, so that the list is not copied again and again as it grows.
func (t *Table) reserve(coming int, seen, all int64) {
	need := len(t.Entries) + coming
	if need <= cap(t.Entries) {
		return
	}
	total := int(float64(need) * float64(all) / float64(max(seen, 1)) * 1.05)
	total = max(need, min(total, max(4*need, need+maxGuess))) // the rest may hold far fewer
	t.Entries = append(make([]Entry, 0, total), t.Entries...)
}

// resume finds where reading goes on. A log whose past has changed is read anew.
// A torn line is read again, because its writer may have finished it. A whole
// line that lacked its end must not have grown otherwise than by that end.
func (t *Table) resume(r io.ReaderAt) (int64, error) {
	if err := t.last.check(r, t.size); err != nil {
		return 0, err
	}
	if t.tail != TailNoNewline {
		return t.next, nil
	}
	var c [1]byte
	if _, err := r.ReadAt(c[:], t.size); err != nil {
		return 0, fmt.Errorf("read at byte %d: %w", t.size, err)
	}
	if c[0] != '\n' {
		return 0, ErrRescan
	}
	return t.size + 1, nil
}

func (t *Table) reopen(start int64) {
	if n := len(t.Faults); n > 0 && t.Faults[n-1].Kind.ofTail() {
		t.Faults = t.Faults[:n-1] // that of the tail, which is read again or was mended
	}
	if t.tail == TailTorn {
		t.lines--
	}
	t.tail, t.next = TailClean, start
}

// Add takes an entry that was just appended to the log by this process, and
// the log's new size. The line is looked at for labels and names.
func (t *Table) Add(e Entry, line []byte, size int64) {
	if t.tail != TailClean {
		t.reopen(e.Offset)
	}
	t.lines++
	e.Line = int32(t.lines)
	t.Entries = append(t.Entries, e)
	switch e.Kind {
	case KindLabel, KindSessionInfo, KindForeignNote:
		t.note(len(t.Entries)-1, line)
	}
	t.size, t.next = size, size
	t.last.take(line)
}

// add takes the next block of the log.
func (t *Table) add(r io.ReaderAt, b *block, end int64) error {
	text := string(b.text)
	known := len(t.Faults)
	index := make(map[int]int, 0) // of records that faults name
	for _, f := range b.faults {
		if f.Entry >= 0 {
			index[f.Entry] = -1
		}
	}
	skip := map[int]bool{} // faults of records that turned out to be something else
	for i := range b.recs {
		n, err := t.take(r, &b.recs[i], text, b.notes)
		if err != nil {
			return err
		}
		if _, named := index[i]; named {
			index[i] = n
			skip[i] = n < 0 && b.recs[i].what == recBare && t.Header != nil && t.HeaderAt == b.recs[i].off
		}
	}
	for _, f := range b.faults {
		if f.Entry >= 0 {
			if skip[f.Entry] {
				continue
			}
			f.Entry = index[f.Entry]
		}
		f.Line += t.lines + 1
		if before := t.Header == nil || f.Offset < t.HeaderAt; before && f.Kind == FaultMalformed {
			f.Kind = FaultEarlyLine
		}
		t.Faults = append(t.Faults, f)
	}
	slices.SortStableFunc(t.Faults[known:], func(a, b Fault) int { return cmp.Compare(a.Offset, b.Offset) })
	t.lines += b.lines
	if b.lines == 0 && t.tail != TailClean {
		return nil // inside the log's last line, which an earlier block holds
	}
	t.tail = b.tail
	t.next = end
	if b.tail == TailTorn {
		t.next = b.open
	}
	return nil
}

// take adds one record and returns its index as an entry, or -1 when it is not one.
func (t *Table) take(r io.ReaderAt, rc *rec, text string, notes []byte) (int, error) {
	line := t.lines + 1 + int(rc.line)
	if !t.seen {
		return -1, t.first(r, rc, line)
	}
	switch rc.what {
	case recHeader:
		t.Faults = append(t.Faults, Fault{FaultExtraHeader, line, rc.off, -1})
		return -1, nil
	case recBare:
		return -1, nil
	}
	t.Entries = append(t.Entries, Entry{
		ID: rc.id.in(text), Parent: rc.parent.in(text), Offset: rc.off, Time: rc.time, Len: rc.len,
		Line: int32(line), Kind: rc.kind, Role: rc.role, Flags: rc.flags, body: rc.body,
	})
	n := len(t.Entries) - 1
	if rc.note.len > 0 {
		t.note(n, rc.note.of(notes))
	}
	return n, nil
}

// first decides by the first object what kind of file this is.
func (t *Table) first(r io.ReaderAt, rc *rec, line int) error {
	data := make([]byte, rc.len)
	if _, err := r.ReadAt(data, rc.off); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read at byte %d: %w", rc.off, err)
	}
	switch format.ClassifyFirst(data) {
	case format.FirstTitleSlot:
		if t.Slot == "" {
			t.Slot = titleOf(data)
		}
		return nil
	case format.FirstHeader, format.FirstV4:
		h, err := format.DecodeHeader(data)
		if err != nil {
			return &format.LineError{Line: line, Offset: rc.off, Err: err}
		}
		t.Header, t.HeaderAt, t.HeaderLen, t.seen = h, rc.off, len(data), true
		return nil
	}
	return &format.LineError{Line: line, Offset: rc.off, Err: format.ErrNotSession}
}
