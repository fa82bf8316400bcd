package inspect

import (
	"slices"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// Modified returns the paths that tools of a turn wrote or edited, in the
// order of their first calls. It omits failed calls.
func (x *Turn) Modified() []string {
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

// An Act is the effect of a tool call on a file.
type Act string

// The acts.
const (
	Reads   Act = "read"
	Changes Act = "changed"
	Names   Act = "named" // the effect is unknown
)

// pathNames are the names of path arguments in pi and pi-compatible agents.
var pathNames = []string{"path", "file_path", "filePath", "file", "filename", "notebook_path", "target_file"}

// PathOf returns the file that a tool call names, or "", and the effect of the
// tool on it.
func PathOf(tool string, arguments []byte) (path string, act Act) {
	for _, name := range pathNames {
		if path = jsonl.LookupString(arguments, name); path != "" {
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
