package transcript

import (
	"encoding/json"
	"iter"
	"strconv"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Message is one message of a context, as JSON in pi's form.
type Message struct {
	Pos int // on the path, of the entry it comes from
	Raw json.RawMessage
}

// Messages yields the messages of the plan over the path from which it was
// built. The bytes of a message are valid until the next iteration. An error is
// yielded once and ends the sequence. The sequence can be ranged over again.
func (plan *Plan) Messages(p Path) iter.Seq2[Message, error] {
	if plan.of == format.OhMyPi {
		return asOhMyPi(plan.all(p))
	}
	return plan.all(p)
}

// all yields the messages of every step.
func (plan *Plan) all(p Path) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		for _, step := range plan.Steps {
			line, err := p.Line(step.Pos)
			if err != nil {
				yield(Message{}, err)
				return
			}
			e := p.At(step.Pos)
			if plan.plain(p, step) {
				raw := e.Message(line)
				if raw != nil && !yield(Message{step.Pos, filled(raw, e)}, nil) {
					return
				}
				continue
			}
			if step.From == FromLines {
				raw, err := plan.linesMessage(p, step)
				if !yield(Message{step.Pos, raw}, err) || err != nil {
					return
				}
				continue
			}
			for _, raw := range plan.project(p, step, line) {
				if !yield(Message{step.Pos, raw}, nil) {
					return
				}
			}
		}
	}
}

// plain reports whether an entry's message is used unchanged. Nearly all are.
func (plan *Plan) plain(p Path, step Step) bool {
	if step.From != FromMessage {
		return false
	}
	if len(plan.edits) == 0 {
		return true
	}
	_, edited := plan.edits[p.At(step.Pos).ID]
	return !edited
}

// project returns an entry's messages with its last edit applied.
func (plan *Plan) project(p Path, step Step, line []byte) []json.RawMessage {
	e := p.At(step.Pos)
	edit, edited := plan.edits[p.At(step.Pos).ID]
	if edited && edit.Replacement == nil {
		return nil
	}
	switch step.From {
	case FromCustom:
		if flag(line, "excludeFromContext") { // Atomic: shown, but not sent
			return nil
		}
		raw := customMessage(line, e.Time)
		if edited {
			raw = withContent(raw, journal.RoleCustom, edit.Replacement)
		}
		return []json.RawMessage{raw}
	case FromBranchSummary:
		if raw := branchSummary(line, e.Time); raw != nil {
			return []json.RawMessage{raw}
		}
		return nil
	case FromCompaction:
		return compactionSummary(line, e.Time)
	case FromNotes:
		return []json.RawMessage{notesMessage(line, e.Time)}
	}
	raw := e.Message(line)
	if raw == nil {
		return nil
	}
	raw = filled(raw, e)
	if edited {
		raw = withContent(raw, e.Role, edit.Replacement)
	}
	return []json.RawMessage{raw}
}

// filled returns a message with empty content if its own is null or missing
// (pitfall 17).
func filled(raw []byte, e *journal.Entry) []byte {
	switch {
	case e.Flags&journal.IsEmpty == 0:
	case e.Role == journal.RoleSystem:
		return jsonl.Set(raw, "content", []byte(`""`))
	case e.Role == journal.RoleUser || e.Role == journal.RoleAssistant || e.Role == journal.RoleToolResult:
		return jsonl.Set(raw, "content", []byte(`[]`))
	}
	return raw
}

// withContent puts an edit's content into a message of a role that may be
// edited.
func withContent(raw []byte, role journal.Role, content *format.Content) []byte {
	switch role {
	case journal.RoleUser, journal.RoleCustom, journal.RoleAssistant, journal.RoleToolResult:
		return jsonl.Set(raw, "content", format.AppendContent(nil, EditContent(role, *content)))
	}
	return raw
}

func customMessage(line []byte, at int64) json.RawMessage {
	out := []byte(`{"role":"custom"`)
	out = member(out, line, "customType")
	if content, ok := jsonl.Lookup(line, "content"); ok && !jsonl.IsNull(content) {
		out = append(append(out, `,"content":`...), content...)
	} else {
		out = append(out, `,"content":[]`...)
	}
	out = member(out, line, "display")
	out = member(out, line, "details")
	return stamp(out, at)
}

// branchSummary returns nil for an empty summary.
func branchSummary(line []byte, at int64) json.RawMessage {
	if jsonl.LookupString(line, "summary") == "" {
		return nil
	}
	out := []byte(`{"role":"branchSummary"`)
	out = member(out, line, "summary")
	out = member(out, line, "fromId")
	return stamp(out, at)
}

func compactionSummary(line []byte, at int64) []json.RawMessage {
	var out []json.RawMessage
	if system, ok := jsonl.Lookup(line, "systemMessage"); ok && jsonl.KindOf(system) == '{' {
		out = append(out, system)
	}
	summary := []byte(`{"role":"compactionSummary"`)
	summary = member(summary, line, "summary")
	summary = member(summary, line, "tokensBefore")
	return append(out, stamp(summary, at))
}

// member copies a member of the entry's line, if it is present.
func member(out, line []byte, name string) []byte {
	raw, ok := jsonl.Lookup(line, name)
	if !ok {
		return out
	}
	out = append(append(append(out, ",\""...), name...), "\":"...)
	return append(out, raw...)
}

// stamp completes a message with the time of its entry.
func stamp(out []byte, at int64) json.RawMessage {
	out = append(out, `,"timestamp":`...)
	if at == journal.NoTime {
		return append(out, "null}"...)
	}
	return append(strconv.AppendInt(out, at, 10), '}')
}
