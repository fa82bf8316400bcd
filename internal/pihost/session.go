package pihost

import (
	"context"
	"encoding/json"
)

// A Session is a session manager that a Host holds. It is only as alive as its
// Host.
type Session struct {
	host   *Host
	handle string
}

// Create makes a new session of project cwd in folder sessionDir.
func (h *Host) Create(ctx context.Context, cwd, sessionDir string) (*Session, error) {
	return h.hold(ctx, "create", cwd, sessionDir)
}

// Open opens the session file path. pi writes to it: it migrates old versions
// and, depending on the release, mends or replaces what it cannot read.
func (h *Host) Open(ctx context.Context, path string) (*Session, error) {
	return h.hold(ctx, "open", path)
}

// ForkFrom copies the session file source into a new session of project cwd in
// folder sessionDir.
func (h *Host) ForkFrom(ctx context.Context, source, cwd, sessionDir string) (*Session, error) {
	return h.hold(ctx, "forkFrom", source, cwd, sessionDir)
}

func (h *Host) hold(ctx context.Context, method string, args ...any) (*Session, error) {
	s := &Session{host: h}
	if err := h.Call(ctx, &s.handle, method, args...); err != nil {
		return nil, err
	}
	return s, nil
}

// Call runs a method of pi's SessionManager by its name, with positional
// arguments, and decodes what it returns into out as Host.Call does.
func (s *Session) Call(ctx context.Context, out any, method string, args ...any) error {
	return s.host.Call(ctx, out, "call", append([]any{s.handle, method}, args...)...)
}

// Append runs one of the append methods and returns the new entry's id.
func (s *Session) Append(ctx context.Context, method string, args ...any) (string, error) {
	var result json.RawMessage
	if err := s.Call(ctx, &result, method, args...); err != nil {
		return "", err
	}
	var id string
	if json.Unmarshal(result, &id) == nil {
		return id, nil
	}
	// appendUsage returns the entry itself.
	var entry struct {
		ID string `json:"id"`
	}
	err := json.Unmarshal(result, &entry)
	return entry.ID, err
}

// File returns the path of the session file, whether or not it exists yet.
func (s *Session) File(ctx context.Context) (string, error) {
	var path string
	err := s.Call(ctx, &path, "getSessionFile")
	return path, err
}

// A Context is what pi would send to a model.
type Context struct {
	Messages      []json.RawMessage `json:"messages"`
	ThinkingLevel string            `json:"thinkingLevel"`
	Model         *struct {
		Provider string `json:"provider"`
		ModelID  string `json:"modelId"`
	} `json:"model"`
}

// Context builds the context at the current leaf.
func (s *Session) Context(ctx context.Context) (Context, error) {
	var c Context
	err := s.host.Call(ctx, &c, "context", s.handle)
	return c, err
}

// ContextAt builds the context at any entry, without moving the leaf.
func (s *Session) ContextAt(ctx context.Context, leafID string) (Context, error) {
	var c Context
	err := s.host.Call(ctx, &c, "context", s.handle, leafID)
	return c, err
}

// A TreeNode is one entry of pi's tree without its content.
type TreeNode struct {
	ID             string     `json:"id"`
	Label          string     `json:"label"`
	LabelTimestamp string     `json:"labelTimestamp"`
	Children       []TreeNode `json:"children"`
}

// Tree returns the roots of pi's tree. It is for trees up to some thousand
// levels; FlatTree takes any depth.
func (s *Session) Tree(ctx context.Context) ([]TreeNode, error) {
	var roots []TreeNode
	err := s.host.Call(ctx, &roots, "tree", s.handle)
	return roots, err
}

// A FlatNode is one entry of pi's tree in a list in display order.
type FlatNode struct {
	ID             string `json:"id"`
	Label          string `json:"label"`
	LabelTimestamp string `json:"labelTimestamp"`
	Parent         int    `json:"parent"` // position of the parent in the list; -1 for a root
}

// FlatTree returns pi's tree as a list, parents before children.
func (s *Session) FlatTree(ctx context.Context) ([]FlatNode, error) {
	var nodes []FlatNode
	err := s.host.Call(ctx, &nodes, "flatTree", s.handle)
	return nodes, err
}

// Release lets pi forget the session.
func (s *Session) Release(ctx context.Context) error {
	return s.host.Call(ctx, nil, "release", s.handle)
}
