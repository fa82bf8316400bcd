package page

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/amount"
	"github.com/pith-sessions/pith/internal/prices"
)

// A Subset is a part of a session.
type Subset uint8

// The subsets.
const (
	Everything Subset = iota
	Talk              // messages without thinking, tool calls and their results
	Prompts           // user messages
)

// A Choice selects the shown parts of a session. The zero Choice shows
// everything.
type Choice struct {
	Only     Subset
	NoEvents bool // leave out changes of model, name or labels
	Brief    bool // only the conversation, with one line for each tool call
	// Most is the maximum number of characters of one output, argument or
	// thinking block; 0 means no limit. A note marks where text was cut.
	Most int
}

// A Mark contains facts about an entry that are not in its line.
type Mark struct {
	Index int // its position in the file
	Label string
	Leaf  bool // it is the leaf of the session
}

// Entry appends an entry as a section of a page, or nothing if it is left out.
func (c Choice) Entry(dst []byte, e format.Entry, m Mark) []byte {
	w := writer{Choice: c, b: dst}
	if c.Only == Prompts && !isPrompt(e) || c.Only == Talk && isSilent(e) {
		return dst
	}
	switch e := e.(type) {
	case *format.MessageEntry:
		if !c.Brief || !w.brief(e, m) {
			w.message(e, m)
		}
	case *format.Compaction:
		w.turn(e, m, byCompaction, Count(e.TokensBefore, "token")+" before", format.TextContent(e.Summary))
	case *format.BranchSummary:
		w.turn(e, m, byBranch, "", format.TextContent(e.Summary))
	case *format.CustomMessage:
		w.turn(e, m, byExtension, e.CustomType, e.Content)
	default:
		w.quiet(e, m)
	}
	return w.b
}

func isPrompt(e format.Entry) bool {
	m, ok := e.(*format.MessageEntry)
	return ok && m.Message.Role() == format.RoleUser
}

// isSilent reports whether an entry is a response without text, or a tool result.
func isSilent(e format.Entry) bool {
	m, ok := e.(*format.MessageEntry)
	if !ok {
		return false
	}
	a, ok := m.Message.(*format.Assistant)
	return ok && a.Content.PlainText() == "" && a.ErrorMessage == "" || m.Message.Role() == format.RoleToolResult
}

// A writer appends the HTML of one entry.
type writer struct {
	Choice
	b []byte
}

func (w *writer) raw(html ...string) {
	for _, s := range html {
		w.b = append(w.b, s...)
	}
}

func (w *writer) text(text string) { w.b = escape(w.b, text) }

// around writes text between two pieces of HTML.
func (w *writer) around(before, text, after string) {
	w.raw(before)
	w.text(text)
	w.raw(after)
}

// anchor returns the name of the anchor of an entry in a page.
func anchor(id string, index int) string {
	for _, r := range id {
		if r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return "at" + strconv.Itoa(index)
		}
	}
	return "e-" + id
}

func (w *writer) section(e format.Entry, m Mark, class string) {
	w.raw(`<section class="turn `, class, `" id="`, anchor(e.Head().ID, m.Index), `"`)
	if !w.Brief { // scripts do not use brief entries
		w.raw(` data-i="`, strconv.Itoa(m.Index), `"`)
	}
	w.raw(`>`)
}

// open starts a section with the speaker and the time. Facts follow until body
// is called.
func (w *writer) open(e format.Entry, m Mark, class, who string) {
	w.section(e, m, class)
	w.around(`<div class="who"><b>`, who, `</b>`)
	switch at, ok := e.Head().Time(); {
	case ok && w.Brief:
		w.raw(Time(at))
	case ok:
		w.raw(`<a href="#`, anchor(e.Head().ID, m.Index), `">`, Time(at), `</a>`)
	}
	if m.Label != "" {
		w.around(`<span class="tag">`, m.Label, `</span>`)
	}
	if m.Leaf {
		w.raw(`<span class="tag current">current</span>`)
	}
}

// Time returns a time in UTC as an element. The script of the page shows it in the zone
// of the reader.
func Time(at time.Time) string {
	return `<time>` + at.UTC().Format("2006-01-02 15:04") + `</time>`
}

func (w *writer) fact(text string) {
	if text != "" {
		w.around(`<span>`, text, `</span>`)
	}
}

// A speaker is a role in a page, with a class and a displayed name.
type speaker struct{ class, name string }

var (
	byUser       = speaker{"user", "You"}
	byExtension  = speaker{"custom", "Extension"}
	byCompaction = speaker{"compact", "Compaction"}
	byBranch     = speaker{"left", "Branch summary"}
)

