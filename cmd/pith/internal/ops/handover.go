package ops

import (
	"context"
	"errors"
	"io/fs"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/internal/sources/importer"
)

// A NotReceiverError means that an agent takes no sessions of others.
type NotReceiverError struct{ Agent string }

func (e *NotReceiverError) Error() string { return e.Agent + " takes no sessions of other agents" }

// ErrNoMessages means that a conversation has nothing to hand over.
var ErrNoMessages = errors.New("the session has no messages")

// HandOverParams say which conversation another agent continues.
type HandOverParams struct {
	Session *pith.Session
	At      string // the last entry
	To      string // the agent, as lists name it
	Dir     string // for files that are given to the agent by path
}

// A HandedOver is the copy of a session in another agent.
type HandedOver struct {
	sources.Receipt
	Lost   []string // parts that the agent does not support
	Before bool     // the copy exists already
}

// NeedsCopy reports whether pi must continue a session in a copy: see [ForPi].
func NeedsCopy(s *pith.Session) bool { return importer.NeedsCopy(s.File(), s.Header()) }

// ForPi returns the file in which pi continues a session: its own or, if that [NeedsCopy],
// the import of another agent's session or a fork.
func ForPi(ctx context.Context, a *App, path string) (string, error) {
	infos, err := Infos(ctx, a, "", true)
	if err != nil {
		return "", err
	}
	return importer.Writable(ctx, path, importer.Options{DirFor: a.DirFor, Find: importer.Among(infos)})
}

// DirFor returns the directory for new sessions of a project.
func (a *App) DirFor(cwd string) string {
	if a.Dir != "" {
		return a.Dir
	}
	return a.Environment.Place(cwd).For(cwd)
}

// HandOver writes the path to an entry as a session of another agent. It replaces nothing.
func HandOver(ctx context.Context, a *App, p HandOverParams) (*HandedOver, error) {
	program, _ := all.Find(p.To)
	receiver, ok := program.(sources.Receiver)
	if !ok {
		return nil, &NotReceiverError{p.To}
	}
	c, err := sources.ConversationOf(p.Session, p.At, p.Dir)
	if err != nil {
		return nil, err
	}
	if len(c.Messages) == 0 {
		return nil, ErrNoMessages
	}
	out := &HandedOver{Lost: receiver.Losses(c)}
	out.Receipt, err = receiver.Receive(ctx, sources.Environment{Home: a.Environment.Home, Getenv: a.Environment.Getenv}, c)
	if errors.Is(err, fs.ErrExist) {
		out.Before, err = true, nil
	}
	return out, err
}
