// Package live is the session that is open in the terminal app: its conversation
// with a model, what the screens read of it, and what others write to it
// meanwhile.
//
// Everything here may read files and wait. The app calls it beside the screen,
// and no more than one method that changes the session at a time.
package live

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/opencalls"
)

// ErrNothingSaid means that a path holds no message: there is nothing to clone.
var ErrNothingSaid = errors.New("nothing was said up to there: there is nothing to clone")

// Options are what sessions are opened with. Setup must be set.
type Options struct {
	Engine pith.Options
	// Setup reads what is configured for a project.
	Setup func(cwd string) *userconfig.Setup
	// Event is told what happens in the conversation, from any goroutine.
	Event func(*Session, agent.Event)
	// Home is the user's home folder, shown as ~.
	Home string
	// Go runs something in a goroutine of its own.
	Go func(func())
}

// A Session is an open session and the conversation in it.
type Session struct {
	Agent *agent.Conversation
	Setup *userconfig.Setup

	o    Options
	stop func() // ends the telling of events
	seen int64  // size of the file when it was last looked at
}

// Open opens a session that goes on in a working directory. The file is not
// changed by that.
func Open(ctx context.Context, path, cwd string, o Options) (*Session, error) {
	engine := o.Engine
	engine.Cwd = cwd
	s, err := pith.Open(ctx, path, engine)
	if err != nil {
		return nil, err
	}
	return begin(s, o)
}

// Create begins a new session of a project. Its folder stands in the options.
func Create(cwd string, o Options) (*Session, error) {
	engine := o.Engine
	engine.Cwd = cwd
	s, err := pith.Create(engine)
	if err != nil {
		return nil, err
	}
	o.Engine.Dir = ""
	return begin(s, o)
}

// begin makes a conversation of a session, which it closes on an error.
func begin(s *pith.Session, o Options) (*Session, error) {
	l := &Session{Setup: o.Setup(s.Cwd()), o: o}
	config, err := l.Setup.Config(userconfig.Choice{}, s)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	config.Now = o.Engine.Now
	config.Options = o.Engine
	if l.Agent, err = agent.New(s, config); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	l.stop = l.Agent.Subscribe(func(e agent.Event) { o.Event(l, e) })
	return l, nil
}

// Close ends the conversation and closes the session. It waits for what is going
// on.
func (l *Session) Close() error {
	l.stop()
	return l.Agent.Close()
}

// Current is the session as it is now. A fork or a switch puts another in its
// place.
func (l *Session) Current() *pith.Session { return l.Agent.Session() }

// Look reports whether others have written to the session since the last look. It
// asks for the size of the file alone unless that has changed. Where others went
// on from where the session stands, the session follows them.
func (l *Session) Look(ctx context.Context) (grown bool, err error) {
	if l.Agent.Busy() != agent.ActivityIdle {
		return false, nil
	}
	s := l.Current()
	info, err := os.Stat(s.File())
	if err != nil || info.Size() == l.seen {
		return false, nil // a file that is gone is noticed by the next write
	}
	l.seen = info.Size()
	n, err := s.Refresh(ctx)
	if n > 0 {
		err = errors.Join(err, follow(s))
	}
	return n > 0, err
}

// follow goes on behind what others wrote, if they went on from where the
// session stands. Who chose another place stays there.
func follow(s *pith.Session) error {
	stood := s.LeafID()
	s.Follow()
	if stood == "" {
		return nil
	}
	path, err := s.View().PathIDs("")
	if err != nil || slices.Contains(path, stood) {
		return err
	}
	return s.Branch(stood)
}

// CloneAt makes a new session of the conversation up to an entry, and goes on in
// it.
func (l *Session) CloneAt(ctx context.Context, id string) (agent.Replacement, error) {
	file, err := Extract(ctx, l.Current(), id)
	if err != nil {
		return agent.Replacement{}, err
	}
	return l.Agent.Switch(ctx, file)
}

// Extract makes a new session of the path to an entry and returns its file.
func Extract(ctx context.Context, s *pith.Session, id string) (string, error) {
	x, err := s.Extract(ctx, id)
	if err != nil {
		return "", err
	}
	if !x.Written() {
		return "", errors.Join(ErrNothingSaid, x.Close())
	}
	err = opencalls.Close(ctx, x, time.Now()) // pitfall 131
	if err == nil {
		err = nameCopy(ctx, s, x)
	}
	return x.File(), errors.Join(err, x.Close())
}

// longestCopied is how much of a title the name of a copy repeats, in cells.
const longestCopied = 60

// nameCopy names a copy after its original, so that a list tells them apart.
func nameCopy(ctx context.Context, original, clone *pith.Session) error {
	title := original.Name()
	if title == "" {
		list, err := Messages(clone)
		if err != nil || len(list) == 0 {
			return err
		}
		title = list[0].Text
	}
	_, err := clone.SetName(ctx, termsafe.Fit(title, longestCopied)+" (copy)")
	return err
}

// A Message is something that the user said.
type Message struct{ ID, Text string }

// longestMessage is how much of a message is shown in a list, in cells.
const longestMessage = 400

// Messages returns the user messages of a session, on all branches, in file order.
func Messages(s *pith.Session) ([]Message, error) {
	var list []Message
	for line, err := range s.View().Reader().Lines() {
		if err != nil {
			return nil, err
		}
		if line.Role != format.RoleUser {
			continue
		}
		if e, err := format.DecodeEntry(line.Raw); err == nil {
			if text := strings.TrimSpace(entryline.Copy(e)); text != "" {
				list = append(list, Message{line.ID, termsafe.Fit(text, longestMessage)})
			}
		}
	}
	return list, nil
}
