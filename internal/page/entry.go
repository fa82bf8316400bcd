package page

import (
	"strconv"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
)

// A Choice says what of a session is told. The zero Choice tells everything.
type Choice struct {
	NoTools     bool // calls of tools and their results are left out
	NoThinking  bool
	PromptsOnly bool // only what the user said
	Talk        bool // only the conversation: no changes of model, name or labels
	Brief       bool // only what was said, and a line for each call of a tool
	// Most is how many characters of one output, argument or thought are told;
	// 0 means all. What is cut says so.
	Most int
}

// A Mark is what is known about an entry beside its line.
type Mark struct {
	Index int // its place among the entries of the file
	Label string
	Leaf  bool // the session stands here
}

// Entry appends an entry as a section of a page; nothing when it is left out.
func (c Choice) Entry(dst []byte, e format.Entry, m Mark) []byte {
	w := writer{Choice: c, b: dst}
	if c.PromptsOnly && !isPrompt(e) {
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

// writer appends the HTML of one entry.
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

// Anchor is the name of the place in a page where an entry stands.
func Anchor(id string, index int) string {
	for _, r := range id {
		if r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return "at" + strconv.Itoa(index)
		}
	}
	return "e-" + id
}

func (w *writer) section(e format.Entry, m Mark, class string) {
	w.raw(`<section class="turn `, class, `" id="`, Anchor(e.Head().ID, m.Index), `"`)
	if !w.Brief { // a script does not touch what is told in brief
		w.raw(` data-i="`, strconv.Itoa(m.Index), `"`)
	}
	w.raw(`>`)
}

// open begins a section with who speaks and when. What is said about it follows
// as facts, up to body.
func (w *writer) open(e format.Entry, m Mark, class, who string) {
	w.section(e, m, class)
	w.raw(`<div class="who"><b>`)
	w.text(who)
	w.raw(`</b>`)
	switch at, ok := e.Head().Time(); {
	case ok && w.Brief:
		w.time(at)
	case ok:
		w.raw(`<a href="#`, Anchor(e.Head().ID, m.Index), `">`)
		w.time(at)
		w.raw(`</a>`)
	}
	if m.Label != "" {
		w.raw(`<span class="tag">`)
		w.text(m.Label)
		w.raw(`</span>`)
	}
	if m.Leaf {
		w.raw(`<span class="tag">stands here</span>`)
	}
}

// time writes a moment in UTC, in the form that machines read too.
func (w *writer) time(at time.Time) {
	w.raw(`<time>`)
	w.b = at.UTC().AppendFormat(w.b, "2006-01-02 15:04")
	w.raw(`</time>`)
}

func (w *writer) fact(text string) {
	if text != "" {
		w.raw(`<span>`)
		w.text(text)
		w.raw(`</span>`)
	}
}

// A speaker is who says something in a page: by a class, and by a name for readers.
type speaker struct{ class, name string }

var (
	byUser       = speaker{"user", "You"}
	byExtension  = speaker{"custom", "Extension"}
	byCompaction = speaker{"compact", "Compaction"}
	byBranch     = speaker{"left", "Summary of a branch that was left"}
)

// turn tells who said what, with a fact about it.
func (w *writer) turn(e format.Entry, m Mark, who speaker, fact string, said format.Content) {
	w.open(e, m, who.class, who.name)
	w.fact(fact)
	w.body()
	w.content(said)
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
	if spent := msg.Usage.Spent(); !spent.IsZero() {
		w.fact(Dollars(spent.Cost))
		w.fact(Count(spent.Tokens, "token"))
	}
	w.body()
	w.content(msg.Content)
	w.failure(msg)
	w.shut()
}

// failure tells why an answer is not whole.
func (w *writer) failure(msg *format.Assistant) {
	switch msg.StopReason {
	case "error", "aborted":
		w.raw(`<p class="bad">`)
		w.text(msg.StopReason)
		if msg.ErrorMessage != "" {
			w.text(": " + msg.ErrorMessage)
		}
		w.raw(`</p>`)
	}
}

// brief tells what was said and done, and nothing of how. It is false for messages
// that are short as they are.
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
				if !w.NoTools {
					w.did(b.Name, Argument(b))
				}
			}
		}
		w.failure(msg)
	case *format.ToolResult:
		if !msg.IsError || w.NoTools {
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
	w.raw(`<p class="did"><b>`)
	w.text(what)
	w.raw(`</b> `)
	w.text(OneLine(with, 80))
	w.raw(`</p>`)
}

