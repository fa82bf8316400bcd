package envelope

import "encoding/binary"

// This file packs the entries of a table. A session can have millions, and most
// of a large session's memory is this table.

// A row is one entry in 24 bytes. Its line, and its parent unless that is the
// entry before, are in lists of the table that contain only the exceptions.
type row struct {
	at   uint64 // offset<<16 | facts
	time int64  // milliseconds<<8 | offset of the message, see Entry.body
	len  uint32
	id   uint32
}

// The facts of a row, from the lowest bit on.
const (
	roleShift   = 5
	flagShift   = roleShift + 3
	parentShift = flagShift + 4
	idShift     = parentShift + 2
	factBits    = idShift + 2
)

// The facts have room for all kinds, roles and flags.
const (
	_ = uint(1<<roleShift - kindCount)
	_ = uint(1<<(flagShift-roleShift) - roleCount)
	_ = uint(1<<(parentShift-flagShift) - 2*IsExit)
)

const (
	maxOffset = 1<<(64-factBits) - 1 // 256 TB
	// noTime is NoTime in a row. Dates in JavaScript take 54 bits.
	noTime = -1 << 55
)

// A parentForm says where the parent of an entry is.
type parentForm uint8

const (
	parentNone   parentForm = iota
	parentBefore            // the entry before
	parentSelf              // the entry itself
	parentOther             // another entry, or none of the table
)

// pack returns the row of an entry.
func pack(e *Entry, id name, parent parentForm) row {
	time := e.Time
	if time == NoTime {
		time = noTime
	}
	facts := uint64(e.Kind) | uint64(e.Role)<<roleShift | uint64(e.Flags)<<flagShift | uint64(parent)<<parentShift | uint64(id.form)<<idShift
	return row{at: uint64(e.Offset)<<factBits | facts, time: time<<8 | int64(e.body), len: e.Len, id: id.n}
}

func (r *row) kind() Kind { return Kind(r.at & (1<<roleShift - 1)) }

func (r *row) role() Role { return Role(r.at >> roleShift & (1<<(flagShift-roleShift) - 1)) }

func (r *row) parent() parentForm { return parentForm(r.at >> parentShift & 3) }

func (r *row) name() name { return name{r.id, nameForm(r.at >> idShift & 3)} }

func (r *row) when() int64 {
	if time := r.time >> 8; time != noTime {
		return time
	}
	return NoTime
}

// entry returns the row unpacked, without its line.
func (r *row) entry() Entry {
	return Entry{
		Offset: int64(r.at >> factBits), Time: r.when(), Len: r.len, Kind: r.kind(), Role: r.role(),
		Flags: Flags(r.at >> flagShift & (1<<(parentShift-flagShift) - 1)), body: uint8(r.time),
	}
}

// A name is an id in a table.
type name struct {
	n    uint32
	form nameForm
}

type nameForm uint8

const (
	nameEmpty nameForm = iota
	nameHex            // n is the number with eight hexadecimal digits: nearly all ids
	nameText           // n is an offset in the text: the length as a varint, then the id
)

// nameOf returns the name of an id, and the text with the id added if
// necessary.
func nameOf[T string | []byte](id T, text []byte) (name, []byte) {
	if n, ok := parseHex(id); ok {
		return name{n, nameHex}, text
	}
	if len(id) == 0 {
		return name{}, text
	}
	start := uint32(len(text))
	text = binary.AppendUvarint(text, uint64(len(id)))
	return name{start, nameText}, append(text, id...)
}

// appendTo appends the id to dst.
func (x name) appendTo(dst, text []byte) []byte {
	switch x.form {
	case nameHex:
		dst = appendHex(dst, x.n)
	case nameText:
		n, size := binary.Uvarint(text[x.n:])
		start := int(x.n) + size
		dst = append(dst, text[start:start+int(n)]...)
	}
	return dst
}

// is reports whether x is the name of an id.
func (x name) is(id, text []byte) bool {
	if n, ok := parseHex(id); ok {
		return x == name{n, nameHex}
	}
	var buf [64]byte
	return string(x.appendTo(buf[:0], text)) == string(id)
}

// appendHex appends the eight hexadecimal digits of a number.
func appendHex(dst []byte, n uint32) []byte {
	for shift := 28; shift >= 0; shift -= 4 {
		dst = append(dst, "0123456789abcdef"[n>>shift&15])
	}
	return dst
}

// parseHex parses eight lower-case hexadecimal digits.
func parseHex[T string | []byte](s T) (n uint32, ok bool) {
	if len(s) != 8 {
		return 0, false
	}
	bad := uint8(0)
	for i := range 8 {
		d := hexDigits[s[i]]
		bad |= d
		n = n<<4 | uint32(d&15)
	}
	return n, bad < 16
}

// hexDigits has the values of the digits, and 16 for every other byte.
var hexDigits = func() (values [256]uint8) {
	for c := range values {
		values[c] = 16
	}
	for d, c := range []byte("0123456789abcdef") {
		values[c] = uint8(d)
	}
	return values
}()

// rows is a list that never moves its elements, so that growing needs no memory
// but that of the new ones. A copy of the list does not change when the
// original grows.
type rows struct {
	full [][]row // chunkLen each
	last []row
}

const chunkLen = 4096

func (l *rows) len() int { return len(l.full)*chunkLen + len(l.last) }

func (l *rows) at(i int) *row {
	if k := i / chunkLen; k < len(l.full) {
		return &l.full[k][i%chunkLen]
	}
	return &l.last[i%chunkLen]
}

func (l *rows) add(r row) {
	if len(l.last) == chunkLen {
		l.full, l.last = append(l.full, l.last), make([]row, 0, chunkLen)
	}
	l.last = append(l.last, r)
}

// A shift says by how much the line of an entry, and of those after it up to
// the next shift, is greater than the entry's index.
type shift struct{ entry, by int32 }

// A link is the parent of an entry that does not follow the one before it.
type link struct {
	entry  int32
	parent name
}
