package cli

import (
	"fmt"
	"math"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/plain"
)

// gistCells is how much of an entry's text its one line holds at most.
const gistCells = 200

// A gist is an entry in one line: who, then what. Both are harmless.
type gist struct {
	head     string
	headTone tone
	text     string
	textTone tone
}

func (g gist) String() string { return g.head + g.text }

// width is how many cells the gist takes.
func (g gist) width() int { return plain.Width(g.head) + plain.Width(g.text) }

// cut is the gist in at most the given number of cells.
func (g gist) cut(cells int) gist {
	if g.width() <= cells {
		return g
	}
	g.head = plain.Fit(g.head, cells)
	g.text = plain.Fit(g.text, cells-plain.Width(g.head))
	return g
}

func (p palette) gist(g gist) string {
	return p.paint(g.headTone, g.head) + p.paint(g.textTone, g.text)
}

// A gister tells entries in one line each. It must see tool calls before their
// results, which are told by their calls.
type gister struct {
	calls map[string]string // id of a tool call to its gist
	path  func(string) string
}

func newGister(homely func(string) string) *gister {
	return &gister{calls: map[string]string{}, path: homely}
}

// learn remembers the tool calls of an entry.
func (g *gister) learn(e format.Entry) {
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
			g.calls[call.ID] = callGist(call, g.path)
		}
	}
}

// of tells an entry.
func (g *gister) of(e format.Entry) gist {
	switch e := e.(type) {
	case *format.MessageEntry:
		return g.message(e.Message)
	case *format.CustomMessage:
		return gist{"[" + oneLine(e.CustomType) + "]: ", toneNote, oneLine(textOf(e.Content)), toneNone}
	case *format.Compaction:
		return gist{fmt.Sprintf("[compaction: %.0fk tokens]", math.Round(float64(e.TokensBefore)/1000)), toneNote, "", toneNone}
	case *format.BranchSummary:
		return gist{"[branch summary]: ", toneWarning, oneLine(e.Summary), toneNone}
	}
	return gist{text: bookkeepingGist(e), textTone: toneDim}
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

func (g *gister) message(m format.Message) gist {
	switch m := m.(type) {
	case *format.User:
		return gist{"user: ", toneUser, oneLine(textOf(m.Content)), toneNone}
	case *format.Assistant:
		return assistantGist(m)
	case *format.ToolResult:
		return g.result(m)
	case *format.BashExecution:
		return gist{"[bash]: ", toneDim, oneLine(m.Command), toneDim}
	case *format.CustomRole:
		return gist{"[" + oneLine(m.CustomType) + "]: ", toneNote, oneLine(textOf(m.Content)), toneNone}
	case *format.BranchSummaryMessage:
		return gist{"[branch summary]: ", toneWarning, oneLine(m.Summary), toneNone}
	case *format.CompactionSummaryMessage:
		return gist{"[compaction summary]: ", toneNote, oneLine(m.Summary), toneNone}
	}
	role := "no message"
	if m != nil && m.Role() != "" {
		role = string(m.Role())
	}
	return gist{text: "[" + oneLine(role) + "]", textTone: toneDim}
}

func assistantGist(m *format.Assistant) gist {
	g := gist{head: "assistant: ", headTone: toneAssistant}
	text := oneLine(textOf(m.Content))
	switch {
	case text != "":
		g.text = text
	case m.StopReason == "aborted":
		g.text, g.textTone = "(aborted)", toneDim
	case m.ErrorMessage != "":
		g.text, g.textTone = plain.Fit(oneLine(m.ErrorMessage), 80), toneError
	default:
		g.text, g.textTone = "(no content)", toneDim
	}
	return g
}

func (g *gister) result(m *format.ToolResult) gist { return g.resultOf(m.ToolCallID, m.ToolName) }

// resultLine tells a line that holds the result of a tool without decoding it.
func (g *gister) resultLine(line []byte) gist {
	message, _ := jsonl.Lookup(line, "message")
	return g.resultOf(argument(message, "toolCallId"), argument(message, "toolName"))
}

func (g *gister) resultOf(call, tool string) gist {
	text, known := g.calls[call]
	if !known {
		text = "[tool]"
		if tool != "" {
			text = "[" + oneLine(tool) + "]"
		}
	}
	return gist{text: text, textTone: toneDim}
}

// textOf is the text of content, blocks joined as they are.
func textOf(c format.Content) string {
	if c.IsText {
		return c.Text
	}
	var b strings.Builder
	for _, block := range c.Blocks {
		if t, ok := block.(*format.TextBlock); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// oneLine is text without breaks at its ends, harmless and not too long.
func oneLine(s string) string { return strings.TrimSpace(plain.Fit(strings.TrimSpace(s), gistCells)) }

// isSilentAnswer reports whether an entry is an answer that says nothing and did
// not fail: a mere carrier of tool calls, which their results tell of.
func isSilentAnswer(e format.Entry) bool {
	m, ok := e.(*format.MessageEntry)
	if !ok {
		return false
	}
	answer, ok := m.Message.(*format.Assistant)
	if !ok || strings.TrimSpace(textOf(answer.Content)) != "" {
		return false
	}
	switch answer.StopReason {
	case "", "stop", "toolUse":
		return true
	}
	return false
}
