// Package entryline describes an entry of a session in one line: its author and
// its content.
//
// It shows the items of package inspect, adds no colors and escapes text for a
// terminal. Both the command and the terminal app use it.
package entryline

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/toolcall"
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

// Read reads the line of an entry. Of a tool result, which is most of a file, the
// description shows only the call: its text is not decoded. Read is safe for
// concurrent use.
func (d *Describer) Read(line *pith.Line) (Brief, error) {
	if line.Role == format.RoleToolResult {
		var s inspect.Speech
		s.Read(line.Raw)
		return Brief{result: &result{s.Result, s.Tool}}, nil
	}
	e, err := format.DecodeEntry(line.Raw)
	if err != nil {
		return Brief{}, err
	}
	return d.brief(e), nil
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

// brief describes an entry by its items.
func (d *Describer) brief(e format.Entry) (b Brief) {
	var text strings.Builder
	var failure *inspect.Item
	items := inspect.Items(e)
	for i := range items {
		switch it := &items[i]; it.Kind {
		case inspect.ToolUse:
			if it.Tool.Result != nil {
				b.result = &result{string(it.Tool.CallID), string(it.Name)}
			} else if it.Tool.CallID != "" {
				b.calls = append(b.calls, call{string(it.Tool.CallID), d.call(it)})
			}
		case inspect.Failure:
			failure = it
		case inspect.Thinking:
		default:
			text.WriteString(string(it.Text))
		}
	}
	m, isMessage := e.(*format.MessageEntry)
	switch {
	case isMessage && m.Message.Role() == format.RoleAssistant:
		b.answer(text.String(), failure)
	case isMessage && len(items) > 0 && items[0].Kind == inspect.Other && text.Len() > 0:
		b.line = Line{"[" + oneLine(string(items[0].Name)) + "]: ", tone.Dim, oneLine(text.String()), tone.Dim}
	case len(items) > 0:
		b.line = lineOf(&items[0], oneLine(text.String()))
	}
	return b
}

// call describes a tool call in brackets: what it did, to which file.
func (d *Describer) call(it *inspect.Item) string {
	most := mostCells
	about, argument, isPath := toolcall.Summary(string(it.Name), it.Tool.Arguments, d.path)
	switch {
	case argument == "":
		most = 40
	case !isPath:
		most = 50
	}
	return fmt.Sprintf("[%s: %s]", oneLine(string(it.Name)), termsafe.Fit(oneLine(about), most))
}

// answer describes a response: its text, or why it has none.
func (b *Brief) answer(text string, failure *inspect.Item) {
	b.line = Line{Head: "assistant: ", HeadTone: tone.Assistant, Text: oneLine(text)}
	switch {
	case b.line.Text != "":
	case failure == nil:
		b.line.Text, b.line.TextTone = "(no content)", tone.Dim
		b.Silent = true
	case failure.Name == "aborted":
		b.line.Text, b.line.TextTone = "(aborted)", tone.Dim
	default:
		b.line.Text, b.line.TextTone = termsafe.Fit(oneLine(string(failure.Text)), 80), tone.Error
	}
}

// lineOf describes an entry that is not a response by its first item and its
// text, which is on one line.
func lineOf(it *inspect.Item, text string) Line {
	name := oneLine(string(it.Name))
	note := func(kind, value string) Line { return Line{Text: "[" + kind + ": " + value + "]", TextTone: tone.Dim} }
	switch it.Kind {
	case inspect.User:
		return Line{"user: ", tone.User, text, tone.None}
	case inspect.Custom:
		return Line{"[" + name + "]: ", tone.Note, text, tone.None}
	case inspect.Shell:
		return Line{"[bash]: ", tone.Dim, oneLine(string(it.Bash.Command)), tone.Dim}
	case inspect.Compaction:
		return Line{fmt.Sprintf("[compaction: %.0fk tokens]", math.Round(float64(it.TokensBefore)/1000)), tone.Note, "", tone.None}
	case inspect.BranchSummary:
		return Line{"[branch summary]: ", tone.Warning, text, tone.None}
	case inspect.System:
		return Line{Text: "[system]", TextTone: tone.Dim}
	case inspect.ModelChange:
		return note("model", name)
	case inspect.ThinkingLevel:
		return note("thinking", name)
	case inspect.State:
		return note("custom", name)
	case inspect.Label:
		return note("label", cmp.Or(name, "(cleared)"))
	case inspect.Name:
		return note("title", cmp.Or(name, "empty"))
	case inspect.Spending:
		return note("usage", name)
	case inspect.ContextEdit:
		if it.Hidden {
			return note("context omit", oneLine(string(it.Target)))
		}
		return note("context replace", oneLine(string(it.Target)))
	}
	if text != "" {
		return note(name, text)
	}
	return Line{Text: "[" + name + "]", TextTone: tone.Dim}
}

// Copy returns the text that copying an entry gives: the text of a message, a
// command, an error, a summary, or "" if there is nothing to copy.
func Copy(e format.Entry) string {
	var text strings.Builder
	failure := ""
	for _, it := range inspect.Items(e) {
		switch it.Kind {
		case inspect.User, inspect.Response, inspect.Custom, inspect.Compaction, inspect.BranchSummary:
			text.WriteString(string(it.Text))
		case inspect.ToolUse:
			if it.Tool.Result != nil {
				text.WriteString(string(it.Tool.Result.Text))
			}
		case inspect.Shell:
			text.WriteString(string(it.Bash.Command))
		case inspect.Failure:
			failure = string(it.Text)
		}
	}
	if strings.TrimSpace(text.String()) == "" {
		return failure
	}
	return text.String()
}

// oneLine returns text trimmed, escaped and not too long. It does not keep the
// whole text alive.
func oneLine(s string) string {
	return strings.Clone(strings.TrimSpace(termsafe.Fit(strings.TrimSpace(s), mostCells)))
}
