package catalog

import (
	"sync"

	"github.com/pith-sessions/pith/sessiondir"
)

// A project is a working directory, under all its names.
type project struct {
	cwd string

	mu    sync.Mutex // guards known
	known map[string]bool
}

func newProject(cwd string, o *Options) *project {
	return &project{cwd: o.expand(cwd, ""), known: map[string]bool{}}
}

// has reports whether a session with this working directory in its header
// belongs to the project. It is safe for concurrent use.
func (p *project) has(cwd string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	same, ok := p.known[cwd]
	if !ok {
		same = sessiondir.SameProject(p.cwd, cwd)
		p.known[cwd] = same
	}
	return same
}
