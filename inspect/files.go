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
