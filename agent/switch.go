package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// A Replacement is what Fork, Clone, New and Switch did.
type Replacement struct {
	// Cancelled means that a hook decided against it and nothing has changed.
	Cancelled bool
	// EditorText is the text of the message that a fork ends before, to be edited.
	EditorText string
	// Unsent are the texts that were queued for the session before. They are not
	// sent.
	Unsent []string
}

// NewOptions are the choices of a new session.
type NewOptions struct {
	// ParentSession is recorded in the header.
	ParentSession string
	// Setup may write to the session before anybody is told of it.
	Setup func(*pith.Session) error
}

// Fork makes a new session of the conversation before a message of the user,
// goes on there, and returns the message's text. This and the other methods
// that change the session ask the hooks first, then abort a run that is going
// on and wait for it, so that it is complete in the session that is left. If
// the new session cannot be had, the old one stays.
func (a *Conversation) Fork(ctx context.Context, entryID string) (Replacement, error) {
	if a.hooks.beforeFork(ctx, BeforeForkEvent{Session: a.Session(), EntryID: entryID}) {
		return Replacement{Cancelled: true}, nil
	}
	var text string
	out, err := a.replace(ctx, ReasonFork, func(s *pith.Session) (*pith.Session, error) {
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
		return nil, fmt.Errorf("fork: %w", invalidf("entry", entryID, "entry %s is not a message of the user", entryID))
	})
	if err == nil {
		out.EditorText = text
	}
	return out, err
}

// Clone makes a new session of the conversation up to where the session stands,
// and goes on there.
func (a *Conversation) Clone(ctx context.Context) (Replacement, error) {
	old := a.Session()
	if a.hooks.beforeFork(ctx, BeforeForkEvent{Session: old, EntryID: old.LeafID(), At: true}) {
		return Replacement{Cancelled: true}, nil
	}
	return a.replace(ctx, ReasonFork, func(s *pith.Session) (*pith.Session, error) {
		leaf := s.LeafID()
		if leaf == "" {
			return nil, fmt.Errorf("clone: %w", invalidf("entry", "", "the session stands before its first entry"))
		}
		next, err := s.Extract(ctx, leaf)
		if err != nil {
			return nil, err
		}
		return next, CloseCalls(next, a.config.Now())
	})
}

// New begins a new session for the same working directory.
func (a *Conversation) New(ctx context.Context, o NewOptions) (Replacement, error) {
	if a.hooks.beforeSwitch(ctx, BeforeSwitchEvent{Session: a.Session(), Reason: ReasonNew}) {
		return Replacement{Cancelled: true}, nil
	}
	return a.replace(ctx, ReasonNew, func(s *pith.Session) (*pith.Session, error) {
		options := a.config.Options
		options.ParentSession, options.ID, options.Cwd = o.ParentSession, "", s.Cwd()
		create := pith.InMemory
		if s.Persisted() {
			create = pith.Create
			if options.Dir == "" {
				options.Dir = s.Dir()
			}
		}
		next, err := create(options)
		if err != nil || o.Setup == nil {
			return next, err
		}
		return next, o.Setup(next)
	})
}

// Switch goes on in the session in another file. Nothing is written to it.
func (a *Conversation) Switch(ctx context.Context, path string) (Replacement, error) {
	if a.hooks.beforeSwitch(ctx, BeforeSwitchEvent{Session: a.Session(), Reason: ReasonResume, TargetFile: path}) {
		return Replacement{Cancelled: true}, nil
	}
	return a.replace(ctx, ReasonResume, func(*pith.Session) (*pith.Session, error) {
		options := a.config.Options
		options.ID, options.ParentSession = "", ""
		return pith.Open(ctx, path, options)
	})
}

