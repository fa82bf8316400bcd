// Package entryline describes an entry of a session in one line: its author and
// its content.
//
// It adds no colors and escapes text for a terminal. Both the command and the
// terminal app show trees with it.
package entryline

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
)

// mostCells is the maximum width of an entry's text in its line.
const mostCells = 200

// A Line describes an entry in one line: who, then what. Both are safe to
// print.
type Line struct {
	Head     string
	HeadTone tone.Tone
	Text     string
	TextTone tone.Tone
}

func (l Line) String() string { return l.Head + l.Text }

// Width returns the number of cells of the line.
func (l Line) Width() int { return termsafe.Width(l.Head) + termsafe.Width(l.Text) }

// Cut returns the line in at most the given number of cells.
func (l Line) Cut(cells int) Line {
	if l.Width() <= cells {
		return l
	}
	l.Head = termsafe.Fit(l.Head, cells)
	l.Text = termsafe.Fit(l.Text, cells-termsafe.Width(l.Head))
	return l
}

// A Describer describes entries in one line each. A tool result is described by
// its call, so calls must be passed before their results.
type Describer struct {
	calls map[string]string // id of a tool call to its description
	path  func(string) string
}

// NewDescriber returns a Describer that formats paths with path.
func NewDescriber(path func(string) string) *Describer {
	return &Describer{calls: map[string]string{}, path: path}
}

// Describe returns the line of an entry.
func (d *Describer) Describe(e format.Entry) Line {
	b := d.brief(e)
	return d.Line(&b)
}

// A Brief is the part of a description that depends only on the entry.
// [Describer.Line] returns the line, which for a tool result depends on earlier
// entries.
type Brief struct {
	Silent bool // a response without text that did not fail: it only carries tool calls, which their results describe
	Failed bool // a tool result that reports an error

	line   Line
	calls  []call
	result *result // set for a tool result
}

type call struct{ id, description string }

// A result names the call and the tool of a tool result.
type result struct{ call, tool string }

// Calls yields the ids of the tool calls of a response and their descriptions.
func (b *Brief) Calls() iter.Seq2[string, string] {
	return func(yield func(id, description string) bool) {
		for _, c := range b.calls {
			if !yield(c.id, c.description) {
				return
			}
		}
	}
}

// Line returns the line of the entry. For a tool result it asks for the
// description of the call with an id.
func (b *Brief) Line(described func(call string) (string, bool)) Line {
	if b.result == nil {
		return b.line
	}
	text, known := described(b.result.call)
	if !known {
		text = "[" + cmp.Or(oneLine(b.result.tool), "tool") + "]"
	}
	return Line{Text: text, TextTone: tone.Dim}
}

// Read reads the raw line of an entry, and decodes only the part that is shown.
// It is safe for concurrent use.
func (d *Describer) Read(raw []byte) (Brief, error) {
	if m, ok := journal.MessageOf(raw); ok {
		if b, ok := d.glimpse(&m); ok {
			return b, nil
		}
	}
	e, err := format.DecodeEntry(raw)
	if err != nil {
		return Brief{}, err
	}
	return d.brief(e), nil
}

// ReadForLine is like Read for callers that need only the line. Most of a file
// is tool output, of which the line shows only the call: no more of it is read,
// and Failed is not set.
func (d *Describer) ReadForLine(raw []byte) (Brief, error) {
	if call, tool, ok := usualResult(journal.UsualMessage(raw)); ok {
		return Brief{result: &result{call, tool}}, nil
	}
	return d.Read(raw)
}

// ReadSearched is like Read, but also returns the searched text, as the
// function Search does.
func (d *Describer) ReadSearched(raw []byte) (b Brief, search string, err error) {
	if m, ok := journal.MessageOf(raw); ok {
		if b, ok := d.glimpse(&m); ok {
			return b, strings.ToLower(word(m.Role) + " " + beginning(textOf(m.Content, mostSearched, nil))), nil
		}
	}
	e, err := format.DecodeEntry(raw)
	if err != nil {
		return Brief{}, "", err
	}
	return d.brief(e), Search(e), nil
}

// Line returns the line of an entry that was read. Entries must be passed in
// order.
func (d *Describer) Line(b *Brief) Line {
	for _, c := range b.calls {
		d.calls[c.id] = c.description
	}
	return b.Line(func(call string) (string, bool) {
		text, known := d.calls[call]
		return text, known
	})
}

func (d *Describer) brief(e format.Entry) (b Brief) {
	m, ok := e.(*format.MessageEntry)
	if !ok {
		b.line = entryLine(e)
		return b
	}
	switch m := m.Message.(type) {
	case *format.Assistant:
		b.answer(m.Content.Joined(), m.StopReason, m.ErrorMessage)
		for _, block := range m.Content.Blocks {
			if c, ok := block.(*format.ToolCallBlock); ok {
				b.take(d, c)
			}
		}
	case *format.ToolResult:
		b.result, b.Failed = &result{m.ToolCallID, m.ToolName}, m.IsError
	default:
		b.line = messageLine(m)
	}
	return b
}

