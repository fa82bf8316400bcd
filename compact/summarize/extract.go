package summarize

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
)

// Limits of a summary. Lengths are in letters; see [letters].
const (
	firstRequests = 3 // requests to keep from the start
	lastRequests  = 7 // and from the end
	maxCalls      = 6 // failed calls, and calls without a result
	maxPending    = 256
	maxNotes      = 4
	requestLength = 400
	quoteLength   = 1200
	callLength    = 160
	noteLength    = 240
)

// Extract returns a summarizer that needs no model. It interprets nothing: it
// quotes the first and the latest requests and the last answer, and lists the
// latest calls that failed and those of the last turn without a result. Long texts lose their middle. It carries on an
// earlier summary of any origin: its goals precede the requests, and its other
// sections follow them, shortened.
//
// It reads messages one by one and accepts conversations of any length: with a
// [compact.SummaryOptions.MaxTokens] of 0 it reads them once. The summary has
// about 6,000 tokens at most. The same conversation gives the same summary,
// byte for byte.
func Extract() compact.Summarizer { return extract{} }

type extract struct{}

// AnyLength reports that a conversation need not be split.
func (extract) AnyLength() bool { return true }

// Summarize implements [compact.Summarizer].
func (extract) Summarize(ctx context.Context, p compact.Prompt) (string, error) {
	x := &extraction{part: p.Part}
	x.carry(p.PreviousSummary)
	for m, err := range p.Messages {
		if err != nil {
			return "", err
		}
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if message, err := format.DecodeMessage(m.Raw); err == nil { // skip a message that is not a JSON object
			x.add(message)
		}
	}
	return x.text(p.Instructions), nil
}

// An extraction holds the quoted parts of a conversation. Its size is bounded,
// however long the conversation is.
type extraction struct {
	part     compact.Part
	requests []string // on one line each
	left     int      // requests that were left out after the first
	original string   // the latest request as it was written
	answer   string   // last text of the assistant
	pending  []call   // calls of the last turn without a result
	failed   []call   // in the last two turns
	turn     int
	notes    []string  // messages from extensions and other branches
	earlier  []section // of an earlier summary, without its goals
}

// A call is a tool call or a command of the user.
type call struct {
	id, name, arguments string
	fault               string // output of a failed call
	turn                int    // in which it failed
}

func (x *extraction) add(m format.Message) {
	switch m := m.(type) {
	case *format.User:
		text := m.Content.Joined()
		x.original = shorten(clean(text), quoteLength)
		x.request(text)
		x.turn++
		x.pending = nil // calls of an earlier turn were interrupted
		x.failed = slices.DeleteFunc(x.failed, func(c call) bool { return c.turn < x.turn-1 })
	case *format.Assistant:
		x.answered(m)
	case *format.ToolResult:
		x.result(m)
	case *format.BashExecution:
		if !m.ExcludeFromContext && !m.Cancelled {
			x.end(call{name: "!" + m.Command, fault: m.Output}, m.ExitCode != nil && *m.ExitCode != 0)
		}
	case *format.CustomRole:
		if !m.ExcludeFromContext {
			x.note("From "+m.CustomType+": ", m.Content.PlainText())
		}
	case *format.BranchSummaryMessage:
		x.note("From an abandoned branch: ", branchText(m.Summary))
	case *format.CompactionSummaryMessage:
		x.carry(m.Summary)
	}
}

func (x *extraction) request(text string) {
	text = oneLine(text, requestLength)
	if n := len(x.requests); text == "" || n > 0 && x.requests[n-1] == text {
		return
	}
	x.requests = append(x.requests, text)
	if len(x.requests) > firstRequests+lastRequests {
		x.requests = slices.Delete(x.requests, firstRequests, firstRequests+1)
		x.left++
	}
}

func (x *extraction) answered(m *format.Assistant) {
	if text := strings.TrimSpace(clean(answerText(m.Content))); text != "" {
		x.answer = shorten(text, quoteLength)
	}
	for _, b := range m.Content.Blocks {
		if b, ok := b.(*format.ToolCallBlock); ok && x.part != compact.LeftBranch { // a branch has no results
			x.pending = append(x.pending, call{id: b.ID, name: b.Name, arguments: string(b.Arguments)})
			x.pending = x.pending[max(0, len(x.pending)-maxPending):]
		}
	}
}

