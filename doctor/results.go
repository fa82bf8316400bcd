package doctor

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/transcript"
)

// strayResultType is the customType of what was a tool result that no provider
// takes where it stands.
const strayResultType = "pith/tool-result"

// retell makes a message of an extension of a stray result. Models get what it
// said, introduced as pith.Context.Repaired introduces it, and the whole of the
// former message stays in the details. again tells that its call has another one.
func (d *diagnosis) retell(i int, again bool) error {
	e := &d.entries()[i]
	line, err := d.now.bytes(e.Offset, int(e.Len))
	if err != nil {
		return err
	}
	msg := e.Message(line)
	content := quoted(msg)
	if again {
		content = introduced(content, msg)
	}
	for _, m := range []member{
		text("type", string(format.TypeCustomMessage)), {"message", nil}, text("customType", strayResultType),
		{"content", content}, {"display", []byte("true")}, {"details", bytes.Clone(msg)},
	} {
		d.set(i, m)
	}
	return nil
}

// quoted is the content of a result as a message of the user: an introduction, and
// the text and pictures that it has.
func quoted(msg []byte) []byte {
	alone, _ := transcript.Repair([]transcript.Message{{Raw: msg}})
	for _, m := range alone {
		if content, ok := jsonl.Lookup(m.Raw, "content"); ok {
			return bytes.Clone(content)
		}
	}
	return []byte("[]")
}

// introduced is quoted content that says instead that its call was answered before.
func introduced(content, msg []byte) []byte {
	out := jsonl.AppendString([]byte(`[{"type":"text","text":`),
		fmt.Sprintf("One more result of the tool %q (call %q), which has one already:", jsonl.LookupString(msg, "toolName"), callIDOf(msg)))
	out = append(out, '}')
	first := true
	for block := range jsonl.Elements(content) {
		if !first {
			out = append(append(out, ','), block...)
		}
		first = false
	}
	return append(out, ']')
}

// resultsFor are the results that the calls of an answer get where they have none,
// by the ids of the calls: those that pith.Context.Repaired makes up for models. A
// call that nobody can answer has none.
func resultsFor(msg []byte) map[string][]byte {
	closed, _ := transcript.Repair([]transcript.Message{{Raw: bytes.Clone(msg)}})
	out := make(map[string][]byte, len(closed))
	for _, m := range closed {
		if format.Role(envelope.RoleName(m.Raw)) == format.RoleToolResult {
			out[callIDOf(m.Raw)] = m.Raw
		}
	}
	return out
}

// A result is an entry that a repair adds.
type result struct {
	callID string
	line   []byte
}

// closeCalls puts results behind the answers whose calls are open, and what came
// behind these answers below them. A result stands in the file where its parent
// does, so that the last line, which is the place where programs go on, stays last.
func (d *diagnosis) closeCalls() {
	calls := d.waiting.calls
	for len(calls) > 0 {
		n := slices.IndexFunc(calls, func(c openCall) bool { return c.entry != calls[0].entry })
		if n < 0 {
			n = len(calls)
		}
		d.closeAnswer(calls[:n])
		calls = calls[n:]
	}
}

// closeAnswer closes the calls of one answer.
func (d *diagnosis) closeAnswer(calls []openCall) {
	behind := d.lastResult(calls[0].entry)
	at := time.UnixMilli(d.entries()[behind].Time)
	if d.entries()[behind].Time == envelope.NoTime {
		at = d.opt.now()
	}
	parent := d.id(behind)
	if d.cure.added == nil {
		d.cure.added = make(map[int][]result)
	}
	for _, c := range calls {
		id := d.newID(behind, "result of "+c.id)
		line := jsonl.AppendString([]byte(`{"type":"message","id":`), id)
		line = jsonl.AppendString(append(line, `,"parentId":`...), parent)
		line = jsonl.AppendString(append(line, `,"timestamp":`...), format.FormatTime(at))
		line = append(append(append(line, `,"message":`...), c.result...), '}')
		d.cure.added[behind] = append(d.cure.added[behind], result{c.id, line})
		parent = id
	}
	for child := range d.before.children(behind) {
		d.set(child, text("parentId", parent))
	}
}

// lastResult is the last of the results that stand right behind an answer, one
// below the other, up to one that is retold; without any, the answer itself.
func (d *diagnosis) lastResult(of int) int {
	last := of
	for {
		next, only := d.before.onlyChild(last)
		if !only {
			return last
		}
		n, ok := slices.BinarySearchFunc(d.bodies.results, next, func(r answer, i int) int { return r.entry - i })
		if _, retold := d.waiting.results[next]; !ok || retold || d.bodies.callBy(of, d.bodies.results[n].id) == nil {
			return last
		}
		last = next
	}
}

// callBy is the call of that id that the answer of an entry made, or nil.
func (b *bodies) callBy(entry int, id string) *call {
	t := b.threads[id]
	if t == nil {
		return nil
	}
	n, ok := slices.BinarySearchFunc(t.calls, entry, func(c call, i int) int { return c.entry - i })
	if !ok {
		return nil
	}
	return &t.calls[n]
}

// isEnd reports whether nothing was said below an entry.
func (d *diagnosis) isEnd(i int) bool {
	for child := range d.before.children(i) {
		if !d.entries()[child].Bookkeeping() {
			return false
		}
	}
	return true
}