func (b *Brief) take(d *Describer, c *format.ToolCallBlock) {
	if c.ID != "" {
		b.calls = append(b.calls, call{c.ID, describeCall(c, d.path)})
	}
}

// answer sets the text of a response, and why it ended.
func (b *Brief) answer(text, stopReason, errorMessage string) {
	b.line = Line{Head: "assistant: ", HeadTone: tone.Assistant, Text: oneLine(text)}
	if b.line.Text != "" {
		return
	}
	switch {
	case stopReason == "aborted":
		b.line.Text, b.line.TextTone = "(aborted)", tone.Dim
	case errorMessage != "":
		b.line.Text, b.line.TextTone = termsafe.Fit(oneLine(errorMessage), 80), tone.Error
	default:
		b.line.Text, b.line.TextTone = "(no content)", tone.Dim
	}
	switch stopReason {
	case "", "stop", "toolUse":
		b.Silent = strings.TrimSpace(text) == ""
	}
}

func userLine(text string) Line { return Line{"user: ", tone.User, oneLine(text), tone.None} }

// entryLine describes an entry that is not a message.
func entryLine(e format.Entry) Line {
	switch e := e.(type) {
	case *format.CustomMessage:
		return Line{"[" + oneLine(e.CustomType) + "]: ", tone.Note, oneLine(e.Content.Joined()), tone.None}
	case *format.Compaction:
		return Line{fmt.Sprintf("[compaction: %.0fk tokens]", math.Round(float64(e.TokensBefore)/1000)), tone.Note, "", tone.None}
	case *format.BranchSummary:
		return Line{"[branch summary]: ", tone.Warning, oneLine(e.Summary), tone.None}
	}
	return Line{Text: bookkeeping(e), TextTone: tone.Dim}
}

// bookkeeping describes the entries outside the conversation.
func bookkeeping(e format.Entry) string {
	switch e := e.(type) {
	case *format.ModelChange:
		return "[model: " + oneLine(e.ModelID) + "]"
	case *format.ThinkingLevelChange:
		return "[thinking: " + oneLine(e.Level) + "]"
	case *format.Custom:
		return "[custom: " + oneLine(e.CustomType) + "]"
	case *format.ContextEdit:
		if e.Replacement == nil {
			return "[context omit: " + oneLine(e.TargetID) + "]"
		}
		return "[context replace: " + oneLine(e.TargetID) + "]"
	case *format.Label:
		if e.Label == "" {
			return "[label: (cleared)]"
		}
		return "[label: " + oneLine(e.Label) + "]"
	case *format.SessionInfo:
		if strings.TrimSpace(e.Name) == "" {
			return "[title: empty]"
		}
		return "[title: " + oneLine(e.Name) + "]"
	case *format.UsageEntry:
		return "[usage: " + oneLine(e.Kind) + "]"
	}
	head := e.Head()
	if text := format.DisplayText(head.Type, head.Raw); text != "" {
		return "[" + oneLine(string(head.Type)) + ": " + oneLine(text) + "]"
	}
	return "[" + oneLine(string(head.Type)) + "]"
}

func messageLine(m format.Message) Line {
	switch m := m.(type) {
	case *format.User:
		return userLine(m.Content.Joined())
	case *format.BashExecution:
		return Line{"[bash]: ", tone.Dim, oneLine(m.Command), tone.Dim}
	case *format.CustomRole:
		return Line{"[" + oneLine(m.CustomType) + "]: ", tone.Note, oneLine(m.Content.Joined()), tone.None}
	case *format.BranchSummaryMessage:
		return Line{"[branch summary]: ", tone.Warning, oneLine(m.Summary), tone.None}
	case *format.CompactionSummaryMessage:
		return Line{"[compaction summary]: ", tone.Note, oneLine(m.Summary), tone.None}
	case *format.UnknownMessage:
		if text := m.DisplayText(); text != "" {
			return Line{"[" + oneLine(string(m.RoleName)) + "]: ", tone.Dim, oneLine(text), tone.Dim}
		}
	}
	role := "no message"
	if m != nil && m.Role() != "" {
		role = string(m.Role())
	}
	return Line{Text: "[" + oneLine(role) + "]", TextTone: tone.Dim}
}

// oneLine returns text trimmed, escaped and not too long.
func oneLine(s string) string {
	return strings.TrimSpace(termsafe.Fit(strings.TrimSpace(s), mostCells))
}
