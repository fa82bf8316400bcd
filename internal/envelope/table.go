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
	// Slot is oh-my-pi's title slot, when the file begins with one. It is written
	// over in place: see ReadSlot.
	Slot *Slot
	// Signature tells whose file it is.
	Signature Signature
	Entries   []Entry
	Faults    []Fault
	Labels    []LabelNote // in file order, cleared labels included
	Names     []NameNote  // in file order, cleared names included
	Titles    []NameNote  // oh-my-pi's record of its titles

	text    []byte            // ids and parents of the entries
	turning [turnings][]int32 // entries of the kinds that TurningPoints knows

	size  int64 // bytes seen
	next  int64 // where the next line begins
	lines int   // physical lines seen
	tail  Tail
	seen  bool // an object that decides what the file is was seen
	last  mark // the end of what was seen

	// Entries and text may lie in memory that was lent; see Recall. It can be taken
	// back when nobody has the owner any more. lent is set while the text is.
	owner any
	lent  bool
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
	err = scan(r, start, size, func(b *block, end int64) error {
		t.reserve(len(b.recs), len(b.text), float64(size-start)/float64(end-start))
		return t.take(r, b, end)
	})
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

// Check compares the end of what was seen with what the log holds there now: one that
// was cut may have grown as long again. The error matches ErrRescan if it differs.
func (t *Table) Check(r io.ReaderAt) error { return t.last.check(r, t.size) }

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
		t.Faults = t.Faults[: n-1 : n-1] // without that of the tail, which is read again or was mended
	}
	if t.tail == TailTorn {
		t.lines--
	}
	t.tail, t.next = TailClean, start
}

// Add takes an entry that was just appended to the log by this process, what its
// id and its parent are, and the log's new size. The line is looked at for labels
// and names.
func (t *Table) Add(e Entry, id, parent string, line []byte, size int64) {
	if t.tail != TailClean {
		t.reopen(e.Offset)
	}
	t.lines++
	e.Line = int32(t.lines)
	e.id, e.parent = t.keep(id), ref{}
	n := len(t.Entries)
	switch {
	case parent == "":
	case parent == id:
		e.parent = e.id
	case n > 0 && t.ID(n-1) == parent:
		e.parent = t.Entries[n-1].id
	default:
		e.parent = t.keep(parent)
	}
	t.Entries = append(t.Entries, e)
	t.turn(n, e.Kind)
	t.Signature.takeEntry([]byte(e.Kind.Type()), e.Kind, e.Flags)
	switch e.Kind {
	case KindLabel, KindSessionInfo, KindForeignNote:
		t.note(n, line)
	}
	t.size, t.next = size, size
	t.last.take(line)
}

func (t *Table) keep(s string) ref {
	start := len(t.text)
	t.text = append(t.text, s...)
	return ref{uint32(start), uint32(len(s))}
}
