package search

import (
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Kind says which part of an entry a text is.
type Kind string

// The kinds of text that are searched.
const (
	KindText     Kind = "text"     // what was said
	KindThinking Kind = "thinking" // what the assistant thought
	KindCall     Kind = "call"     // name and arguments of a tool call
	KindResult   Kind = "result"   // what a tool returned, and shell commands with their output
	KindSummary  Kind = "summary"  // of a compaction or a branch
	KindLabel    Kind = "label"
	KindName     Kind = "name" // of the session
)

// A field is one text of an entry.
type field struct {
	kind Kind
	tool string // of calls and results
	text string
}

// An entry is what a search knows of a line.
type entry struct {
	id     string
	typ    format.Type
	role   format.Role // of a message; "" for other entries
	time   time.Time   // zero if the line does not say
	fields []field
	calls  []fileCall
	result string // id of the tool call that it is the result of
}

// A fileCall is a tool call that names a file.
type fileCall struct{ id, file string }

var entryKeys = jsonl.NewKeys("type", "id", "timestamp", "message", "content", "summary", "label", "name")

const (
	keyType = iota
	keyID
	keyTime
	keyMessage
	keyContent
	keySummary
	keyLabel
	keyName
)

// read takes an entry from its line; false if the line is none, or holds no text.
// Its slices are used again by the next call.
func (e *entry) read(line []byte) bool {
	*e = entry{fields: e.fields[:0], calls: e.calls[:0]}
	var spans [8]jsonl.Span
	if shape, _ := entryKeys.Scan(line, spans[:]); shape != jsonl.Object {
		return false
	}
	typ, _ := envelope.Text(spans[keyType].Of(line))
	switch e.typ = format.Type(typ); e.typ {
	case format.TypeMessage:
		e.message(spans[keyMessage].Of(line))
	case format.TypeCompaction, format.TypeBranchSummary:
		e.add(KindSummary, "", spans[keySummary].Of(line))
	case format.TypeCustomMessage:
		e.role = format.RoleCustom
		e.content(KindText, "", spans[keyContent].Of(line))
	case format.TypeLabel:
		e.add(KindLabel, "", spans[keyLabel].Of(line))
	case format.TypeSessionInfo:
		e.add(KindName, "", spans[keyName].Of(line))
	case format.TypeTitleChange:
		title, _ := jsonl.Lookup(line, "title")
		e.add(KindName, "", title)
	}
	if len(e.fields) == 0 {
		return false
	}
	e.id, _ = jsonl.String(spans[keyID].Of(line))
	stamp := spans[keyTime].Of(line)
	if s, ok := envelope.Text(stamp); ok {
		e.time, _ = format.ParseTime(string(s))
	} else if ms, ok := jsonl.Int(stamp); ok {
		e.time = time.UnixMilli(ms).UTC()
	}
	return true
}

// add adds a text that is a JSON string.
func (e *entry) add(kind Kind, tool string, raw []byte) {
	if s, ok := jsonl.String(raw); ok && s != "" {
		e.fields = append(e.fields, field{kind, tool, s})
	}
}

var messageKeys = jsonl.NewKeys("role", "content", "toolName", "command", "output", "code", "summary", "toolCallId")

const (
	msgContent = 1
	msgTool    = 2
	msgCommand = 3
	msgOutput  = 4
	msgCode    = 5
	msgSummary = 6
	msgCall    = 7
)

func (e *entry) message(msg []byte) {
	var spans [8]jsonl.Span
	if jsonl.KindOf(msg) != '{' {
		return
	}
	messageKeys.Scan(msg, spans[:])
	e.role = format.Role(envelope.RoleName(msg))
	switch e.role {
	case format.RoleToolResult:
		tool, _ := jsonl.String(spans[msgTool].Of(msg))
		e.result, _ = jsonl.String(spans[msgCall].Of(msg))
		e.content(KindResult, tool, spans[msgContent].Of(msg))
	case format.RoleBashExecution, format.RolePythonExecution:
		e.add(KindResult, "", spans[msgCommand].Of(msg))
		e.add(KindResult, "", spans[msgCode].Of(msg))
		e.add(KindResult, "", spans[msgOutput].Of(msg))
	case format.RoleBranchSummary, format.RoleCompactionSummary:
		e.add(KindSummary, "", spans[msgSummary].Of(msg))
	default:
		e.content(KindText, "", spans[msgContent].Of(msg))
	}
}

var blockKeys = jsonl.NewKeys("type", "text", "thinking", "name", "arguments", "id")

const (
	blockType      = 0
	blockText      = 1
	blockThinking  = 2
	blockName      = 3
	blockArguments = 4
	blockID        = 5
)

// content takes the text of a message: a string, or blocks. Pictures have none.
func (e *entry) content(kind Kind, tool string, raw []byte) {
	switch jsonl.KindOf(raw) {
	case '"':
		e.add(kind, tool, raw)
		return
	case '[':
	default:
		return
	}
	for block := range jsonl.Elements(raw) {
		var spans [6]jsonl.Span
		if jsonl.KindOf(block) != '{' {
			continue
		}
		blockKeys.Scan(block, spans[:])
		typ, _ := envelope.Text(spans[blockType].Of(block))
		switch string(typ) {
		case "text":
			e.add(kind, tool, spans[blockText].Of(block))
		case "thinking":
			e.add(KindThinking, "", spans[blockThinking].Of(block))
		case "toolCall":
			e.call(spans[blockID].Of(block), spans[blockName].Of(block), spans[blockArguments].Of(block))
		}
	}
}

// call takes a tool call: its name, the texts in its arguments, and the files
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

// isFileKey reports whether an argument of that raw name is a file: the names
// that the tools of pi and its relatives use.
func isFileKey(raw []byte) bool {
	switch string(raw) {
	case `"path"`, `"file"`, `"file_path"`, `"filePath"`, `"filename"`, `"notebook_path"`, `"target_file"`:
		return true
	}
	return false
}

// texts yields the strings in a JSON value, at any depth, each with the raw name
// of the member that it stands in. raw must be valid. It does not recurse.
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

// stringEnd is the offset behind the string literal that begins at start.
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
