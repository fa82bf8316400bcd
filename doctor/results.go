package doctor

import (
	"bytes"
	"fmt"

	"github.com/pith-sessions/pith/format"
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
