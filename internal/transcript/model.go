package transcript

import (
	"encoding/json"
	"strconv"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// The words around summaries. pi sends the same ones, so a session reads the
// same to a model whichever program continues it.
const (
	compactionPrefix = "The conversation history before this point was compacted into the following summary:\n\n<summary>\n"
	compactionSuffix = "\n</summary>"
	branchPrefix     = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n"
	branchSuffix     = "</summary>" // no line feed before it, unlike that of a compaction
)

// ForModel translates one message of a context to the roles that models
// support: system, user, assistant and toolResult are kept unchanged, the other
// roles become user messages. It returns false for messages that no model sees:
// excluded bash executions and unknown roles (pitfall 94). raw must be valid
// JSON; the result may share its memory.
func ForModel(raw json.RawMessage) (json.RawMessage, bool) {
	switch format.Role(jsonl.LookupString(raw, "role")) {
	case format.RoleSystem, format.RoleUser, format.RoleAssistant, format.RoleToolResult:
		return raw, true
	case format.RoleBashExecution:
		if flag(raw, "excludeFromContext") {
			return nil, false
		}
		return userText(raw, bashText(raw)), true
	case format.RolePythonExecution:
		if flag(raw, "excludeFromContext") {
			return nil, false
		}
		return userText(raw, pythonText(raw)), true
	case format.RoleFileMention:
		return userMessage(raw, mentioned(raw)), true
	case format.RoleCustom:
		content, _ := jsonl.Lookup(raw, "content")
		return userMessage(raw, asBlocks(content)), true
	case format.RoleBranchSummary:
		return userText(raw, branchPrefix+jsonl.LookupString(raw, "summary")+branchSuffix), true
	case format.RoleCompactionSummary:
		return userText(raw, compactionPrefix+jsonl.LookupString(raw, "summary")+compactionSuffix), true
	}
	return nil, false
}

// bashText describes a command that the user ran to a model.
func bashText(raw []byte) string {
	out := "Ran `" + jsonl.LookupString(raw, "command") + "`\n"
	if output := jsonl.LookupString(raw, "output"); output != "" {
		out += "```\n" + output + "\n```"
	} else {
		out += "(no output)"
	}
	if flag(raw, "cancelled") {
		out += "\n\n(command cancelled)"
	} else if code := exitCode(raw); code != "0" && code != "" {
		out += "\n\nCommand exited with code " + code
	}
	if path := jsonl.LookupString(raw, "fullOutputPath"); path != "" && flag(raw, "truncated") {
		out += "\n\n[Output truncated. Full output: " + path + "]"
	}
	return out
}

// pythonText describes Python code that the user ran to a model.
func pythonText(raw []byte) string {
	out := "Ran Python:\n```python\n" + jsonl.LookupString(raw, "code") + "\n```\n"
	if output := jsonl.LookupString(raw, "output"); output != "" {
		out += "Output:\n```\n" + output + "\n```"
	} else {
		out += "(no output)"
	}
	if flag(raw, "cancelled") {
		out += "\n\n(execution cancelled)"
	} else if code := exitCode(raw); code != "0" && code != "" {
		out += "\n\nExecution failed with code " + code
	}
	return out
}

// mentioned returns the files that the user named, as blocks: their text, and
// images unchanged.
func mentioned(raw []byte) []byte {
	var out [][]byte
	files, _ := jsonl.Lookup(raw, "files")
	for file := range jsonl.Elements(files) {
		if jsonl.KindOf(file) != '{' {
			continue
		}
		path, content := jsonl.LookupString(file, "path"), jsonl.LookupString(file, "content")
		if why := jsonl.LookupString(file, "skippedReason"); why != "" && content == "" {
			content = "(not read: " + why + ")"
		}
		out = append(out, appendTextBlock(nil, "<file path=\""+path+"\">\n"+content+"\n</file>"))
		if image, _ := jsonl.Lookup(file, "image"); jsonl.KindOf(image) == '{' {
			out = append(out, image)
		}
	}
	return list(out)
}

// exitCode returns the code for display, or "" if the command has none.
func exitCode(raw []byte) string {
	code, _ := jsonl.Lookup(raw, "exitCode")
	if n, ok := jsonl.Int(code); ok {
		return strconv.FormatInt(n, 10)
	}
	if f, ok := jsonl.Float(code); ok {
		return string(jsonl.AppendFloat(nil, f))
	}
	return ""
}

// userText returns a user message of one text block, with the time of another
// message.
func userText(from []byte, s string) json.RawMessage {
	return userMessage(from, append(appendTextBlock([]byte{'['}, s), ']'))
}

// userMessage returns a user message with that content, with the time of
// another message.
func userMessage(from, content []byte) json.RawMessage {
	out := append([]byte(`{"role":"user","content":`), content...)
	return append(member(out, from, "timestamp"), '}')
}

// asBlocks returns content as a list: a string becomes one text block, nothing
// an empty list.
func asBlocks(content []byte) []byte {
	switch jsonl.KindOf(content) {
	case '[':
		return content
	case '"':
		out := append([]byte(`[{"type":"text","text":`), content...)
		return append(out, `}]`...)
	}
	return []byte(`[]`)
}

func appendTextBlock(dst []byte, s string) []byte {
	dst = append(dst, `{"type":"text","text":`...)
	return append(jsonl.AppendString(dst, s), '}')
}

func flag(obj []byte, name string) bool {
	raw, _ := jsonl.Lookup(obj, name)
	yes, _ := jsonl.Bool(raw)
	return yes
}
