package doctor

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/transcript"
)

// strayResultType is the customType of a former tool result that no provider
// accepts at its position.
const strayResultType = "pith/tool-result"

// retell turns a stray result into an extension message. Models see its text,
// introduced as by pith.Context.Repaired, and the whole original message is
// kept in the details. again means that its call has another result.
func (d *diagnosis) retell(i int, again bool) error {
	e := d.now.state.At(i)
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

// quoted returns the content of a result as a user message: an introduction,
// and its text and images.
func quoted(msg []byte) []byte {
	alone, _ := transcript.Repair([]transcript.Message{{Raw: msg}})
	for _, m := range alone {
		if content, ok := jsonl.Lookup(m.Raw, "content"); ok {
			return bytes.Clone(content)
		}
	}
	return []byte("[]")
}

// introduced returns quoted content whose introduction says that the call
// already has a result.
func introduced(content, msg []byte) []byte {
	out := jsonl.AppendString([]byte(`[{"type":"text","text":`),
		fmt.Sprintf("Another result of the tool %q (call %q), which already has one:", jsonl.LookupString(msg, "toolName"), callIDOf(msg)))
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

// resultsFor returns, by call id, the results that open calls of a response
// get, as made by pith.Context.Repaired. A call that cannot be answered has
// none.
func resultsFor(msg []byte) map[string][]byte {
	closed, _ := transcript.Repair([]transcript.Message{{Raw: bytes.Clone(msg)}})
	out := make(map[string][]byte, len(closed))
	for _, m := range closed {
		if format.Role(journal.RoleName(m.Raw)) == format.RoleToolResult {
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

// closeCalls inserts results after responses with open calls, and attaches the
// children of these responses to them. A result is in the file next to its
// parent, so that the last line, at which programs continue, stays last.
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

func (d *diagnosis) closeAnswer(calls []openCall) {
	last := d.lastResult(calls[0].entry)
	at := time.UnixMilli(d.now.state.At(last).Time)
	if d.now.state.At(last).Time == journal.NoTime {
		at = d.opt.now()
	}
	parent := d.id(last)
	for _, c := range calls {
		id := d.newID(last, "result of "+c.id)
		line := jsonl.AppendString([]byte(`{"type":"message","id":`), id)
		line = jsonl.AppendString(append(line, `,"parentId":`...), parent)
		line = jsonl.AppendString(append(line, `,"timestamp":`...), format.FormatTime(at))
		line = append(append(append(line, `,"message":`...), c.result...), '}')
		d.changeSet.added[last] = append(d.changeSet.added[last], result{c.id, line})
		parent = id
	}
	for child := range d.before.children(last) {
		d.set(child, text("parentId", parent))
	}
}

// lastResult returns the last of the consecutive results after a response, up
// to one that is retold, or the response itself.
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

// callBy returns the call with that id in an entry's response, or nil.
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

// isEnd reports whether no conversation follows below an entry.
func (d *diagnosis) isEnd(i int) bool {
	for child := range d.before.children(i) {
		if !d.now.state.At(child).Bookkeeping() {
			return false
		}
	}
	return true
}
