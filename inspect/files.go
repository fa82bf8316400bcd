package inspect

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A FileUse lists the turns in which tools were called with a path, as
// given in the calls, whether or not the calls succeeded.
type FileUse struct {
	Path    Text  `json:"path"`
	Read    []int `json:"read"` // numbers of turns, in order
	Written []int `json:"written"`
	Edited  []int `json:"edited"`
}

// Modified reports whether the file was written or edited.
func (f *FileUse) Modified() bool { return len(f.Written)+len(f.Edited) > 0 }

// last returns the turn in which the file was last used.
func (f *FileUse) last() int {
	n := 0
	for _, list := range [][]int{f.Read, f.Written, f.Edited} {
		if len(list) > 0 {
			n = max(n, list[len(list)-1])
		}
	}
	return n
}

// Files returns the files that the tools of some turns were called with:
// modified ones first, and of those the last used first.
func (r *Reading) Files(ctx context.Context, indexes []int) ([]FileUse, error) {
	uses := map[string]*FileUse{}
	of := func(path string) *FileUse {
		if uses[path] == nil {
			uses[path] = &FileUse{Path: Text(path), Read: []int{}, Written: []int{}, Edited: []int{}}
		}
		return uses[path]
	}
	for _, i := range indexes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ops, err := r.fileOps(i)
		if err != nil {
			return nil, err
		}
		number := r.Number(i)
		for _, path := range ops.Read() {
			of(path).Read = append(of(path).Read, number)
		}
		for _, path := range ops.Written() {
			of(path).Written = append(of(path).Written, number)
		}
		for _, path := range ops.Edited() {
			of(path).Edited = append(of(path).Edited, number)
		}
	}
	out := make([]FileUse, 0, len(uses))
	for _, use := range uses {
		out = append(out, *use)
	}
	slices.SortFunc(out, func(a, b FileUse) int {
		if a.Modified() != b.Modified() {
			if a.Modified() {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.last(), a.last()), cmp.Compare(a.Path, b.Path))
	})
	return out, nil
}

// fileOps returns the paths in the calls of one turn.
func (r *Reading) fileOps(i int) (compact.FileOps, error) {
	var ops compact.FileOps
	for line, err := range r.Lines(i) {
		if err != nil {
			return ops, err
		}
		if line.Role == format.RoleAssistant || line.Role == format.RoleToolResult {
			message, _ := jsonl.Lookup(line.Raw, "message")
			ops.Add(json.RawMessage(message))
		}
	}
	return ops, nil
}

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
