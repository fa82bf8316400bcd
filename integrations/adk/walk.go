package adksession

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/store"
)

// A walk follows a path of a session, from an entry to the root. It reads the
// log backwards, only as far as the caller goes: parents are before their
// children.
type walk struct {
	ctx  context.Context
	log  store.Log
	text []byte // of the log, from off to its end
	off  int64
	left int    // length of the part of text whose lines were not taken yet
	next string // id of the entry that step returns next; "" at the end
}

func (c *conversation) walk(ctx context.Context) *walk {
	w := &walk{ctx: ctx, log: c.log, text: c.tail, off: c.size - int64(len(c.tail)), next: c.leaf}
	w.restart()
	return w
}

// restart puts back the lines that were taken. A line without a line feed is a
// torn write and is ignored.
func (w *walk) restart() { w.left = bytes.LastIndexByte(w.text, '\n') + 1 }

// torn reports whether the log ends inside a line.
func (w *walk) torn() bool { return len(w.text) > 0 && w.text[len(w.text)-1] != '\n' }

// keep returns the end of the log, for the next walk.
func (w *walk) keep() []byte { return bytes.Clone(w.text[max(0, len(w.text)-minTail):]) }

// line returns the line before those that were taken; nil at the start of the log.
func (w *walk) line() ([]byte, error) {
	for {
		if w.left > 0 {
			start := bytes.LastIndexByte(w.text[:w.left-1], '\n') + 1
			if start > 0 || w.off == 0 {
				line := w.text[start : w.left-1]
				w.left = start
				return line, nil
			}
		}
		if w.off == 0 {
			return nil, nil
		}
		if err := w.more(); err != nil {
			return nil, err
		}
	}
}

// more reads another piece of the log, as long as all pieces so far.
func (w *walk) more() error {
	n := min(max(minTail, int64(len(w.text))), w.off, 4<<20)
	piece := make([]byte, n, n+int64(len(w.text)))
	if err := readAt(w.ctx, w.log, piece, w.off-n); err != nil {
		return err
	}
	untouched := w.left == bytes.LastIndexByte(w.text, '\n')+1
	w.text = append(piece, w.text...)
	w.off -= n
	w.left += int(n)
	if untouched {
		w.restart()
	}
	return nil
}

// An entry is a line of a session as this package reads it.
type entry struct {
	line   []byte
	id     string
	parent string
	kind   format.Type
	record []byte // the data of this package; nil in lines of other programs
}

// The custom types of entries that this package writes.
const (
	sessionType = "adk/session" // the first entry of each session
	eventType   = "adk/event"   // an event without content
	recordKey   = "adk"         // the member of a message that contains its event
)

func parse(line []byte) entry {
	e := entry{line: line, id: jsonl.LookupString(line, "id"), parent: jsonl.LookupString(line, "parentId"), kind: format.Type(jsonl.LookupString(line, "type"))}
	switch e.kind {
	case format.TypeMessage:
		if m, ok := jsonl.Lookup(line, "message"); ok {
			e.record, _ = jsonl.Lookup(m, recordKey)
		}
	case format.TypeCustom:
		if t := jsonl.LookupString(line, "customType"); t == sessionType || t == eventType {
			e.record, _ = jsonl.Lookup(line, "data")
		}
	}
	return e
}

// movesLeaf reports whether the entry only records that its parent is the leaf.
func (e *entry) movesLeaf() bool {
	return e.kind == format.TypeCustom && jsonl.LookupString(e.line, "customType") == format.LeafCustomType
}

// event returns the JSON of the event that the entry completes, or nil.
func (e *entry) event() []byte {
	raw, _ := jsonl.Lookup(e.record, "event")
	return raw
}

// whole returns the session state at the entry, if the entry contains it.
func (e *entry) whole() (v values, ok bool, err error) {
	raw, ok := jsonl.Lookup(e.record, "state")
	if !ok {
		return nil, false, nil
	}
	v = values{}
	return v, true, json.Unmarshal(raw, &v)
}

// stand finds the leaf of the session by pith's rule: the last entry that is
// neither a name nor a label; a record of the leaf is replaced by its parent.
func (w *walk) stand() error {
	for {
		line, err := w.line()
		if err != nil {
			return err
		}
		if line == nil {
			return format.ErrNotSession
		}
		if !jsonl.Valid(line) {
			continue
		}
		e := parse(line)
		if e.kind == format.TypeLabel || e.kind == format.TypeSessionInfo || e.kind == format.TypeSession || e.id == "" {
			continue
		}
		if w.next = e.id; e.movesLeaf() {
			w.next = e.parent
		}
		break
	}
	w.restart()
	for {
		at := w.next
		e, ok, err := w.step()
		if err != nil {
			return err
		}
		if !ok || !e.movesLeaf() {
			w.next = at
			w.restart()
			return nil
		}
	}
}

// step returns the next entry of the path; ok is false after the root.
func (w *walk) step() (e entry, ok bool, err error) {
	if w.next == "" {
		return entry{}, false, nil
	}
	want := []byte(w.next)
	for {
		line, err := w.line()
		if err != nil || line == nil {
			return entry{}, false, err
		}
		if !bytes.Contains(line, want) || !jsonl.Valid(line) {
			continue
		}
		if e = parse(line); e.id == w.next && e.kind != format.TypeSession {
			w.next = e.parent
			return e, true, nil
		}
	}
}

// fold returns the session state at the walk's entry, the number of events
// since one with the whole state, and the time of the last addition to the
// path. If the path meets the known tip, its state is used.
func (w *walk) fold(known tip, at values) (state values, since int, updated time.Time, err error) {
	var deltas []values
	finish := func(base values, before int, when time.Time) (values, int, time.Time, error) {
		for i := len(deltas) - 1; i >= 0; i-- {
			base = base.with(deltas[i])
		}
		if updated.IsZero() {
			updated = when
		}
		return base, since + before, updated, nil
	}
	for {
		if w.next != "" && w.next == known.leaf {
			return finish(at, known.since, known.updated)
		}
		e, ok, err := w.step()
		if err != nil {
			return nil, 0, updated, err
		}
		if !ok {
			return nil, 0, updated, fmt.Errorf("%w of this service: its first entry is missing", format.ErrNotSession)
		}
		if e.record == nil {
			continue
		}
		raw := e.event()
		if updated.IsZero() {
			updated = timeOf(e, raw)
		}
		if v, ok, err := e.whole(); err != nil {
			return nil, 0, updated, err
		} else if ok {
			return finish(v, 0, updated)
		}
		if raw != nil {
			since++
			delta, err := deltaOf(raw)
			if err != nil {
				return nil, 0, updated, err
			}
			deltas = append(deltas, delta)
		}
	}
}

// timeOf returns the time of an event, or of the creation of the session.
func timeOf(e entry, event []byte) time.Time {
	var t time.Time
	raw, _ := jsonl.Lookup(event, "timestamp")
	if event == nil {
		raw, _ = jsonl.Lookup(e.record, "created")
	}
	if json.Unmarshal(raw, &t) != nil {
		return time.Time{}
	}
	return t
}

// deltaOf returns the changes of an event to the session's own state.
func deltaOf(event []byte) (values, error) {
	actions, _ := jsonl.Lookup(event, "actions")
	raw, ok := jsonl.Lookup(actions, "stateDelta")
	if !ok || len(raw) <= len("{}") {
		return nil, nil
	}
	var delta values
	if err := json.Unmarshal(raw, &delta); err != nil {
		return nil, err
	}
	maps.DeleteFunc(delta, func(k string, _ json.RawMessage) bool { return scoped(k) })
	return delta, nil
}
