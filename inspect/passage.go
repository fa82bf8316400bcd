package inspect

import (
	"bytes"
	"iter"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Part names the part of an entry that a passage is.
type Part string

// The parts of entries that have text.
const (
	PartText     Part = "text"     // text of a message
	PartThinking Part = "thinking" // thinking of the assistant
	PartCall     Part = "call"     // name and arguments of a tool call
	PartResult   Part = "result"   // tool results, and shell commands with their output
	PartSummary  Part = "summary"  // of a compaction or a branch
	PartError    Part = "error"    // why a response failed
	PartLabel    Part = "label"
	PartName     Part = "name" // name of the session
)

// A Passage is one text of an entry.
type Passage struct {
	Part Part
	Tool string // name of the tool, for calls and results
	Text string
	// CallID and Arguments are those of a call. The arguments are bytes of the
	// line.
	CallID    string
	Arguments []byte
	// Inner is set for what a subagent said, in the details of a result.
	Inner bool
}

// A Speech is an entry that says something: who, when, and its texts. Reading the
// next line reuses it.
type Speech struct {
	ID     string // "" if the line is a session header
	Type   format.Type
	Role   format.Role // of a message; "" for other entries
	Time   time.Time   // zero if the line has none
	Result string      // ID of the tool call whose result it is
	Tool   string      // the tool of that call

	record journal.Record
	own    journal.Message // of ReadMessage
	bare   bool            // own is what was read
}

// Read reads the line of an entry. It returns false if the line is not JSON or
// not an object.
func (s *Speech) Read(line []byte) bool {
	s.ID, s.Role, s.Time, s.Result, s.Tool, s.bare = "", "", time.Time{}, "", "", false
	r := &s.record
	if !r.Read(line) {
		return false
	}
	s.Type = format.Type(r.Type())
	switch r.Kind() {
	case journal.KindMessage:
		if m := r.Message(); m != nil {
			s.take(m)
		}
	case journal.KindCustomMessage:
		s.Role = format.RoleCustom
	}
	if s.Type != format.TypeSession {
		s.ID = string(r.ID())
	}
	if ms, ok := jsonl.Int(r.RawTime()); ok {
		s.Time = time.UnixMilli(ms).UTC()
	} else if ms := journal.TimeOf(r.RawTime()); ms != journal.NoTime {
		s.Time = time.UnixMilli(ms).UTC()
	}
	return true
}

// ReadMessage reads a message without an entry, in JSON. It returns false if it is
// not an object.
func (s *Speech) ReadMessage(raw []byte) (ok bool) {
	*s = Speech{Type: format.TypeMessage, bare: true}
	s.own, ok = journal.ReadMessage(raw)
	s.take(&s.own)
	return ok
}

func (s *Speech) take(m *journal.Message) {
	s.Role = format.Role(jsonl.TextOf(m.Role))
	if s.Role == format.RoleToolResult {
		s.Result, _ = jsonl.String(m.ToolCallID)
		s.Tool, _ = jsonl.String(m.ToolName)
	}
}

// Passages yields the texts of the entry in order, without decoding the rest of
// it. A text can be empty.
func (s *Speech) Passages() iter.Seq[Passage] {
	return func(yield func(Passage) bool) {
		p, r := passages{yield: yield}, &s.record
		if s.bare {
			p.message(&s.own)
			return
		}
		switch r.Kind() {
		case journal.KindMessage:
			if m := r.Message(); m != nil {
				p.message(m)
			}
		case journal.KindCompaction, journal.KindBranchSummary:
			p.say(PartSummary, "", r.Member("summary"))
			p.say(PartSummary, "", r.Member("shortSummary"))
		case journal.KindCustomMessage:
			p.content(PartText, "", r.Member("content"))
		case journal.KindContextEdit:
			content, _ := jsonl.Lookup(r.Member("replacement"), "content")
			p.content(PartText, "", content)
		case journal.KindLabel:
			p.say(PartLabel, "", r.Member("label"))
		case journal.KindSessionInfo:
			p.say(PartName, "", r.Member("name"))
		case journal.KindForeignNote, journal.KindCustom, journal.KindUnknown:
			p.other(r)
		}
	}
}

// passages calls yield until it returns false.
type passages struct {
	yield func(Passage) bool
	inner bool
	done  bool
}

func (p *passages) give(x Passage) {
	x.Inner = p.inner
	p.done = p.done || !p.yield(x)
}

// say yields a text that is a JSON string.
func (p *passages) say(part Part, tool string, raw []byte) {
	if s, ok := jsonl.String(raw); ok && !p.done {
		p.give(Passage{Part: part, Tool: tool, Text: s})
	}
}

// other yields the text of a record of another program.
func (p *passages) other(r *journal.Record) {
	t := format.Type(r.Type())
	switch t {
	case format.TypeTitleChange, format.TypeTitle, format.TypeSession:
		p.say(PartName, "", r.Member("title"))
		return
	}
	part := PartText
	if t == format.TypeSessionSummary {
		part = PartSummary
	}
	if text := format.DisplayText(t, r.Line()); text != "" {
		p.give(Passage{Part: part, Text: text})
	}
}

func (p *passages) message(m *journal.Message) {
	switch format.Role(jsonl.TextOf(m.Role)) {
	case format.RoleToolResult:
		tool, _ := jsonl.String(m.ToolName)
		p.content(PartResult, tool, m.Content)
		p.runs(tool, m)
	case format.RoleBashExecution, format.RolePythonExecution:
		p.say(PartResult, "", m.Command)
		p.say(PartResult, "", m.Code)
		p.say(PartResult, "", m.Output)
	case format.RoleBranchSummary, format.RoleCompactionSummary:
		p.say(PartSummary, "", m.Summary)
	case format.RoleFileMention:
		if text := format.MentionedFiles(m.Files); text != "" {
			p.give(Passage{Part: PartText, Text: text})
		}
	default:
		p.content(PartText, "", m.Content)
		p.say(PartError, "", m.ErrorMessage)
	}
}

// runs yields the messages of subagents in the details of a result.
func (p *passages) runs(tool string, m *journal.Message) {
	if !bytes.Contains(m.Details, []byte(`"messages"`)) && !bytes.Contains(m.Details, []byte(`\u`)) {
		return // as almost always
	}
	p.inner = true
	results, _ := jsonl.Lookup(m.Details, "results")
	for result := range jsonl.Elements(results) {
		messages, _ := jsonl.Lookup(result, "messages")
		for message := range jsonl.Elements(messages) {
			content, _ := jsonl.Lookup(message, "content")
			p.content(PartResult, tool, content)
		}
	}
}

// content yields the texts of a message: a string, or blocks. Images have none.
func (p *passages) content(part Part, tool string, raw []byte) {
	if jsonl.KindOf(raw) == '"' {
		p.say(part, tool, raw)
		return
	}
	for _, b := range journal.Blocks(raw) {
		switch string(jsonl.TextOf(b.Type)) {
		case "text":
			p.say(part, tool, b.Text)
		case "thinking":
			p.say(PartThinking, "", b.Thinking)
		case "toolCall":
			p.call(b)
		}
		if p.done {
			return
		}
	}
}

// call yields a tool call: its name and the texts in its arguments, each on a
// line of its own.
func (p *passages) call(b journal.Block) {
	tool, _ := jsonl.String(b.Name)
	var all strings.Builder
	all.WriteString(tool)
	for _, value := range Texts(b.Arguments) {
		if s, ok := jsonl.String(value); ok {
			all.WriteByte('\n')
			all.WriteString(s)
		}
	}
	id, _ := jsonl.String(b.ID)
	p.give(Passage{Part: PartCall, Tool: tool, Text: all.String(), CallID: id, Arguments: b.Arguments})
}

// Texts yields the strings in a JSON value, at any depth, each as raw JSON with
// the raw name of its member. raw must be valid. It does not recurse.
func Texts(raw []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		var key []byte
		for i := 0; i < len(raw); i++ {
			if raw[i] != '"' {
				continue
			}
			end := stringEnd(raw, i)
			after := end
			for after < len(raw) && (raw[after] == ' ' || raw[after] == '\n' || raw[after] == '\t' || raw[after] == '\r') {
				after++
			}
			if after < len(raw) && raw[after] == ':' {
				key = raw[i:end]
			} else if !yield(key, raw[i:end]) {
				return
			}
			i = end - 1
		}
	}
}

// stringEnd returns the offset after the string literal that starts at start.
func stringEnd(raw []byte, start int) int {
	for i := start + 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}
