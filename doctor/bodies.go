package doctor

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"

	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// bodies are what entries say beyond their envelopes, as far as faults can be
// found in it. Nothing is decoded: what matters is looked for.
type bodies struct {
	references []reference
	edited     map[string]bool   // targets of context edits
	calls      map[string][]call // by the id of the call, in file order
	results    []answer
	time       int64 // of the entry read last that has one
}

// A reference is an entry's naming another one by its id.
type reference struct {
	entry int
	id    string
	label string // of a label entry
	none  bool   // a compaction says that it keeps nothing
}

// A call is an entry that calls a tool.
type call struct {
	entry    int
	answered int // the entry that answered it last, or -1
}

// An answer is a tool result and the call that it names.
type answer struct {
	entry int
	id    string
}

// readBodies goes through all entries once, in file order.
func (d *diagnosis) readBodies() error {
	b := &d.bodies
	b.calls, b.time = make(map[string][]call), envelope.NoTime
	if at, ok := d.was.table.Header.Time(); ok {
		b.time = at.UnixMilli()
	}
	w := walker{view: d.now}
	entries := d.entries()
	for i := range entries {
		e := &entries[i]
		line, err := w.line(i)
		if err != nil {
			return err
		}
		d.checkText(i, line)
		if e.Time == envelope.NoTime {
			d.checkTime(i, line)
		} else {
			b.time = e.Time
		}
		if d.now.table.Parent(i) == "" {
			d.checkRoot(i, line)
		}
		switch e.Kind {
		case envelope.KindMessage:
			b.message(i, e, line)
		case envelope.KindCompaction, envelope.KindContextEdit, envelope.KindBranchSummary, envelope.KindLabel:
			b.refer(i, e.Kind, line)
		}
	}
	return nil
}

// checkText finds what cannot be sent to a model.
func (d *diagnosis) checkText(i int, line []byte) {
	escapes, ascii := survey(line)
	if escapes && hasLoneHalf(line) {
		d.entry(LoneHalf, i, "half of a surrogate pair in the text")
	}
	if !ascii && !utf8.Valid(line) {
		d.entry(NotUTF8, i, "bytes that are not UTF-8")
	}
}

const (
	ones = 0x0101010101010101
	tops = 0x8080808080808080
)

// survey reports whether a line may hold an escape that begins with \ud or \uD,
// as those of surrogates do, and whether it is ASCII alone. It takes sixteen bytes
// at a time: nearly all lines are looked at for nothing.
func survey(line []byte) (escapes, ascii bool) {
	var high uint64
	rest := line
	for len(rest) >= 18 {
		a, b := binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint64(rest[8:])
		high |= a | b
		if escapesIn(a, binary.LittleEndian.Uint64(rest[1:]))|escapesIn(b, binary.LittleEndian.Uint64(rest[9:])) != 0 {
			escapes = escapes || mayBeHalf(rest[:18])
		}
		rest = rest[16:]
	}
	for _, c := range rest {
		high |= uint64(c)
	}
	return escapes || mayBeHalf(rest), high&tops == 0
}

// escapesIn is not zero if one of eight bytes is a backslash and the byte behind
// it, in the other word, a u.
func escapesIn(first, behind uint64) uint64 {
	miss := (first ^ '\\'*ones) | (behind ^ 'u'*ones)
	return (miss - ones) &^ miss & tops // a byte that is zero
}

func mayBeHalf(b []byte) bool {
	return bytes.Contains(b, []byte(`\ud`)) || bytes.Contains(b, []byte(`\uD`))
}

// hasLoneHalf reports whether a line holds the escape of half a surrogate pair
// without its other half (pitfall 19).
func hasLoneHalf(line []byte) bool {
	for i := 0; i < len(line); {
		next := bytes.IndexByte(line[i:], '\\')
		if next < 0 {
			return false
		}
		i += next
		switch kind := halfAt(line, i); {
		case kind == lowHalf:
			return true
		case kind == highHalf && halfAt(line, i+6) != lowHalf:
			return true
		case kind == highHalf:
			i += 12
		default:
			i += 2 // a short escape, or one that is no half; its digits hold no backslash
		}
	}
	return false
}

type half uint8

const (
	noHalf half = iota
	highHalf
	lowHalf
)

