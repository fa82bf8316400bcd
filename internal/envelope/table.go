package envelope

import (
	"errors"
	"fmt"
	"io"

	"github.com/pith-sessions/pith/format"
)

// Tail is the state of a log's end.
type Tail uint8

const (
	// TailClean means that the log is empty or ends with a line ending.
	TailClean Tail = iota
	// TailNoNewline means that the last line is complete, but its line ending
	// is missing.
	TailNoNewline
	// TailTorn means that the last line was cut off.
	TailTorn
)

// ErrRescan means that the part that was read has changed: the table cannot be
// extended, and the log must be read again.
var ErrRescan = errors.New("the log changed while it was read")

// A Table contains the envelopes of a log. The zero Table is that of an empty
// log.
type Table struct {
	Header *format.Header // nil until a header was found
	// HeaderAt and HeaderLen are the position of the header's line.
	HeaderAt  int64
	HeaderLen int
	// Slot is oh-my-pi's title slot, if the file starts with one. It is
	// overwritten in place: see ReadSlot.
	Slot *Slot
	// Signature shows which program the file belongs to.
	Signature Signature
	Faults    []Fault
	Labels    []LabelNote // in file order, including cleared labels
	Names     []NameNote  // in file order, including cleared names
	Titles    []NameNote  // oh-my-pi's records of its titles

	rows    rows
	shifts  []shift           // in order; they give the lines of the entries
	links   []link            // in order; the parents that rows do not have
	text    []byte            // of names
	turning [turnings][]int32 // entries of the kinds that TurningPoints knows

	size  int64 // bytes seen
	next  int64 // start of the next line
	lines int   // physical lines seen
	tail  Tail
	seen  bool // an object that decides the kind of the file was seen
	last  mark // the end of the part that was seen
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

// Size returns the number of bytes of the log that the table covers.
func (t *Table) Size() int64 { return t.size }

// Lines returns the number of physical lines that the table covers.
func (t *Table) Lines() int { return t.lines }

// Tail returns the state of the log's end.
func (t *Table) Tail() Tail { return t.tail }

// Extend reads the log up to the given size. On an error the table is
// unchanged.
func (t *Table) Extend(r io.ReaderAt, size int64) error {
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
	if !t.seen {
		if err := checkHead(r, size); err != nil {
			return err
		}
	}
	before := *t
	t.reopen(start)
	err = scan(r, start, size, func(b *block, end int64) error { return t.take(r, b, end) })
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

// Check compares the end of the part that was seen with the current bytes of
// the log there, because a truncated log may have grown to the same size. The
// error matches ErrRescan if it differs.
func (t *Table) Check(r io.ReaderAt) error { return t.last.check(r, t.size) }

// resume returns the offset at which reading continues. A log whose past has
// changed must be read again. A torn line is read again, because its writer may
// have finished it. A complete line without a line ending must not have grown
// except by that ending.
func (t *Table) resume(r io.ReaderAt) (int64, error) {
	if err := t.last.check(r, t.size); err != nil {
		return 0, err
	}
	if t.tail != TailNoNewline {
		return t.next, nil
	}
	var c [1]byte
	if _, err := ReadFull(r, c[:], t.size); err != nil {
		return 0, err
	}
	if c[0] != '\n' {
		return 0, ErrRescan
	}
	return t.size + 1, nil
}

func (t *Table) reopen(start int64) {
	if n := len(t.Faults); n > 0 && t.Faults[n-1].Kind.ofTail() {
		t.Faults = t.Faults[: n-1 : n-1] // without that of the tail, which is read again or was repaired
	}
	if t.tail == TailTorn {
		t.lines--
	}
	t.tail, t.next = TailClean, start
}

// Add adds an entry that this process just appended to the log, with its id,
// its parent and the new size of the log. Labels and names are read from the
// line.
func (t *Table) Add(e Entry, id, parent string, line []byte, size int64) {
	if t.tail != TailClean {
		t.reopen(e.Offset)
	}
	t.lines++
	e.Line = int32(t.lines)
	n := t.Len()
	r := rec{Entry: e}
	r.id, t.text = nameOf(id, t.text)
	switch {
	case parent == "":
	case parent == id:
		r.form = parentSelf
	case n > 0 && t.ID(n-1) == parent:
		r.form = parentBefore
	default:
		r.form = parentOther
		r.parent, t.text = nameOf(parent, t.text)
	}
	t.add(&r)
	t.Signature.takeEntry([]byte(e.Kind.Type()), e.Kind, e.Flags)
	switch e.Kind {
	case KindLabel, KindSessionInfo, KindForeignNote:
		t.note(n, line)
	}
	t.size, t.next = size, size
	t.last.take(line)
}