// quiet tells in a line what happened beside the conversation.
func (w *writer) quiet(e format.Entry, m Mark) {
	if w.Talk {
		return
	}
	w.section(e, m, "quiet")
	if _, unknown := e.(*format.UnknownEntry); unknown {
		w.unknown(e)
	} else {
		w.text(beside(e))
	}
	w.shut()
}

// beside is what an entry says that is no part of the conversation.
func beside(e format.Entry) string {
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
		spent := e.Usage.Spent()
		return "spent beside the conversation: " + format.ModelName(e.Provider, e.Model) + ", " + Count(spent.Tokens, "token") + " " + Dollars(spent.Cost)
	case *format.ContextEdit:
		return "what the model sees of " + e.TargetID + " was changed"
	case *format.MessageEntry:
		return "system prompt or tools changed"
	}
	return string(e.Head().Type)
}

func (w *writer) unknown(e format.Entry) {
	kind := string(e.Head().Type)
	if kind == "" {
		kind = "a line without a type"
	}
	w.details("call", "", func() {
		w.raw(`<span class="n">`)
		w.text(kind)
		w.raw(`</span><span class="r"></span>`)
	}, string(e.Head().Raw))
}

// Lines tells entries in a line each. They must come in file order: the result of
// a tool is told by its call.
type Lines struct {
	choice Choice            // what it leaves out is not told here either
	calls  map[string]string // what was called, by the id of the call
}

// leftOut stands for what a choice leaves out.
const leftOut = "(left out)"

// mostOfLine is how many characters a line tells, and enoughOfLine in how many bytes of
// a text they are found.
const mostOfLine, enoughOfLine = 80, 1024

// Of tells an entry in a line, and says by a letter what it is: u for the user, a
// for an answer, r for a tool, x for one that failed, b for a command, c for a
// compaction or a message of an extension, s for the summary of a branch, o for
// what stands beside the conversation.
func (l *Lines) Of(e format.Entry) (kind byte, text string) {
	kind, text = 'o', beside(e)
	switch e := e.(type) {
	case *format.MessageEntry:
		kind, text = l.message(e.Message)
	case *format.Compaction:
		kind, text = 'c', "compaction: "+unmarked(e.Summary)
	case *format.BranchSummary:
		kind, text = 's', "left: "+unmarked(e.Summary)
	case *format.CustomMessage:
		kind, text = 'c', e.CustomType+": "+start(e.Content)
	}
	if l.choice.PromptsOnly && !isPrompt(e) {
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
		if l.choice.NoTools {
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

// unmarked is how a text begins, without what Markdown marks words and the first
// heading with.
func unmarked(text string) string {
	return strings.TrimLeft(marks.Replace(text[:min(len(text), enoughOfLine)]), "# ")
}

var marks = strings.NewReplacer("**", "", "`", "")

func (l *Lines) answer(m *format.Assistant) string {
	text := m.Content.PlainText()
	for _, b := range m.Content.Blocks {
		call, ok := b.(*format.ToolCallBlock)
		if !ok || l.choice.NoTools {
			continue
		}
		if l.calls == nil {
			l.calls = map[string]string{}
		}
		said := OneLine(Argument(call), mostOfLine)
		l.calls[call.ID] = said
		if text == "" {
			text = call.Name + " " + said
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

// start is how a content begins, without putting all of it together.
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
