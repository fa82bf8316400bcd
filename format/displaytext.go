package format

import (
	"strings"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// DisplayText returns the text of an entry that only other programs write: a title, a
// mode, a summary for lists, the task of a subagent, the notebook of oh-my-pi. It
// returns "" for any other entry.
func DisplayText(t Type, line []byte) string {
	switch t {
	case TypeTitleChange:
		return jsonl.LookupString(line, "title")
	case TypeModeChange:
		return jsonl.LookupString(line, "mode")
	case TypeSessionSummary:
		return jsonl.LookupString(line, "summary")
	case TypeSessionInit:
		return jsonl.LookupString(line, "task")
	case TypeCustom:
		if data, _ := jsonl.Lookup(line, "data"); jsonl.LookupString(line, "customType") == ContextNotesType {
			return jsonl.LookupString(data, "text")
		}
	}
	return ""
}

// DisplayText returns the text of a message whose role only other programs
// write: code that the user ran with its output, or mentioned files. It returns
// "" for any other role.
func (m *UnknownMessage) DisplayText() string {
	raw := m.Raw()
	switch m.RoleName {
	case RolePythonExecution:
		return strings.TrimRight(jsonl.LookupString(raw, "code")+"\n"+jsonl.LookupString(raw, "output"), "\n")
	case RoleFileMention:
		files, _ := jsonl.Lookup(raw, "files")
		return MentionedFiles(files)
	}
	return ""
}

// MentionedFiles returns the text of oh-my-pi's list of files: the path and
// content of each.
func MentionedFiles(files []byte) string {
	var b strings.Builder
	for f := range jsonl.Elements(files) {
		for _, text := range []string{jsonl.LookupString(f, "path"), jsonl.LookupString(f, "content")} {
			if text != "" {
				b.WriteString(text + "\n")
			}
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
