package view

import (
	"context"
	"strings"

	"github.com/pith-sessions/pith/internal/blame"
)

// A Patch is the difference between two states of files, for git apply.
type Patch struct {
	Patch   Text      `json:"patch"`
	Omitted []Omitted `json:"omitted"`
}

// An Omitted file is one that a patch leaves out.
type Omitted struct {
	File   Text  `json:"file"`
	Reason Text  `json:"reason"`
	Err    error `json:"-"`
}

// PatchOf returns a patch of files from their contents at an entry, or the present for
// "", to those at another one. Files for which the records do not suffice are left out.
func PatchOf(ctx context.Context, past *blame.Past, list []blame.Changed, from, to string) (Patch, error) {
	out := Patch{Omitted: []Omitted{}}
	var text strings.Builder
	for i := range list {
		f := &list[i]
		was, err := past.Now(f)
		if err == nil && from != "" {
			was, err = past.At(ctx, f, from)
		}
		var now blame.Content
		if err == nil {
			now, err = past.At(ctx, f, to)
		}
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if err != nil {
			out.Omitted = append(out.Omitted, Omitted{Text(f.Name), Text(err.Error()), err})
			continue
		}
		text.Write(blame.Patch(f.Name, was, now))
	}
	out.Patch = Text(text.String())
	return out, nil
}

// A FileContent is a file at an entry of a session.
type FileContent struct {
	File    Text `json:"file"`
	EntryID Text `json:"entryId"`
	Exists  bool `json:"exists"`
	Content Text `json:"content"`
}

// Files are the files that a session changed.
type Files struct {
	Root  Text          `json:"root"`
	Files []ChangedFile `json:"files"`
}
