package envelope

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// recKind is the kind of a record of a block, before its place in the file is
// known.
type recKind uint8

const (
	recEntry  recKind = iota // an object with a type or an id
	recHeader                // an object of type "session"
	recTitle                 // an object of type "title": oh-my-pi's slot on line 1
	recBare                  // an object without a type and an id: a v4 header, or not a record
)

// A special is a record of a block that is not an ordinary entry.
type special struct {
	rec  int // index of the record in the block
	what recKind
	note ref // the whole record, for the few kinds that are resolved at load
}

// A rec is a record of a block: a preliminary entry. Until the block is taken,
// its line counts from 0 within the block, and its names refer to the block's
// text.
type rec struct {
	Entry
	id     name
	parent name // for parentBefore and parentOther
	form   parentForm
}

// A block is one part of the log: the lines that start in it.
type block struct {
	recs     []rec
	specials []special
	faults   []Fault // Line counts from 0 within the block, Entry is an index of recs or -1
	text     []byte  // of names, which stays in memory
	notes    []byte  // records that are resolved when the block is taken
	lines    int
	tail     Tail  // of the log, if this block contains its last line
	open     int64 // start of that last line, if it has no line ending
	previous name  // the id of the record before, if that is an entry
	err      error // why the block could not be read

	signature Signature

	found members // members of the current record
	clock Clock
}

// blocks are reused, so that their slices grow only once.
var blocks = sync.Pool{New: func() any { return new(block) }}

func (b *block) reset() {
	*b = block{recs: b.recs[:0], specials: b.specials[:0], faults: b.faults[:0], text: b.text[:0], notes: b.notes[:0]}
}

// longestLine is the size up to which a line is held in memory while its
// envelope is read. It is a variable for tests.
var longestLine int64 = 64 << 20

// scanBlock reads the lines that start in [start, end) of a log of the given
// size into b, which must be empty. A line that extends past the end is read to
// its own end. first is an offset at which a line is known to start. The buffer
// is returned for reuse.
func scanBlock(r io.ReaderAt, b *block, start, end, first, size int64, buf []byte) ([]byte, error) {
	from := start
	if start > first {
		from = start - 1 // the byte before tells whether a line begins at start
		if NextData(r, from, end) == end {
			return buf, nil // a hole inside a line that another block reads
		}
	}
	buf, err := readInto(r, buf[:0], from, end-from)
	if err != nil {
		return buf, err
	}
	pos := 0
	if start > first {
		i := bytes.IndexByte(buf, '\n')
		if i < 0 {
			return buf, nil // inside one long line that another block reads
		}
		pos = i + 1
	}
	more := int64(8 << 10) // most lines extend past the end only a little
	for seek := pos; from+int64(pos) < end; {
		i := bytes.IndexByte(buf[seek:], '\n')
		if i >= 0 {
			b.line(buf[pos:seek+i], from+int64(pos), false)
			pos = seek + i + 1
			seek = pos
			continue
		}
		have := int64(len(buf))
		if from+have >= size {
			b.open = from + int64(pos)
			b.line(buf[pos:], b.open, true)
			break
		}
		rest := min(more, size-from-have)
		if more > longPiece {
			if rest, err = restOfLine(r, from+have, size); err != nil {
				return buf, err
			}
		}
		if length := have - int64(pos) + rest; length > longestLine {
			at := from + int64(pos)
			if err := b.long(r, at, length, at+length == size); err != nil {
				return buf, err
			}
			break // the line ends after the block
		}
		seek = len(buf)
		if buf, err = readInto(r, buf, from+have, rest); err != nil {
			return buf, err
		}
		more *= 4
	}
	return buf, nil
}

// longPiece is the size up to which the rest of a line is guessed. A buffer
// that grows by guesses is copied repeatedly, and needs twice the memory
// meanwhile.
const longPiece = 1 << 20

// restOfLine returns the number of bytes from off to the end of its line,
// including the line ending.
func restOfLine(r io.ReaderAt, off, size int64) (int64, error) {
	piece := make([]byte, min(blockSize, size-off))
	for at := NextData(r, off, size); at < size; at = NextData(r, at+int64(len(piece)), size) {
		piece = piece[:min(int64(len(piece)), size-at)]
		if _, err := ReadFull(r, piece, at); err != nil {
			return 0, err
		}
		if i := bytes.IndexByte(piece, '\n'); i >= 0 {
			return at + int64(i) + 1 - off, nil
		}
	}
	return size - off, nil
}

