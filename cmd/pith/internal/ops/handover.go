package ops

import (
	"context"
	"errors"
	"io/fs"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/internal/blame"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/all"
)

// A NotReceiverError means that an agent takes no sessions of others.
type NotReceiverError struct{ Agent string }

func (e *NotReceiverError) Error() string { return e.Agent + " takes no sessions of other agents" }

// HandOverParams say which conversation another agent continues.
type HandOverParams struct {
	Session *pith.Session
	At      string // the last entry
	To      string // the agent, as lists name it
	Dir     string // for files that are given to the agent by path
}

// A HandedOver is the copy of a session in another agent.
type HandedOver struct {
	Command []string // continues it
	Lost    []string // what the agent does not support
	Before  bool     // it was made before
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
	out := &HandedOver{Lost: receiver.Losses(c)}
	receipt, err := receiver.Receive(ctx, sources.Environment{Home: a.Environment.Home, Getenv: a.Environment.Getenv}, c)
	if errors.Is(err, fs.ErrExist) {
		out.Before, err = true, nil
	}
	if err == nil && len(receipt.Commands) > 0 {
		out.Command = receipt.Commands[len(receipt.Commands)-1]
	}
	return out, err
}

// WhyLeft says why a file cannot be restored, without its path; "" if it can be.
func (f *RewoundFile) WhyLeft() string {
	if f.Err == nil {
		return ""
	}
	if e := (*blame.FileError)(nil); errors.As(f.Err, &e) {
		if errors.Is(f.Err, blame.ErrNotRecorded) {
			return "no record of its content then"
		}
		return e.Err.Error()
	}
	return f.Err.Error()
}
