package envelope

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"unicode/utf8"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// recKind says what a record of a block is, before its place in the file is known.
type recKind uint8

const (
	recEntry  recKind = iota // an object with a type
	recHeader                // an object of type "session"
	recTitle                 // an object of type "title": oh-my-pi's slot on line 1
	recBare                  // an object without a type: a v4 header, or nothing
)

// A ref is a piece of a block's text: ids, parents and notes, copied out of the
// read buffer so that the buffer can be used again.
type ref struct{ start, len uint32 }

func (r ref) in(text string) string { return text[r.start : r.start+r.len] }

func (r ref) of(b []byte) []byte { return b[r.start : r.start+r.len] }

// A rec is one record found in a block.
type rec struct {
	off, time  int64
	id, parent ref
	note       ref // the whole record, for the few kinds that are resolved at load
	len        uint32
	line       int32 // within the block, from 0
	what       recKind
	kind       Kind
	role       Role
	flags      Flags
	body       uint16
}

// A block is what one stretch of the log holds: the lines that begin in it.
type block struct {
	recs   []rec
	faults []Fault // Line counts from 0 within the block, Entry is an index of recs or -1
	text   []byte  // ids and parents, which stay in memory
	notes  []byte  // records that are resolved when the block is taken
	lines  int
	tail   Tail  // of the log, when this block holds its last line
	open   int64 // where that last line begins, when it has no end

	spans [keyCount]jsonl.Span
	clock clock
}

// blocks are used again: their lists grow to what a block needs once, not for
// every block.
var blocks = sync.Pool{New: func() any { return new(block) }}

func (b *block) reset() {
	*b = block{recs: b.recs[:0], faults: b.faults[:0], text: b.text[:0], notes: b.notes[:0]}
}

var keys = jsonl.NewKeys("type", "id", "parentId", "timestamp", "message", "customType")

const (
	keyType = iota
	keyID
	keyParent
	keyTime
	keyMessage
	keyCustomType
	keyCount
)

// scanBlock reads the lines that begin in [start, end) of a log of the given
// size into b, which must be empty. A line that runs over the end is read to its
// own end. first is the offset at which a line is known to begin. The buffer is
// returned for reuse.
func scanBlock(r io.ReaderAt, b *block, start, end, first, size int64, buf []byte) ([]byte, error) {
	from := start
	if start > first {
		from = start - 1 // the byte before tells whether a line begins at start
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
	more := int64(8 << 10) // most lines that run over the end run over it by little
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
		seek = len(buf)
		if buf, err = readInto(r, buf, from+have, min(more, size-from-have)); err != nil {
			return buf, err
		}
		more = min(4*more, 16<<20)
	}
	return buf, nil
}

// readInto appends n bytes of r at off to buf. Fewer bytes than the log's size
// promised mean that somebody cut it while we read: an error, not a short log.
func readInto(r io.ReaderAt, buf []byte, off, n int64) ([]byte, error) {
	have := len(buf)
	if need := have + int(n); cap(buf) < need {
		buf = append(make([]byte, 0, need+max(need/4, 64<<10)), buf...)
	}
	buf = buf[:have+int(n)]
	got, err := r.ReadAt(buf[have:], off)
	if got == int(n) {
		return buf, nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return buf[:have+got], fmt.Errorf("read at byte %d: %w", off+int64(got), err)
}

// line takes one physical line, without its end.
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
	shape, at := keys.Scan(data, b.spans[:])
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

// object takes a line that is a JSON object, its members in b.spans.
func (b *block) object(data []byte, off int64, line int) {
	r := rec{off: off, len: uint32(len(data)), line: int32(line), time: NoTime}
	typ, ok := Text(b.spans[keyType].Of(data))
	if !ok {
		r.what = recBare
		b.fault(FaultNoType, line, off, len(b.recs))
		b.recs = append(b.recs, r)
		return
	}
	switch string(typ) {
	case string(format.TypeSession):
		r.what = recHeader
	case string(format.TypeTitle):
		r.what = recTitle
	}
	r.kind = kindOf(typ)
	if id, ok := Text(b.spans[keyID].Of(data)); ok {
		r.id = b.keep(id)
	}
	if parent, ok := Text(b.spans[keyParent].Of(data)); ok {
		r.parent = b.keep(parent)
	}
	if stamp, ok := Text(b.spans[keyTime].Of(data)); ok {
		r.time = b.clock.read(stamp)
	}
	b.particulars(&r, data)
	if r.what == recEntry {
		b.complain(&r)
	}
	b.recs = append(b.recs, r)
}

// particulars reads what single kinds need beyond the envelope.
func (b *block) particulars(r *rec, data []byte) {
	switch r.kind {
	case KindMessage:
		msg := b.spans[keyMessage].Of(data)
		if len(msg) == 0 || msg[0] != '{' {
			b.fault(FaultNoMessage, int(r.line), r.off, len(b.recs))
			return
		}
		r.role = roleOf(RoleName(msg))
		r.body = bodyAt(data, b.spans[keyMessage])
	case KindCustom:
		if ct, ok := Text(b.spans[keyCustomType].Of(data)); ok && string(ct) == format.LeafCustomType {
			r.flags |= IsLeafMarker
		}
	case KindLabel, KindSessionInfo:
		r.note = b.keepNote(data)
	case KindForeignNote:
		if typ, _ := Text(b.spans[keyType].Of(data)); string(typ) == string(format.TypeTitleChange) {
			r.note = b.keepNote(data)
		}
	}
}

// bodyAt is where a message begins in its line, if nothing but the line's
// closing brace follows it; otherwise 0.
func bodyAt(data []byte, span jsonl.Span) uint16 {
	end := closingBrace(data)
	if span.End != end || span.Start > math.MaxUint16 {
		return 0
	}
	return uint16(span.Start)
}

func (b *block) complain(r *rec) {
	if r.id.len == 0 {
		b.fault(FaultNoID, int(r.line), r.off, len(b.recs))
	}
	if r.time == NoTime {
		b.fault(FaultBadTime, int(r.line), r.off, len(b.recs))
	}
}

func (b *block) fault(k FaultKind, line int, off int64, entry int) {
	b.faults = append(b.faults, Fault{Kind: k, Line: line, Offset: off, Entry: entry})
}

func (b *block) keepNote(p []byte) ref {
	start := len(b.notes)
	b.notes = append(b.notes, p...)
	return ref{uint32(start), uint32(len(p))}
}

func (b *block) keep(p []byte) ref {
	start := len(b.text)
	b.text = append(b.text, p...)
	return ref{uint32(start), uint32(len(p))}
}

// Text is the content of a raw JSON string; ok is false for anything else.
func Text(raw []byte) ([]byte, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return nil, false
	}
	inner := raw[1 : len(raw)-1]
	plain := true
	for _, c := range inner { // ids and times are short: cheaper than a search
		if c == '\\' || c >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain || bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return inner, true
	}
	s, ok := jsonl.String(raw)
	return []byte(s), ok
}

var rolePrefix = []byte(`{"role":"`)

// RoleName is the role of a raw message, as bytes of the message where that is
// possible. Nearly every writer puts it first.
func RoleName(msg []byte) []byte {
	if rest, ok := bytes.CutPrefix(msg, rolePrefix); ok {
		for i, c := range rest { // names of roles are short
			if c == '"' {
				return rest[:i]
			}
			if c == '\\' {
				break
			}
		}
	}
	raw, _ := jsonl.Lookup(msg, "role")
	name, _ := Text(raw)
	return name
}