// long handles a line that is too long to be held in memory; length includes
// its line ending. If it is not JSON, it is not searched for records.
func (b *block) long(r io.ReaderAt, off, length int64, last bool) error {
	var c jsonl.Condenser
	piece := make([]byte, blockSize)
	unterminated := last
	for at := off; at < off+length; at += int64(len(piece)) {
		if c.Skippable() {
			data := NextData(r, at, off+length)
			c.Skip(data - at)
			if at = data; at == off+length {
				break
			}
		}
		piece = piece[:min(int64(len(piece)), off+length-at)]
		if _, err := ReadFull(r, piece, at); err != nil {
			return err
		}
		if at+int64(len(piece)) == off+length && piece[len(piece)-1] == '\n' {
			piece, unterminated, length = piece[:len(piece)-1], false, length-1
		}
		c.Write(piece)
	}
	n := b.lines
	b.lines++
	if unterminated {
		b.open = off
	}
	switch shape, _ := b.found.scan(c.Bytes()); {
	case shape == jsonl.Object && length <= math.MaxUint32:
		b.object(c.Bytes(), off, n)
		e := &b.recs[len(b.recs)-1]
		e.Len, e.body = uint32(length), 0
		b.endOfLog(unterminated, n, off+length)
	case shape == jsonl.Other:
		b.fault(FaultNotObject, n, off, -1)
		b.endOfLog(unterminated, n, off+length)
	case unterminated:
		b.tail = TailTorn
		b.fault(FaultTorn, n, off, -1)
	default:
		b.fault(FaultMalformed, n, off, -1)
	}
	return nil
}

// readInto appends n bytes of r at off to buf.
func readInto(r io.ReaderAt, buf []byte, off, n int64) ([]byte, error) {
	have := len(buf)
	if need := have + int(n); cap(buf) < need {
		buf = append(make([]byte, 0, need+min(max(need/4, 64<<10), longPiece)), buf...)
	}
	buf = buf[:have+int(n)]
	got, err := ReadFull(r, buf[have:], off)
	return buf[:have+got], err
}

