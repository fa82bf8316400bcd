package diff

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/prices"
)

// A Branch describes one side after the common beginning.
type Branch struct {
	// First and Last are its first and last entry, or "".
	First   string `json:"firstEntryId" empty:"null"`
	Last    string
	Entries int    `json:"entries"` // without bookkeeping
	Turns   []Turn `json:"turns"`
	Tools   []Tool `json:"tools"` // the most used first
	// Read and Modified are the files that its tools were called with, each
	// path in one list.
	Read     []string `json:"read"`
	Modified []string `json:"modified"`
	Models   []string `json:"models"` // in the order of their first responses
	// Compactions and Summaries count the entries of these kinds.
	Compactions int `json:"compactions"`
	Summaries   int `json:"summaries"`
	format.Spent
	Begun time.Time `json:"started"`
	Ended time.Time `json:"ended"`
	// Answer is the last text of the assistant, and AnswerEntry its entry.
	Answer      string `json:"response" empty:"null"`
	AnswerEntry string `json:"responseEntryId" empty:"null"`
	// Failure describes how the last response failed, or is "".
	Failure string `json:"failure" empty:"null"`
}

// A Turn is a user message and everything up to the next one.
type Turn struct {
	Number int    `json:"number"`  // number on the whole path, 1-based; 0 for the rest of a shared one
	Entry  string `json:"entryId"` // entry of the message; first entry for number 0
	Text   string `json:"text"`
	Calls  int    `json:"calls"`  // tool calls
	Errors int    `json:"errors"` // tool errors
}

// A Tool counts the calls and failures of a tool.
type Tool struct {
	Name   string `json:"name"`
	Calls  int    `json:"calls"`
	Errors int    `json:"errors"`
}

func spentBy(e format.Entry) format.Spent {
	s, _ := prices.Entry(e)
	return s
}

// A teller reads a branch entry by entry.
type teller struct {
	b     Branch
	base  int // number of turns before the branch
	files compact.FileOps
	tools map[string]*Tool
	names map[string]string // call id to the tool's name
}

// branch describes a side from where the histories diverge.
func branch(ctx context.Context, path []key, turns int) (Branch, error) {
	t := teller{base: turns, tools: map[string]*Tool{}, names: map[string]string{}}
	for _, k := range path {
		if err := ctx.Err(); err != nil {
			return Branch{}, err
		}
		e, err := k.entry()
		if err != nil {
			return Branch{}, err
		}
		t.b.Spent = t.b.Spent.Plus(spentBy(e))
		if !k.books() {
			t.entry(e)
		}
	}
	return t.finish(), nil
}

func (t *teller) entry(e format.Entry) {
	h := e.Head()
	if t.b.Entries == 0 {
		t.b.First = h.ID
	}
	t.b.Entries++
	t.b.Last = h.ID
	if at, ok := h.Time(); ok {
		if t.b.Begun.IsZero() {
			t.b.Begun = at
		}
		t.b.Ended = at
	}
	if text, asked := question(e); asked {
		t.b.Turns = append(t.b.Turns, Turn{Number: t.base + t.asked() + 1, Entry: h.ID, Text: text})
	}
	switch e := e.(type) {
	case *format.Compaction:
		t.b.Compactions++
	case *format.BranchSummary:
		t.b.Summaries++
	case *format.MessageEntry:
		t.message(h.ID, e.Message)
	}
}

// asked returns the number of user messages of the branch so far.
func (t *teller) asked() int {
	n := len(t.b.Turns)
	if n > 0 && t.b.Turns[0].Number == 0 {
		n--
	}
	return n
}

// turn returns the current turn; the rest of a shared one comes first.
func (t *teller) turn(entry string) *Turn {
	if len(t.b.Turns) == 0 {
		t.b.Turns = append(t.b.Turns, Turn{Entry: entry})
	}
	return &t.b.Turns[len(t.b.Turns)-1]
}

func (t *teller) message(id string, m format.Message) {
	switch m := m.(type) {
	case *format.Assistant:
		t.files.Add(m.Raw())
		t.answer(id, m)
	case *format.ToolResult:
		t.files.Add(m.Raw())
		x := t.turn(id)
		if m.IsError {
			x.Errors++
			t.tool(cmp.Or(t.names[m.ToolCallID], m.ToolName)).Errors++
		}
	}
}

func (t *teller) answer(id string, m *format.Assistant) {
	x := t.turn(id)
	if model := format.ModelName(m.Provider, m.Model); model != "" && !slices.Contains(t.b.Models, model) {
		t.b.Models = append(t.b.Models, model)
	}
	for _, block := range m.Content.Blocks {
		if call, ok := block.(*format.ToolCallBlock); ok {
			x.Calls++
			t.names[call.ID] = call.Name
			t.tool(call.Name).Calls++
		}
	}
	if text := m.Content.PlainText(); text != "" {
		t.b.Answer, t.b.AnswerEntry = text, id
	}
	t.b.Failure = ""
	switch m.StopReason {
	case "error", "aborted", "length":
		t.b.Failure = cmp.Or(m.ErrorMessage, m.StopReason)
	}
}

func (t *teller) tool(name string) *Tool {
	if t.tools[name] == nil {
		t.tools[name] = &Tool{Name: name}
	}
	return t.tools[name]
}

func (t *teller) finish() Branch {
	for _, tool := range t.tools {
		t.b.Tools = append(t.b.Tools, *tool)
	}
	slices.SortFunc(t.b.Tools, func(a, b Tool) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Name, b.Name))
	})
	lists := t.files.Lists()
	t.b.Read, t.b.Modified = lists.ReadFiles, lists.ModifiedFiles
	return t.b
}
