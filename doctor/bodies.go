package doctor

import (
	"bytes"

	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// bodies holds the parts of entries beyond their envelopes that matter for
// finding faults. Lines are searched, not decoded.
type bodies struct {
	references []reference
	edited     map[string][]int   // context edits by target
	threads    map[string]*thread // by call id
	results    []answer           // in file order
	time       int64              // time of the last entry read that has one
}

// A reference is an entry's reference to another one by id.
type reference struct {
	entry int
	id    string
	label string // label of a label entry
	none  bool   // a compaction states that it keeps nothing
}

// An answer is a tool result and the call that it names.
type answer struct {
	entry int
	id    string
}

// readBodies visits all entries once, in file order.
func (d *diagnosis) readBodies() error {
	b := &d.bodies
	b.threads, b.edited, b.time = make(map[string]*thread), make(map[string][]int), journal.NoTime
	if at, ok := d.was.state.Header.Time(); ok {
		b.time = at.UnixMilli()
	}
	w := walker{view: d.now}
	for i := range d.now.state.Len() {
		e := d.now.state.At(i)
		line, err := w.line(i)
		if err != nil {
			return err
		}
		d.checkText(i, line)
		if e.Time == journal.NoTime {
			d.checkTime(i, line)
		} else {
			b.time = e.Time
		}
		if e.Parent == "" {
			d.checkRoot(i, line)
		}
		switch e.Kind {
		case journal.KindMessage:
			b.message(i, e, line)
		case journal.KindCompaction, journal.KindContextEdit, journal.KindBranchSummary, journal.KindLabel:
			b.refer(i, e.Kind, line)
		}
	}
	return nil
}

var (
	callMark     = []byte(`"toolCall"`)
	callEnd      = []byte(`Call"`) // starts with a letter that is rare in text
	callStart    = []byte(`{"type":"toolCall","id":"`)
	resultPrefix = []byte(`{"role":"toolResult","toolCallId":"`)
)

// message records the calls and results of a message.
func (b *bodies) message(i int, e *journal.Entry, line []byte) {
	switch e.Role {
	case journal.RoleToolResult:
		a := answer{i, callIDOf(e.Message(line))}
		b.results = append(b.results, a)
		t := b.thread(a.id)
		t.results = append(t.results, i)
	case journal.RoleAssistant:
		b.called(i, e.Message(line))
	}
}

// callIDOf returns the id of the call that a tool result answers. Nearly every
// writer puts it second, so the result itself need not be read.
func callIDOf(msg []byte) string {
	if rest, ok := bytes.CutPrefix(msg, resultPrefix); ok {
		if end := bytes.IndexByte(rest, '"'); end >= 0 && bytes.IndexByte(rest[:end], '\\') < 0 {
			return string(rest[:end])
		}
	}
	return jsonl.LookupString(msg, "toolCallId")
}

// called records the calls of an assistant message. It searches for the usual
// form of a call; only a message with an unusual form is parsed.
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
		b.thread(string(id)).call(i)
	}
	ids, _ := callsOf(msg)
	for _, id := range ids {
		b.thread(id).call(i)
	}
}

func (b *bodies) thread(id string) *thread {
	t := b.threads[id]
	if t == nil {
		t = &thread{}
		t.calls, t.results = t.callRoom[:0], t.resultRoom[:0]
		b.threads[id] = t
	}
	return t
}

// callsOf returns the ids of the calls in an assistant message, and whether
// results are expected: an interrupted response has none.
func callsOf(msg []byte) (ids []string, awaited bool) {
	m, _ := journal.ReadMessage(msg)
	stop, _ := jsonl.String(m.StopReason)
	for raw := range jsonl.Elements(m.Content) {
		block, _ := journal.ReadBlock(raw)
		if string(block.Type) != string(callMark) {
			continue
		}
		if id, ok := jsonl.String(block.ID); ok {
			ids = append(ids, id)
		}
	}
	return ids, stop != "error" && stop != "aborted" && stop != "length"
}

var referenceNames = map[journal.Kind]string{
	journal.KindCompaction: "firstKeptEntryId", journal.KindContextEdit: "targetId",
	journal.KindBranchSummary: "fromId", journal.KindLabel: "targetId",
}

func (b *bodies) refer(i int, kind journal.Kind, line []byte) {
	raw, ok := jsonl.Lookup(line, referenceNames[kind])
	id, _ := jsonl.String(raw)
	ref := reference{entry: i, id: id, none: ok && jsonl.IsNull(raw)}
	switch kind {
	case journal.KindLabel:
		ref.label = jsonl.LookupString(line, "label")
	case journal.KindContextEdit:
		b.edited[id] = append(b.edited[id], i)
	}
	b.references = append(b.references, ref)
}
