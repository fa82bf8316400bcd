package gemini

import (
	"context"
	"path/filepath"

	"github.com/pith-sessions/pith/internal/sources"
)

// Belongings implements [sources.Remover]: the directory with the chats of the
// subagents has the ID of the chat.
func (Program) Belongings(ctx context.Context, _ string, s sources.Session) (sources.Belongings, error) {
	if s.Parent != "" {
		return sources.Belongings{}, &sources.PartError{Of: s.Parent}
	}
	var b sources.Belongings
	err := sources.Objects(ctx, s.Path, func(_ int64, o sources.Object) {
		if id := o.Text("sessionId"); id != "" && filepath.IsLocal(id) && id == filepath.Base(id) && len(b.Also) == 0 {
			b.Also = []string{filepath.Join(filepath.Dir(s.Path), id)}
		}
	})
	return b, err
}

// Commands returns the names of the program's command.
func (Program) Commands() []string { return []string{"gemini"} }
