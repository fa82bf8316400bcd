// Package live manages the session that is open in the terminal app: its
// conversation with a model, its content for the screens, and changes by other
// processes.
//
// Everything here may read files and wait. The app calls it in the background,
// and calls at most one method that changes the session at a time.
package live

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/opencalls"
	"github.com/pith-sessions/pith/store/filestore"
)

// ErrNothingSaid means that a path contains no message: there is nothing to
// clone.
var ErrNothingSaid = errors.New("nothing to clone: there are no messages up to this entry")

// ErrDeleted means that another process deleted the file of the open session.
var ErrDeleted = errors.New("the session file was deleted; what you see is no longer stored")

// Options configure how sessions are opened. Setup must be set.
type Options struct {
	Engine pith.Options
	// Setup reads the configuration for a project.
	Setup func(cwd string) *userconfig.Setup
	// Event is called for each event of the conversation, from any goroutine.
	Event func(*Session, agent.Event)
	// Home is the user's home directory, shown as ~.
	Home string
	// Go runs a function in a goroutine of its own.
	Go func(func())
	// Agent names the agent of a session.
	Agent func(*pith.Session) string
}

// A Session is an open session and the conversation in it.
type Session struct {
	Agent *agent.Conversation
	Setup *userconfig.Setup

	o    Options
	stop func() // ends the subscription to events
	seen int64  // size of the file when it was last checked

	stored string // the file, if it existed when it was last checked

	holder  atomic.Pointer[string] // see Holder
	checked time.Time              // when the holder was last looked for
}

// Holder names the program and the process that has the file of the session open for
// writing, or "".
func (l *Session) Holder() string {
	if h := l.holder.Load(); h != nil {
		return *h
	}
	return ""
}

// heldFor is the time after a write for which the agent counts as having the file open.
const heldFor = 20 * time.Second

// holderEvery is the interval of checks who has the file open.
const holderEvery = 5 * time.Second

// lookForHolder finds out who has the file of the session open. Agents that open their
// file only to append have written to it a moment ago.
func (l *Session) lookForHolder(ctx context.Context, now time.Time) {
	if now.Sub(l.checked) < holderEvery {
		return
	}
	l.checked = now
	s := l.Current()
	file := s.File()
	if own := s.Header().Original; own != "" {
		file = own
	}
	name, text := l.o.Agent(s), ""
	if pid, known := filestore.Writer(ctx, file); known && pid != 0 {
		text = fmt.Sprintf("%s (process %d)", name, pid)
	} else if info, err := os.Stat(file); err == nil && s.Header().Source != "" && now.Sub(info.ModTime()) < heldFor {
		text = name
	}
	l.holder.Store(&text)
}

// Open opens a session that continues in a working directory. This does not
// change the file.
func Open(ctx context.Context, path, cwd string, o Options) (*Session, error) {
	engine := o.Engine
	engine.Cwd = cwd
	s, err := pith.Open(ctx, path, engine)
	if err != nil {
		return nil, err
	}
	return begin(s, o)
}

// Create starts a new session of a project. Its directory is in the options.
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

// begin starts a conversation in a session. On an error it closes the session.
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
	if _, err := os.Stat(s.File()); err == nil {
		l.stored = s.File()
	}
	l.stop = l.Agent.Subscribe(func(e agent.Event) { o.Event(l, e) })
	return l, nil
}

// Close ends the conversation and closes the session. It waits for running
// work.
func (l *Session) Close() error {
	l.stop()
	return l.Agent.Close()
}

// Current returns the current session. A fork or a switch replaces it.
func (l *Session) Current() *pith.Session { return l.Agent.Session() }

// Look reports whether other processes have written to the session since the
// last call. It only checks the size of the file unless that has changed. If
// others continued from the leaf, the session follows them. If the file is gone,
// it returns ErrDeleted once.
func (l *Session) Look(ctx context.Context) (grown bool, err error) {
	if l.Agent.Busy() != agent.ActivityIdle {
		return false, nil
	}
	l.lookForHolder(ctx, time.Now())
	s := l.Current()
	info, err := os.Stat(s.File())
	if errors.Is(err, fs.ErrNotExist) && l.stored == s.File() {
		l.stored = ""
		return false, ErrDeleted
	}
	if err == nil {
		l.stored = s.File()
	}
	if err != nil || info.Size() == l.seen {
		return false, nil // the next write notices other errors
	}
	l.seen = info.Size()
	n, err := s.Refresh(ctx)
	if n > 0 {
		err = errors.Join(err, follow(s))
	}
	return n > 0, err
}

// follow moves the leaf after entries of other processes, if they continued
// from it. If the user chose another leaf, it stays.
func follow(s *pith.Session) error {
	leaf := s.LeafID()
	s.Follow()
	if leaf == "" {
		return nil
	}
	path, err := s.View().PathIDs("")
	if err != nil || slices.Contains(path, leaf) {
		return err
	}
	return s.Branch(leaf)
}

// CloneAt creates a new session from the conversation up to an entry, and
// continues in it.
func (l *Session) CloneAt(ctx context.Context, id string) (agent.Replacement, error) {
	file, err := Extract(ctx, l.Current(), id)
	if err != nil {
		return agent.Replacement{}, err
	}
	return l.Agent.Switch(ctx, file)
}

// Extract creates a new session from the path to an entry and returns its file.
func Extract(ctx context.Context, s *pith.Session, id string) (string, error) {
	x, err := s.Clone(ctx, id)
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

// longestCopied is the maximum length of the title in the name of a copy, in
// cells.
const longestCopied = 60

// nameCopy names a copy after its original, so that a list distinguishes them.
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

// A Message is a user message.
type Message struct{ ID, Text string }

// longestMessage is the maximum length of a message in a list, in cells.
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
