package pihost

import (
	"context"
	"time"
)

// An Info is what pi's listing says about a session.
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

// List returns the sessions of project cwd in folder sessionDir, newest first.
func (h *Host) List(ctx context.Context, cwd, sessionDir string) ([]Info, error) {
	var infos []Info
	err := h.Call(ctx, &infos, "list", cwd, sessionDir)
	return infos, err
}

// ListAll returns the sessions of all project folders below root, newest first.
func (h *Host) ListAll(ctx context.Context, root string) ([]Info, error) {
	var infos []Info
	err := h.Call(ctx, &infos, "listAll", root)
	return infos, err
}

// Migrate returns the lines that pi makes of a session file's text when it
// brings the file to the current version.
func (h *Host) Migrate(ctx context.Context, text string) ([]string, error) {
	var lines []string
	err := h.Call(ctx, &lines, "migrate", text)
	return lines, err
}

// A Restringified report says which lines of a file JavaScript would print
// differently from how they stand there.
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
	var r Restringified
	err := h.Call(ctx, &r, "restringify", path)
	return r, err
}
