package pi

import (
	"context"
	"time"
)

// An Info is a session in pi's list.
type Info struct {
	Path              string    `json:"path"`
	ID                string    `json:"id"`
	Cwd               string    `json:"cwd"`
	Name              string    `json:"name"`
	ParentSessionPath string    `json:"parentSessionPath"`
	Created           time.Time `json:"created"`
	Modified          time.Time `json:"modified"`
	MessageCount      int       `json:"messageCount"`
	FirstMessage      string    `json:"firstMessage"`
	AllMessagesText   string    `json:"allMessagesText"`
}

// List returns the sessions of project cwd in directory sessionDir, newest
// first.
func (h *Host) List(ctx context.Context, cwd, sessionDir string) ([]Info, error) {
	return ask[[]Info](ctx, h, "list", cwd, sessionDir)
}

// ListAll returns the sessions of all project directories below root, newest
// first.
func (h *Host) ListAll(ctx context.Context, root string) ([]Info, error) {
	return ask[[]Info](ctx, h, "listAll", root)
}

// A Restringified reports which lines of a file JavaScript would print
// differently.
type Restringified struct {
	Lines   int `json:"lines"`
	Changed int `json:"changed"`
	First   *struct {
		Line int    `json:"line"` // 1-based, blank lines not counted
		Was  string `json:"was"`  // at most 400 characters of each
		Is   string `json:"is"`
	} `json:"first"`
}

// Restringify parses and prints every line of a file as pi does when it
// rewrites one.
func (h *Host) Restringify(ctx context.Context, path string) (Restringified, error) {
	return ask[Restringified](ctx, h, "restringify", path)
}