// turn writes a message of a speaker, with a fact about it.
func (w *writer) turn(e format.Entry, m Mark, who speaker, fact string, content format.Content) {
	w.open(e, m, who.class, who.name)
	w.fact(fact)
	w.body()
	w.content(content)
	w.shut()
}

func (w *writer) body() { w.raw(`</div>`) }
func (w *writer) shut() { w.raw("</section>\n") }

func (w *writer) say(text string) {
	if text != "" {
		w.raw(`<div class="say" dir="auto">`)
		w.b = markdown(w.b, text)
		w.raw(`</div>`)
	}
}

func (w *writer) message(e *format.MessageEntry, m Mark) {
	switch msg := e.Message.(type) {
	case *format.User:
		w.turn(e, m, byUser, "", msg.Content)
	case *format.Assistant:
		w.assistant(e, msg, m)
	case *format.ToolResult:
		w.result(e, msg, m)
	case *format.BashExecution:
		w.bash(e, msg, m)
	case *format.CustomRole:
		w.turn(e, m, byExtension, msg.CustomType, msg.Content)
	case *format.BranchSummaryMessage:
		w.turn(e, m, byBranch, "", format.TextContent(msg.Summary))
	case *format.CompactionSummaryMessage:
		w.turn(e, m, byCompaction, "", format.TextContent(msg.Summary))
	case *format.UnknownMessage:
		w.turn(e, m, speaker{byExtension.class, string(msg.RoleName)}, "", msg.Content)
	default:
		w.quiet(e, m)
	}
}

func (w *writer) assistant(e format.Entry, msg *format.Assistant, m Mark) {
	w.open(e, m, "assistant", "Assistant")
	w.fact(format.ModelName(msg.Provider, msg.Model))
	if spent, _ := prices.Entry(e); !spent.IsZero() {
		w.fact(amount.Cost(spent))
		w.fact(Count(spent.Tokens, "token"))
	}
	w.body()
	w.content(msg.Content)
	w.failure(msg)
	w.shut()
}

// failure writes why a response is incomplete.
func (w *writer) failure(msg *format.Assistant) {
	switch msg.StopReason {
	case "error", "aborted":
		why := msg.StopReason
		if msg.ErrorMessage != "" {
			why += ": " + msg.ErrorMessage
		}
		w.around(`<p class="bad">`, why, `</p>`)
	}
}

// brief writes a short form of a message. It returns false for messages that
// are short anyway.
func (w *writer) brief(e *format.MessageEntry, m Mark) bool {
	switch msg := e.Message.(type) {
	case *format.Assistant:
		if msg.Content.PlainText() == "" && msg.ErrorMessage == "" && !m.Leaf && m.Label == "" {
			w.section(e, m, "quiet")
		} else {
			w.open(e, m, "assistant", "Assistant")
			w.body()
		}
		for _, b := range msg.Content.Blocks {
			switch b := b.(type) {
			case *format.TextBlock:
				w.say(b.Text)
			case *format.ToolCallBlock:
				if w.Only != Talk {
					w.did(b.Name, Argument(b))
				}
			}
		}
		w.failure(msg)
	case *format.ToolResult:
		if !msg.IsError {
			return true
		}
		w.section(e, m, "quiet")
		w.did("✗ "+msg.ToolName, start(msg.Content))
	case *format.BashExecution:
		w.section(e, m, "quiet")
		w.did("!", msg.Command)
	default:
		return false
	}
	w.shut()
	return true
}

func (w *writer) did(what, with string) {
	w.around(`<p class="did"><b>`, what, `</b> `)
	w.around("", OneLine(with, 80), `</p>`)
}

// quiet writes one line about an event outside the conversation.
func (w *writer) quiet(e format.Entry, m Mark) {
	if w.NoEvents || w.Only == Talk {
		return
	}
	w.section(e, m, "quiet")
	if _, unknown := e.(*format.UnknownEntry); unknown {
		w.unknown(e)
	} else {
		w.text(outsideText(e))
	}
	w.shut()
}

