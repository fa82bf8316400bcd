package qwen

import (
	"context"

	"github.com/pith-sessions/pith/internal/sources"
)

// Belongings implements [sources.Remover]: a chat is one file.
func (Program) Belongings(context.Context, string, sources.Session) (sources.Belongings, error) {
	return sources.Belongings{}, nil
}

// Commands returns the names of the program's command.
func (Program) Commands() []string { return []string{"qwen"} }
