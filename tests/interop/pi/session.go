package pi

import (
	"context"
	"encoding/json"
)

// A Session is a session manager in a Host. It is valid until the Host is
// closed.
type Session struct {
	host   *Host
	handle string
}

// Create creates a session of project cwd in directory sessionDir.
func (h *Host) Create(ctx context.Context, cwd, sessionDir string) (*Session, error) {
	return h.hold(ctx, "create", cwd, sessionDir)
}

// Open opens the session file path. pi writes to it: it migrates old versions
// and, depending on the release, repairs or replaces lines that it cannot read.
func (h *Host) Open(ctx context.Context, path string) (*Session, error) {
	return h.hold(ctx, "open", path)
}

// ForkFrom copies the session file source into a new session of project cwd in
// directory sessionDir.
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

// Call runs a method of pi's SessionManager by name, with positional arguments,
// and decodes its result into out as Host.Call does.
func (s *Session) Call(ctx context.Context, out any, method string, args ...any) error {
	return s.host.Call(ctx, out, "call", append([]any{s.handle, method}, args...)...)
}

// Append runs one of the append methods and returns the new entry's ID.
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

// A Context is the context that pi would send to a model.
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
	return ask[Context](ctx, s.host, "context", s.handle)
}

// ContextAt builds the context at any entry, without moving the leaf.
func (s *Session) ContextAt(ctx context.Context, leafID string) (Context, error) {
	return ask[Context](ctx, s.host, "context", s.handle, leafID)
}

// A FlatNode is one entry of pi's tree as a list in display order.
type FlatNode struct {
	ID             string `json:"id"`
	Label          string `json:"label"`
	LabelTimestamp string `json:"labelTimestamp"`
	Parent         int    `json:"parent"` // index of the parent in the list; -1 for a root
}

// FlatTree returns pi's tree as a list, parents before children.
func (s *Session) FlatTree(ctx context.Context) ([]FlatNode, error) {
	return ask[[]FlatNode](ctx, s.host, "flatTree", s.handle)
}

// Release makes pi release the session.
func (s *Session) Release(ctx context.Context) error {
	return s.host.Call(ctx, nil, "release", s.handle)
}