// outsideText returns a description of an entry outside the conversation.
func outsideText(e format.Entry) string {
	switch e := e.(type) {
	case *format.ModelChange:
		return "model " + format.ModelName(e.Provider, e.ModelID)
	case *format.ThinkingLevelChange:
		return "thinking " + e.Level
	case *format.SessionInfo:
		return "named " + e.Name
	case *format.Label:
		return "label " + e.Label
	case *format.Custom:
		return "state of " + e.CustomType
	case *format.UsageEntry:
		spent, _ := prices.Entry(e)
		return "spent outside the conversation: " + format.ModelName(e.Provider, e.Model) + ", " + Count(spent.Tokens, "token") + ", cost " + cmp.Or(amount.Cost(spent), "none")
	case *format.ContextEdit:
		return "context of " + e.TargetID + " changed"
	case *format.MessageEntry:
		return "system prompt or tools changed"
	}
	return string(e.Head().Type)
}

func (w *writer) unknown(e format.Entry) {
	kind := cmp.Or(string(e.Head().Type), "a line without a type")
	w.details("", func() { w.around(`<span class="n">`, kind, `</span><span class="r"></span>`) }, string(e.Head().Raw))
}

// Lines describes entries in one line each. They must be passed in file order,
// because a tool result is described by its call.
type Lines struct {
	choice Choice            // its omissions apply here too
	calls  map[string]string // descriptions of calls, by call id
}

// leftOut replaces text that a choice leaves out.
const leftOut = "(left out)"

// mostOfLine is the maximum number of characters in a line, and enoughOfLine
// the number of bytes of a text in which they are found.
const mostOfLine, enoughOfLine = 80, 1024

// Of returns a one-line description of an entry, and a letter for its kind: u
// for the user, a for a response, r for a tool, x for one that failed, b for a
// command, c for a compaction or an extension message, s for a branch summary,
// o for an entry outside the conversation.
func (l *Lines) Of(e format.Entry) (kind byte, text string) {
	kind, text = 'o', outsideText(e)
	switch e := e.(type) {
	case *format.MessageEntry:
		kind, text = l.message(e.Message)
	case *format.Compaction:
		kind, text = 'c', "compaction: "+unmarked(e.Summary)
	case *format.BranchSummary:
		kind, text = 's', "branch summary: "+unmarked(e.Summary)
	case *format.CustomMessage:
		kind, text = 'c', e.CustomType+": "+start(e.Content)
	}
	if l.choice.Only == Prompts && !isPrompt(e) {
		text = leftOut
	}
	return kind, OneLine(text, mostOfLine)
}

func (l *Lines) message(m format.Message) (kind byte, text string) {
	switch m := m.(type) {
	case *format.User:
		return 'u', m.Content.PlainText()
	case *format.Assistant:
		return 'a', l.answer(m)
	case *format.ToolResult:
		kind = 'r'
		if m.IsError {
			kind = 'x'
		}
		if l.choice.Only == Talk {
			return kind, leftOut
		}
		if call := l.calls[m.ToolCallID]; call != "" {
			return kind, m.ToolName + " " + call
		}
		return kind, m.ToolName + ": " + start(m.Content)
	case *format.BashExecution:
		return 'b', "! " + m.Command
	case *format.BranchSummaryMessage:
		return 's', unmarked(m.Summary)
	case *format.CompactionSummaryMessage:
		return 'c', unmarked(m.Summary)
	case *format.CustomRole:
		return 'c', m.CustomType + ": " + start(m.Content)
	case *format.UnknownMessage:
		return 'c', string(m.RoleName) + ": " + start(m.Content)
	}
	return 'o', "system prompt or tools changed"
}

// unmarked returns the start of a text without the Markdown marks of words and
// of the first heading.
func unmarked(text string) string {
	return strings.TrimLeft(marks.Replace(text[:min(len(text), enoughOfLine)]), "# ")
}

var marks = strings.NewReplacer("**", "", "`", "")

func (l *Lines) answer(m *format.Assistant) string {
	text := m.Content.PlainText()
	for _, b := range m.Content.Blocks {
		call, ok := b.(*format.ToolCallBlock)
		if !ok || l.choice.Only == Talk {
			continue
		}
		if l.calls == nil {
			l.calls = map[string]string{}
		}
		value := OneLine(Argument(call), mostOfLine)
		l.calls[call.ID] = value
		if text == "" {
			text = call.Name + " " + value
		}
	}
	switch {
	case text != "":
		return unmarked(text)
	case m.ErrorMessage != "":
		return m.StopReason + ": " + m.ErrorMessage
	}
	return "(no text)"
}

// start returns the start of a content, without joining all of it.
func start(c format.Content) string {
	if c.IsText {
		return c.Text[:min(len(c.Text), enoughOfLine)]
	}
	for _, b := range c.Blocks {
		if t, ok := b.(*format.TextBlock); ok {
			return t.Text[:min(len(t.Text), enoughOfLine)]
		}
	}
	return ""
}
