package sources

import (
	"context"
	"os"
)

// Single is a Program with the session in one file, which need not be where the
// program stores sessions. The file is the root. Its path is the ID of the session:
// the names of files in some programs are the same for all sessions.
type Single struct{ Program }

// Sessions implements [Program].
func (p Single) Sessions(_ context.Context, root string) ([]Session, error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, err
	}
	s := FileSession(root, root, info)
	if p, ok := p.Program.(interface{ Single(Session) Session }); ok {
		s = p.Single(s)
	}
	return []Session{s}, nil
}
