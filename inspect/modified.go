package inspect

import (
	"slices"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// Modified are the paths that tools of an exchange were told to write or edit, in
// the order of their first calls. Calls that failed are left out.
func (x *Exchange) Modified() []string {
	out := []string{}
	for i := range x.Items {
		it := &x.Items[i]
		if it.Tool == nil || it.Tool.Result != nil && it.Tool.Result.IsError {
			continue
		}
		if path, act := PathOf(string(it.Name), it.Tool.Arguments); act == Changes && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}

// An Act is what a call of a tool does to a file.
type Act string

// The acts.
const (
	Reads   Act = "read"
	Changes Act = "changed"
	Names   Act = "named" // it is not known what the tool does to it
)

// pathNames are the names that arguments with a path have in pi and its relatives.
var pathNames = []string{"path", "file_path", "filePath", "file", "filename", "notebook_path", "target_file"}

// PathOf is the file that a call of a tool names, and what the tool does to it;
// "" for none.
func PathOf(tool string, arguments []byte) (path string, act Act) {
	if jsonl.KindOf(arguments) != '{' {
		return "", ""
	}
	for _, name := range pathNames {
		raw, ok := jsonl.Lookup(arguments, name)
		if !ok {
			continue
		}
		if path, ok = jsonl.String(raw); ok && path != "" {
			break
		}
	}
	if path == "" {
		return "", ""
	}
	switch tool {
	case "read", "Read", "ls", "grep", "find", "glob", "view":
		return path, Reads
	case "write", "Write", "edit", "Edit", "MultiEdit", "multi_edit", "NotebookEdit", "apply_patch", "ast_edit":
		return path, Changes
	}
	return path, Names
}
