package agent

import (
	"cmp"
	"context"
	"fmt"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/opencalls"
)

// A Replacement is the result of Fork, Clone, New and Switch.
type Replacement struct {
	// Cancelled means that a hook prevented it and nothing has changed.
	Cancelled bool
	// EditorText is the text of the message that Fork ends before.
	EditorText string
	// Unsent are the texts that were queued for the previous session. They are not
	// sent.
	Unsent []string
}

// NewOptions configure a new session.
type NewOptions struct {
	// ParentSession is recorded in the header.
	ParentSession string
	// Setup may write to the session before it becomes the current one.
	Setup func(*pith.Session) error
}

// Fork creates a session from the path before a user message, makes it the current
// one, and returns the text of that message.
//
// Fork, Clone, New and Switch first call the hooks, then abort a run in progress and
// wait until its messages are in the previous session. On an error the previous
// session stays the current one.
func (a *Conversation) Fork(ctx context.Context, entryID string) (Replacement, error) {
	var text string
	out, err := a.replace(ctx, SwitchEvent{Reason: ReasonFork, EntryID: entryID}, func(s *pith.Session) (*pith.Session, error) {
		e, err := s.Entry(entryID)
		if err != nil {
			return nil, fmt.Errorf("fork: %w", err)
		}
		if m, ok := e.(*format.MessageEntry); ok {
			if u, ok := m.Message.(*format.User); ok {
				text = u.Content.Joined()
				return s.Fork(ctx, entryID)
			}
		}
		return nil, fmt.Errorf("fork: %w", invalidf("entry", entryID, "entry %s is not a user message", entryID))
	})
	if err == nil {
		out.EditorText = text
	}
	return out, err
}

// Clone creates a session from the path to the leaf and makes it the current one.
func (a *Conversation) Clone(ctx context.Context) (Replacement, error) {
	return a.replace(ctx, SwitchEvent{Reason: ReasonFork, EntryID: a.Session().LeafID(), At: true}, func(s *pith.Session) (*pith.Session, error) {
		leaf := s.LeafID()
		if leaf == "" {
			return nil, fmt.Errorf("clone: %w", invalidf("entry", "", "the current position is before the first entry"))
		}
		next, err := s.Clone(ctx, leaf)
		if err != nil {
			return nil, err
		}
		return next, opencalls.Close(ctx, next, a.config.Now())
	})
}

// New creates a session for the same working directory and makes it the current one.
func (a *Conversation) New(ctx context.Context, o NewOptions) (Replacement, error) {
	return a.replace(ctx, SwitchEvent{Reason: ReasonNew}, func(s *pith.Session) (*pith.Session, error) {
		options := a.config.Options
		options.ParentSession, options.ID, options.Cwd = o.ParentSession, "", s.Cwd()
		create := pith.InMemory
		if s.Persisted() {
			create = pith.Create
			options.Dir = cmp.Or(options.Dir, s.Dir())
		}
		next, err := create(options)
		if err != nil || o.Setup == nil {
			return next, err
		}
		return next, o.Setup(next)
	})
}

// Switch opens the session in a file and makes it the current one. It writes nothing
// to the file.
func (a *Conversation) Switch(ctx context.Context, path string) (Replacement, error) {
	return a.replace(ctx, SwitchEvent{Reason: ReasonResume, OtherFile: path}, func(*pith.Session) (*pith.Session, error) {
		options := a.config.Options
		options.ID, options.ParentSession = "", ""
		return pith.Open(ctx, path, options)
	})
}

// replace replaces the current session with the one that open returns, unless a
// hook cancels that. planned describes it to the hooks.
func (a *Conversation) replace(ctx context.Context, planned SwitchEvent, open func(*pith.Session) (*pith.Session, error)) (Replacement, error) {
	planned.Session = a.Session()
	if a.hooks.beforeSwitch(ctx, planned) {
		return Replacement{Cancelled: true}, nil
	}
	why := planned.Reason
	ctx, w, err := a.activity.interrupt(ctx, ActivitySwitching)
	if err != nil {
		return Replacement{}, err
	}
	old := a.Session()
	next, err := open(old)
	if err != nil {
		if next != nil {
			_ = next.Close() // the first error is returned
		}
		a.end(ctx, w, nil)
		return Replacement{}, err
	}
	a.hooks.shutdown(ctx, SwitchEvent{Session: old, Reason: why, OtherFile: next.File()})
	previous := old.File()
	a.exchange(ctx, old, next)
	unsent := a.enter(ctx, next, why)
	a.hooks.start(ctx, SwitchEvent{Session: next, Reason: why, OtherFile: previous})
	a.endAndDeliver(ctx, w, &Switched{Reason: why, Session: next, PreviousFile: previous})
	a.events.flush()
	return Replacement{Unsent: unsent}, nil
}

// exchange makes next the current session and closes old. Recorded messages
// that cannot be written to old are dropped: they are not part of next.
func (a *Conversation) exchange(ctx context.Context, old, next *pith.Session) {
	if err := a.lockFlushed(ctx); err != nil {
		lost := a.recorder.waiting.take(anyMessage)
		a.events.emit(&Problem{Err: fmt.Errorf("%d recorded messages could not be written to the previous session: %w", len(lost), err)})
	}
	a.recorder.current.Store(next)
	a.activity.Unlock()
	if err := old.Close(); err != nil {
		a.events.emit(&Problem{Err: err})
	}
}

// enter continues in the new current session. It drops messages queued for the
// old one and returns their texts.
func (a *Conversation) enter(ctx context.Context, next *pith.Session, why Reason) (unsent []string) {
	if !a.queues.empty() {
		steering, followUp := a.queues.clear()
		unsent = append(steering, followUp...)
	}
	if why == ReasonResume {
		if n, err := next.Refresh(ctx); err == nil && n > 0 {
			next.Follow() // the same file, whose leaf was recorded when it was closed
		}
	}
	a.recorder.setMoved(false)
	guard := &a.compactor.guard
	guard.recovered, guard.repaired = false, nil
	guard.fruitless.Store(0)
	err := a.adopt(wanted{model: true, thinking: true})
	if err == nil && next.View().Len() == 0 {
		err = a.recordModel(ctx) // in a draft: no file is created
	}
	if err != nil {
		a.events.emit(&Problem{Err: err})
	}
	return unsent
}
