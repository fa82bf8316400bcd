package copilot

import (
	"context"
	"path/filepath"

	"github.com/pith-sessions/pith/internal/sources"
)

// Belongings implements [sources.Remover]: a session is a directory.
func (Program) Belongings(_ context.Context, _ string, s sources.Session) (sources.Belongings, error) {
	return sources.Belongings{Whole: filepath.Dir(s.Path)}, nil
}

// Commands returns the names of the program's command.
func (Program) Commands() []string { return []string{"copilot"} }
