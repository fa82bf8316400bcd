package kimi

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources"
)

// Belongings implements [sources.Remover]: a session is a directory, and a line in
// the index of sessions.
func (Program) Belongings(_ context.Context, root string, s sources.Session) (sources.Belongings, error) {
	if s.Parent != "" {
		return sources.Belongings{}, &sources.PartError{Of: s.Parent}
	}
	b := sources.Belongings{Whole: filepath.Dir(filepath.Dir(filepath.Dir(s.Path))), LinesOf: filepath.Join(filepath.Dir(root), "session_index.jsonl")}
	data, err := sources.ReadFile(b.LinesOf)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for line := range bytes.Lines(data) {
		if jsonl.Valid(line) && jsonl.KindOf(line) == '{' && jsonl.LookupString(line, "sessionId") == s.ID {
			b.Lines = append(b.Lines, line)
		}
	}
	return b, err
}

// Commands returns the names of the program's command.
func (Program) Commands() []string { return []string{"kimi"} }