func (x *extraction) result(m *format.ToolResult) {
	c := call{name: m.ToolName}
	if i := slices.IndexFunc(x.pending, func(c call) bool { return c.id == m.ToolCallID }); i >= 0 {
		c = x.pending[i]
		x.pending = slices.Delete(x.pending, i, i+1)
	}
	c.fault = m.Content.Joined()
	x.end(c, m.IsError)
}

// end records the outcome of a call. It replaces that of the same call before.
func (x *extraction) end(c call, failed bool) {
	x.failed = slices.DeleteFunc(x.failed, func(f call) bool { return f.name == c.name && f.arguments == c.arguments })
	if failed {
		c.turn, c.fault = x.turn, oneLine(c.fault, noteLength)
		x.failed = append(x.failed, c)
		x.failed = x.failed[max(0, len(x.failed)-maxCalls):]
	}
}

func (x *extraction) note(from, text string) {
	if text = oneLine(text, noteLength); text != "" {
		x.notes = append(x.notes, oneLine(from, callLength)+" "+text)
		x.notes = x.notes[max(0, len(x.notes)-maxNotes):]
	}
}

// String returns the call on one line.
func (c call) String() string {
	return "`" + oneLine(strings.ReplaceAll(c.name+" "+c.arguments, "`", "'"), callLength) + "`"
}

// Marks of items that describe the end of a conversation. The next summary
// replaces them.
const (
	pendingMark = "- [ ] No result: "
	failedMark  = "- Failed: "
	answerMark  = "- Last answer:"
)

// leftFormat reports how many requests a summary omits.
const leftFormat = "(%d requests left out)"

// text returns the summary. Every quoted line has a mark before it, so that no
// line of a conversation is a heading of the summary.
func (x *extraction) text(instructions string) string {
	var b strings.Builder
	var open, failed, facts []string
	for _, c := range x.pending[max(0, len(x.pending)-maxCalls):] {
		open = append(open, pendingMark+c.String())
	}
	for _, c := range x.failed {
		failed = append(failed, strings.TrimSuffix(failedMark+c.String()+": "+c.fault, ": "))
	}
	for _, note := range x.notes {
		facts = append(facts, "- "+note)
	}
	if x.answer != "" {
		facts = append(facts, answerMark+"\n"+quoted("  > ", x.answer))
	}
	if x.part == compact.TurnPrefix {
		b.WriteString("## Original Request\n" + x.originalRequest())
		x.writeEarlier(&b)
		writeSection(&b, "## Progress So Far", append(open, failed...))
		writeSection(&b, "## Context Needed to Continue", facts)
	} else {
		b.WriteString("## Goal\n" + x.goals())
		x.writeEarlier(&b)
		progress := "## Progress\n"
		if len(open) > 0 {
			writeSection(&b, progress+"### In Progress", open)
			progress = ""
		}
		writeSection(&b, progress+"### Blocked", failed)
		writeSection(&b, "## Critical Context", facts)
	}
	if focus := oneLine(instructions, requestLength); focus != "" {
		writeSection(&b, "## Additional Focus", []string{"- The user asked to remember: " + focus})
	}
	return b.String()
}

func (x *extraction) goals() string {
	var lines []string
	for i, request := range x.requests {
		if i == firstRequests && x.left > 0 {
			lines = append(lines, "- "+fmt.Sprintf(leftFormat, x.left))
		}
		lines = append(lines, "- "+request)
	}
	if len(lines) == 0 {
		return none
	}
	return strings.Join(lines, "\n")
}

func (x *extraction) originalRequest() string {
	if x.original == "" {
		return x.goals()
	}
	return quoted("> ", x.original)
}

const none = "(none)"

func writeSection(b *strings.Builder, heading string, items []string) {
	if len(items) > 0 {
		b.WriteString("\n\n" + heading + "\n" + strings.Join(items, "\n"))
	}
}
