package search

import (
	"bytes"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Kind names the part of an entry that a text is from.
type Kind string

// The kinds of text that are searched.
const (
	KindText     Kind = "text"     // text of a message
	KindThinking Kind = "thinking" // thinking of the assistant
	KindCall     Kind = "call"     // name and arguments of a tool call
	KindResult   Kind = "result"   // tool results, and shell commands with their output
	KindSummary  Kind = "summary"  // of a compaction or a branch
	KindError    Kind = "error"    // why a response failed
	KindLabel    Kind = "label"
	KindName     Kind = "name" // name of the session
)

// A field is one text of an entry.
type field struct {
	kind Kind
	tool string // for calls and results
	text string
}

// An entry contains the searchable parts of a line.
type entry struct {
	id     string
	typ    format.Type
	role   format.Role // of a message; "" for other entries
	time   time.Time   // zero if the line has none
	fields []field
	calls  []fileCall
	result string // id of the tool call whose result it is
	length int    // length of the line in the file

	record journal.Record // record of the line
	clock  journal.Clock
}

// A fileCall is a tool call that names a file.
type fileCall struct{ id, file string }

// read reads an entry from its line. It returns false if the line is not an
// entry or contains no text. The next call reuses its slices.
func (e *entry) read(line []byte) bool {
	e.id, e.typ, e.role, e.time, e.result = "", "", "", time.Time{}, ""
	e.fields, e.calls = e.fields[:0], e.calls[:0]
	if !e.record.Read(line) {
		return false
	}
	r := &e.record
	switch r.Kind() {
	case journal.KindMessage:
		e.typ = format.TypeMessage
		if m := r.Message(); m != nil {
			e.message(m, line)
		}
	case journal.KindCompaction, journal.KindBranchSummary:
		e.add(KindSummary, "", r.Member("summary"))
		e.add(KindSummary, "", r.Member("shortSummary"))
	case journal.KindCustomMessage:
		e.role = format.RoleCustom
		e.content(KindText, "", r.Member("content"))
	case journal.KindLabel:
		e.add(KindLabel, "", r.Member("label"))
	case journal.KindSessionInfo:
		e.add(KindName, "", r.Member("name"))
	case journal.KindForeignNote:
		if t := format.Type(r.Type()); t == format.TypeTitleChange || t == format.TypeTitle {
			e.add(KindName, "", r.Member("title"))
		} else {
			e.addDisplayText(line)
		}
	case journal.KindCustom, journal.KindUnknown:
		if string(r.Type()) == string(format.TypeSession) {
			e.add(KindName, "", r.Member("title"))
		} else {
			e.addDisplayText(line)
		}
	}
	if len(e.fields) == 0 {
		return false
	}
	if e.typ == "" {
		e.typ = format.Type(r.Type())
	}
	if e.typ != format.TypeSession { // its id is that of the session
		e.id, _ = jsonl.String(r.RawID())
	}
	stamp := r.RawTime()
	if ms, ok := jsonl.Int(stamp); ok {
		e.time = time.UnixMilli(ms).UTC()
	} else if ms := e.clock.Read(stamp); ms != journal.NoTime {
		e.time = time.UnixMilli(ms).UTC()
	}
	return true
}

// addDisplayText adds the displayed text of an entry of another program.
func (e *entry) addDisplayText(line []byte) {
	t := format.Type(e.record.Type())
	kind := KindText
	if t == format.TypeSessionSummary {
		kind = KindSummary
	}
	if text := format.DisplayText(t, line); text != "" {
		e.fields = append(e.fields, field{kind, "", text})
	}
}

// add adds a text that is a JSON string.
func (e *entry) add(kind Kind, tool string, raw []byte) {
	if s, ok := jsonl.String(raw); ok && s != "" {
		e.fields = append(e.fields, field{kind, tool, s})
	}
}

func (e *entry) message(m *journal.Message, line []byte) {
	e.role = format.Role(jsonl.TextOf(m.Role))
	switch e.role {
	case format.RoleToolResult:
		tool, _ := jsonl.String(m.ToolName)
		e.result, _ = jsonl.String(m.ToolCallID)
		e.content(KindResult, tool, m.Content)
		e.runs(tool, line)
	case format.RoleBashExecution, format.RolePythonExecution:
		e.add(KindResult, "", m.Command)
		e.add(KindResult, "", m.Code)
		e.add(KindResult, "", m.Output)
	case format.RoleBranchSummary, format.RoleCompactionSummary:
		e.add(KindSummary, "", m.Summary)
	case format.RoleFileMention:
		files, _ := jsonl.Lookup(e.record.Member("message"), "files")
		if text := format.MentionedFiles(files); text != "" {
			e.fields = append(e.fields, field{KindText, "", text})
		}
	default:
		e.content(KindText, "", m.Content)
		e.add(KindError, "", m.ErrorMessage)
	}
}

// runs adds the messages of subagents in the details of a result.
func (e *entry) runs(tool string, line []byte) {
	if !bytes.Contains(line, []byte(`"messages"`)) {
		return // as almost always
	}
	details, _ := jsonl.Lookup(e.record.Member("message"), "details")
	results, _ := jsonl.Lookup(details, "results")
	for result := range jsonl.Elements(results) {
		messages, _ := jsonl.Lookup(result, "messages")
		for m := range jsonl.Elements(messages) {
			content, _ := jsonl.Lookup(m, "content")
			e.content(KindResult, tool, content)
		}
	}
}

// content adds the text of a message: a string, or blocks. Images have none.
func (e *entry) content(kind Kind, tool string, raw []byte) {
	if jsonl.KindOf(raw) == '"' {
		e.add(kind, tool, raw)
		return
	}
	for _, b := range journal.Blocks(raw) {
		switch string(jsonl.TextOf(b.Type)) {
		case "text":
			e.add(kind, tool, b.Text)
		case "thinking":
			e.add(KindThinking, "", b.Thinking)
		case "toolCall":
			e.call(b.ID, b.Name, b.Arguments)
		}
	}
}

// call adds a tool call: its name, the texts in its arguments, and the files
// that they name.
func (e *entry) call(id, name, arguments []byte) {
	tool, _ := jsonl.String(name)
	var all strings.Builder
	all.WriteString(tool)
	for key, value := range texts(arguments) {
		s, ok := jsonl.String(value)
		if !ok {
			continue
		}
		all.WriteByte('\n')
		all.WriteString(s)
		if isFileKey(key) {
			call, _ := jsonl.String(id)
			e.calls = append(e.calls, fileCall{call, s})
		}
	}
	e.fields = append(e.fields, field{KindCall, tool, all.String()})
}

// isFileKey reports whether an argument with that raw name is a file. It knows
// the names that the tools of pi-compatible agents use.
func isFileKey(raw []byte) bool {
	switch string(raw) {
	case `"path"`, `"file"`, `"file_path"`, `"filePath"`, `"filename"`, `"notebook_path"`, `"target_file"`:
		return true
	}
	return false
}

// texts yields the strings in a JSON value, at any depth, each with the raw
// name of its member. raw must be valid. It does not recurse.
func texts(raw []byte) func(yield func(key, value []byte) bool) {
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
