// Package entryline tells entries of a session in one line each: who, and what.
//
// It decodes nothing more than it is given, adds no colours and makes text
// harmless. Both the command and the terminal app show trees with it.
package entryline

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/format"
)

// gistCells is how much of an entry's text its one line holds at most.
const gistCells = 200

// A Tone is what a piece of a gist is to the reader.
type Tone uint8

// The tones.
const (
	Plain Tone = iota
	Dim
	User
	Assistant
	Warning
	Error
	Note
)

// A Gist is an entry in one line: who, then what. Both are harmless.
type Gist struct {
	Head     string
	HeadTone Tone
	Text     string
	TextTone Tone
}

func (g Gist) String() string { return g.Head + g.Text }

// Width is how many cells the gist takes.
func (g Gist) Width() int { return termsafe.Width(g.Head) + termsafe.Width(g.Text) }

// Cut is the gist in at most the given number of cells.
func (g Gist) Cut(cells int) Gist {
	if g.Width() <= cells {
		return g
	}
	g.Head = termsafe.Fit(g.Head, cells)
	g.Text = termsafe.Fit(g.Text, cells-termsafe.Width(g.Head))
	return g
}

// A Teller tells entries in one line each. It must see tool calls before their
// results, which are told by their calls.
type Teller struct {
	calls map[string]string // id of a tool call to its gist
	path  func(string) string
}

// NewTeller is a teller that shows paths as homely writes them.
func NewTeller(homely func(string) string) *Teller {
	return &Teller{calls: map[string]string{}, path: homely}
}

// Learn remembers the tool calls of an entry.
func (t *Teller) Learn(e format.Entry) {
	m, ok := e.(*format.MessageEntry)
	if !ok {
		return
	}
	answer, ok := m.Message.(*format.Assistant)
	if !ok {
		return
	}
	for _, b := range answer.Content.Blocks {
		if call, ok := b.(*format.ToolCallBlock); ok && call.ID != "" {
			t.calls[call.ID] = callGist(call, t.path)
		}
	}
}

// Of tells an entry.
func (t *Teller) Of(e format.Entry) Gist {
	switch e := e.(type) {
	case *format.MessageEntry:
		return t.message(e.Message)
	case *format.CustomMessage:
		return Gist{"[" + oneLine(e.CustomType) + "]: ", Note, oneLine(e.Content.Joined()), Plain}
	case *format.Compaction:
		return Gist{fmt.Sprintf("[compaction: %.0fk tokens]", math.Round(float64(e.TokensBefore)/1000)), Note, "", Plain}
	case *format.BranchSummary:
		return Gist{"[branch summary]: ", Warning, oneLine(e.Summary), Plain}
	}
	return Gist{Text: bookkeepingGist(e), TextTone: Dim}
}

// bookkeepingGist tells the entries that are no part of the conversation.
func bookkeepingGist(e format.Entry) string {
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
	return "[" + oneLine(string(e.Head().Type)) + "]"
}

func (t *Teller) message(m format.Message) Gist {
	switch m := m.(type) {
	case *format.User:
		return Gist{"user: ", User, oneLine(m.Content.Joined()), Plain}
	case *format.Assistant:
		return assistantGist(m)
	case *format.ToolResult:
		return t.resultOf(m.ToolCallID, m.ToolName)
	case *format.BashExecution:
		return Gist{"[bash]: ", Dim, oneLine(m.Command), Dim}
	case *format.CustomRole:
		return Gist{"[" + oneLine(m.CustomType) + "]: ", Note, oneLine(m.Content.Joined()), Plain}
	case *format.BranchSummaryMessage:
		return Gist{"[branch summary]: ", Warning, oneLine(m.Summary), Plain}
	case *format.CompactionSummaryMessage:
		return Gist{"[compaction summary]: ", Note, oneLine(m.Summary), Plain}
	}
	role := "no message"
	if m != nil && m.Role() != "" {
		role = string(m.Role())
	}
	return Gist{Text: "[" + oneLine(role) + "]", TextTone: Dim}
}

func assistantGist(m *format.Assistant) Gist {
	g := Gist{Head: "assistant: ", HeadTone: Assistant}
	text := oneLine(m.Content.Joined())
	switch {
	case text != "":
		g.Text = text
	case m.StopReason == "aborted":
		g.Text, g.TextTone = "(aborted)", Dim
	case m.ErrorMessage != "":
		g.Text, g.TextTone = termsafe.Fit(oneLine(m.ErrorMessage), 80), Error
	default:
		g.Text, g.TextTone = "(no content)", Dim
	}
	return g
}

// resultOf tells the result of a tool by its call, if that is known.
func (t *Teller) resultOf(call, tool string) Gist {
	text, known := t.calls[call]
	if !known {
		text = "[" + cmp.Or(oneLine(tool), "tool") + "]"
	}
	return Gist{Text: text, TextTone: Dim}
}

// oneLine is text without breaks at its ends, harmless and not too long.
func oneLine(s string) string {
	return strings.TrimSpace(termsafe.Fit(strings.TrimSpace(s), gistCells))
}

// Silent reports whether an entry is an answer that says nothing and did
// not fail: a mere carrier of tool calls, which their results tell of.
func Silent(e format.Entry) bool {
	m, ok := e.(*format.MessageEntry)
	if !ok {
		return false
	}
	answer, ok := m.Message.(*format.Assistant)
	return ok && silent(answer)
}

func silent(m *format.Assistant) bool {
	if strings.TrimSpace(m.Content.Joined()) != "" {
		return false
	}
	switch m.StopReason {
	case "", "stop", "toolUse":
		return true
	}
	return false
}