// halfAt is which half of a surrogate pair the escape at i stands for.
func halfAt(line []byte, i int) half {
	if i+6 > len(line) || line[i] != '\\' || line[i+1] != 'u' || line[i+2]|0x20 != 'd' {
		return noHalf
	}
	switch c := line[i+3] | 0x20; {
	case c == '8' || c == '9' || c == 'a' || c == 'b':
		return highHalf
	case c >= 'c' && c <= 'f':
		return lowHalf
	}
	return noHalf
}

var (
	callMark     = []byte(`"toolCall"`)
	callEnd      = []byte(`Call"`) // begins with a letter that is rare in text
	callStart    = []byte(`{"type":"toolCall","id":"`)
	resultPrefix = []byte(`{"role":"toolResult","toolCallId":"`)
	answerKeys   = jsonl.NewKeys("role", "content", "stopReason")
	blockKeys    = jsonl.NewKeys("type", "id")
	resultKeys   = jsonl.NewKeys("toolCallId")
)

// message notes the calls and results of a message.
func (b *bodies) message(i int, e *envelope.Entry, line []byte) {
	switch e.Role {
	case envelope.RoleToolResult:
		b.results = append(b.results, answer{i, callIDOf(e.Message(line))})
	case envelope.RoleAssistant:
		b.called(i, e.Message(line))
	}
}

// callIDOf is the call that a tool result answers. Nearly every writer names it
// second, so that the result itself need not be read.
func callIDOf(msg []byte) string {
	if rest, ok := bytes.CutPrefix(msg, resultPrefix); ok {
		if end := bytes.IndexByte(rest, '"'); end >= 0 && bytes.IndexByte(rest[:end], '\\') < 0 {
			return string(rest[:end])
		}
	}
	var spans [1]jsonl.Span
	resultKeys.Scan(msg, spans[:])
	id, _ := jsonl.String(spans[0].Of(msg))
	return id
}

// called notes the calls of an assistant's message. They are looked for as every
// writer begins them; only a message that spells one otherwise is read.
func (b *bodies) called(i int, msg []byte) {
	for at := 0; ; {
		next := bytes.Index(msg[at:], callEnd)
		if next < 0 {
			return
		}
		at += next + len(callEnd)
		if !bytes.HasSuffix(msg[:at], callMark) {
			continue
		}
		start := at - len(`{"type":"toolCall"`)
		var id []byte
		if start >= 0 && bytes.HasPrefix(msg[start:], callStart) {
			id = msg[start+len(callStart):]
			id = id[:max(bytes.IndexByte(id, '"'), 0)]
		}
		if len(id) == 0 || bytes.IndexByte(id, '\\') >= 0 {
			break
		}
		b.calls[string(id)] = append(b.calls[string(id)], call{i, -1})
	}
	ids, _ := callsOf(msg)
	for _, id := range ids {
		if known := b.calls[id]; len(known) == 0 || known[len(known)-1].entry != i {
			b.calls[id] = append(known, call{i, -1})
		}
	}
}

// callsOf are the ids of the calls in an assistant's message, and whether results
// are to be expected: an answer that was broken off has none.
func callsOf(msg []byte) (ids []string, awaited bool) {
	var spans [3]jsonl.Span
	answerKeys.Scan(msg, spans[:])
	stop, _ := jsonl.String(spans[2].Of(msg))
	for block := range jsonl.Elements(spans[1].Of(msg)) {
		var in [2]jsonl.Span
		if shape, _ := blockKeys.Scan(block, in[:]); shape != jsonl.Object || string(in[0].Of(block)) != string(callMark) {
			continue
		}
		if id, ok := jsonl.String(in[1].Of(block)); ok {
			ids = append(ids, id)
		}
	}
	return ids, stop != "error" && stop != "aborted" && stop != "length"
}

var referenceNames = map[envelope.Kind]string{
	envelope.KindCompaction: "firstKeptEntryId", envelope.KindContextEdit: "targetId",
	envelope.KindBranchSummary: "fromId", envelope.KindLabel: "targetId",
}

// refer notes which entry another one names.
func (b *bodies) refer(i int, kind envelope.Kind, line []byte) {
	raw, ok := jsonl.Lookup(line, referenceNames[kind])
	id, _ := jsonl.String(raw)
	ref := reference{entry: i, id: id, none: ok && jsonl.IsNull(raw)}
	switch kind {
	case envelope.KindLabel:
		raw, _ := jsonl.Lookup(line, "label")
		ref.label, _ = jsonl.String(raw)
	case envelope.KindContextEdit:
		if b.edited == nil {
			b.edited = make(map[string]bool)
		}
		b.edited[id] = true
	}
	b.references = append(b.references, ref)
}