// ReadFull fills p with the bytes of r at off, and returns the number of bytes
// read. Fewer bytes than requested are an error, also at the end of the log:
// its size promised them, so it was truncated meanwhile.
func ReadFull(r io.ReaderAt, p []byte, off int64) (int, error) {
	n, err := r.ReadAt(p, off)
	if n == len(p) {
		return n, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, fmt.Errorf("read at byte %d: %w", off+int64(n), err)
}

// line handles one physical line, without its line ending.
func (b *block) line(data []byte, off int64, unterminated bool) {
	n := b.lines
	b.lines++
	if (len(data) == 0 || data[0] != '{') && len(bytes.TrimSpace(data)) == 0 {
		if unterminated && len(data) > 0 {
			b.tail = TailNoNewline
		}
		return
	}
	if off == 0 && bytes.HasPrefix(data, bom) {
		b.fault(FaultBOM, n, 0, -1)
		data, off = data[len(bom):], int64(len(bom))
	}
	shape, at := b.found.scan(data)
	switch {
	case shape == jsonl.Object:
		b.object(data, off, n)
		b.endOfLog(unterminated, n, off+int64(len(data)))
	case shape == jsonl.Other:
		b.fault(FaultNotObject, n, off, -1)
		b.endOfLog(unterminated, n, off+int64(len(data)))
	case b.salvage(data, off, n):
		b.endOfLog(unterminated, n, off+int64(len(data)))
	case unterminated:
		b.tail = TailTorn
		b.fault(FaultTorn, n, off, -1)
	default:
		b.fault(FaultMalformed, n, off+int64(at), -1)
	}
}

var bom = []byte("\xef\xbb\xbf")

func (b *block) endOfLog(unterminated bool, line int, end int64) {
	if unterminated {
		b.tail = TailNoNewline
		b.fault(FaultNoNewline, line, end, -1)
	}
}

// object handles a line that is a JSON object, with its members in b.found.
func (b *block) object(data []byte, off int64, line int) {
	n := len(b.recs)
	b.recs = append(b.recs, rec{Entry: Entry{Offset: off, Len: uint32(len(data)), Line: int32(line), Time: NoTime}})
	e := &b.recs[n]
	typ, ok := typeName(b.found.spans[keyType].Of(data))
	id, _ := Text(b.found.spans[keyID].Of(data))
	if !ok {
		b.fault(FaultNoType, line, off, n)
		if len(id) == 0 {
			b.specials = append(b.specials, special{rec: n, what: recBare})
			b.previous = name{}
			return
		}
	}
	e.Kind = kindOf(typ)
	e.id, b.text = nameOf(id, b.text)
	if parent, ok := Text(b.found.spans[keyParent].Of(data)); ok {
		b.link(e, parent)
	}
	e.Time = b.clock.Read(b.found.spans[keyTime].Of(data))
	b.particulars(e, data)
	b.previous = e.id
	b.signature.takeEntry(typ, e.Kind, e.Flags)
	switch string(typ) {
	case string(format.TypeSession):
		b.specials = append(b.specials, special{rec: n, what: recHeader})
		b.previous = name{}
	case string(format.TypeTitle):
		b.specials = append(b.specials, special{rec: n, what: recTitle})
	default:
		b.complain(e)
	}
}

// LeafTarget returns the member of a leaf record that names the leaf of the
// session.
func LeafTarget(line []byte) []byte {
	raw, _ := jsonl.Lookup(line, "targetId")
	return raw
}

var messageType = []byte(format.TypeMessage)

// typeName returns the text of a type. Nearly all entries are messages.
func typeName(raw []byte) ([]byte, bool) {
	if string(raw) == `"message"` {
		return messageType, true
	}
	return Text(raw)
}

// particulars reads what individual kinds need beyond the envelope.
func (b *block) particulars(e *rec, data []byte) {
	switch e.Kind {
	case KindMessage:
		msg := b.found.spans[keyMessage].Of(data)
		if len(msg) == 0 || msg[0] != '{' {
			b.fault(FaultNoMessage, int(e.Line), e.Offset, len(b.recs)-1)
			return
		}
		e.Role = roleOf(b.found.roleName(data))
		e.body = bodyAt(data, b.found.spans[keyMessage])
	case KindCustom:
		if ct, ok := Text(b.found.spans[keyCustomType].Of(data)); ok {
			e.Flags |= customFlags(ct)
		}
	case KindCompaction:
		if details, _ := jsonl.Lookup(data, "details"); isVerbatim(details) {
			e.Flags |= IsVerbatim
		}
	case KindLeafRecord:
		target, _ := Text(LeafTarget(data))
		b.link(e, target)
	case KindLabel, KindSessionInfo:
		b.keepNote(data)
	case KindForeignNote:
		if typ, _ := Text(b.found.spans[keyType].Of(data)); string(typ) == string(format.TypeTitleChange) {
			b.keepNote(data)
		}
	}
}

// bodyAt returns the offset of a message in its line, if only the line's
// closing brace follows it and the offset is small, and 0 otherwise.
func bodyAt(data []byte, span jsonl.Span) uint8 {
	end := closingBrace(data)
	if span.End != end || span.Start > math.MaxUint8 {
		return 0
	}
	return uint8(span.Start)
}

func (b *block) complain(e *rec) {
	if e.id.form == nameEmpty {
		b.fault(FaultNoID, int(e.Line), e.Offset, len(b.recs)-1)
	}
	if e.Time == NoTime {
		b.fault(FaultBadTime, int(e.Line), e.Offset, len(b.recs)-1)
	}
}

func (b *block) fault(k FaultKind, line int, off int64, entry int) {
	b.faults = append(b.faults, Fault{Kind: k, Line: line, Offset: off, Entry: entry})
}

// keepNote stores the whole last record.
func (b *block) keepNote(p []byte) {
	start := len(b.notes)
	b.notes = append(b.notes, p...)
	b.specials = append(b.specials, special{rec: len(b.recs) - 1, what: recEntry, note: ref{uint32(start), uint32(len(p))}})
}

// link sets the parent of a record.
func (b *block) link(e *rec, parent []byte) {
	e.parent = name{}
	switch {
	case len(parent) == 0:
		e.form = parentNone
	case e.id.is(parent, b.text):
		e.form = parentSelf
	case b.previous.is(parent, b.text):
		e.form, e.parent = parentBefore, b.previous
	default:
		e.form = parentOther
		e.parent, b.text = nameOf(parent, b.text)
	}
}
