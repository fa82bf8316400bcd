package setup

import (
	"context"

	"github.com/pith-sessions/pith/compact"
)

// Summarize implements [compact.Summarizer]: it says why there is none.
func (f failing) Summarize(context.Context, compact.Prompt) (string, error) { return "", f.err }