// replace puts the session that open makes in the place of the current one.
func (a *Conversation) replace(ctx context.Context, why Reason, open func(*pith.Session) (*pith.Session, error)) (Replacement, error) {
	ctx, w, err := a.activity.interrupt(ctx, ActivitySwitching)
	if err != nil {
		return Replacement{}, err
	}
	old := a.Session()
	next, err := open(old)
	if err != nil {
		if next != nil {
			_ = next.Close() // the error that counts is the first
		}
		a.end(w, nil)
		return Replacement{}, err
	}
	a.hooks.shutdown(ctx, ShutdownEvent{Session: old, Reason: why, TargetFile: next.File()})
	previous := old.File()
	a.exchange(old, next)
	unsent := a.enter(ctx, next, why)
	a.hooks.start(ctx, StartEvent{Session: next, Reason: why, PreviousFile: previous})
	a.endAndDeliver(w, &Switched{Reason: why, Session: next, PreviousFile: previous})
	a.events.flush()
	return Replacement{Unsent: unsent}, nil
}

// exchange makes a session the current one and ends the use of the other. Recorded
// messages that cannot be written to that one are dropped: they are no part of the
// session that follows.
func (a *Conversation) exchange(old, next *pith.Session) {
	if err := a.lockFlushed(); err != nil {
		lost := a.recorder.waiting.take(anyMessage)
		a.events.emit(&Problem{fmt.Errorf("%d recorded messages could not be written to the session that is left: %w", len(lost), err)})
	}
	a.recorder.current.Store(next)
	a.activity.Unlock()
	if err := old.Close(); err != nil {
		a.events.emit(&Problem{err})
	}
}

// enter goes on in the session that is the current one now. What was queued for the
// other is dropped.
func (a *Conversation) enter(ctx context.Context, next *pith.Session, why Reason) (unsent []string) {
	if !a.queues.empty() {
		steering, followUp := a.queues.clear()
		unsent = append(steering, followUp...)
	}
	if why == ReasonResume {
		if n, err := next.Refresh(ctx); err == nil && n > 0 {
			next.Follow() // the same file, and closing it has recorded the position
		}
	}
	a.recorder.setMoved(false)
	guard := &a.compactor.guard
	guard.recovered, guard.repaired = false, nil
	guard.fruitless.Store(0)
	err := a.adopt(wanted{model: true, thinking: true})
	if err == nil && next.View().Len() == 0 {
		err = a.recordModel() // in a draft: no file appears
	}
	if err != nil {
		a.events.emit(&Problem{err})
	}
	return unsent
}

// CloseCalls writes a result for each call at the end of a session that has none,
// for a copy of a session in which tools are at work: nobody will answer there.
func CloseCalls(s *pith.Session, now time.Time) error {
	x, results, err := openCalls(s)
	if err != nil || x == nil {
		return err
	}
	for _, call := range callsOf(x) {
		if results[call.ID] {
			continue
		}
		output := failure(saysAborted)
		if _, err := s.AppendMessage(context.TODO(), &format.ToolResult{
			ToolCallID: call.ID, ToolName: call.Name, Content: format.BlockContent(output.Content...),
			Details: output.Details, IsError: true, Timestamp: now.UnixMilli(),
		}); err != nil {
			return err
		}
	}
	return nil
}

// openCalls is the answer at the end of a session, and which of its calls have
// results; nil when the end is no such answer.
func openCalls(s *pith.Session) (*format.Assistant, map[string]bool, error) {
	results := map[string]bool{}
	for e, err := range back(s) {
		if err != nil {
			return nil, nil, err
		}
		m, ok := e.(*format.MessageEntry)
		if !ok {
			if _, compaction := e.(*format.Compaction); compaction {
				return nil, nil, nil
			}
			continue
		}
		switch m := m.Message.(type) {
		case *format.ToolResult:
			results[m.ToolCallID] = true
		case *format.Assistant:
			if m.StopReason == failed || m.StopReason == abandoned {
				return nil, nil, nil // its calls do not count
			}
			return m, results, nil
		default:
			return nil, nil, nil
		}
	}
	return nil, nil, nil
}
