package agent

import (
	"errors"
	"slices"
	"sync"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// writer remembers what decides where to go on when others have written.
type writer struct {
	mu sync.Mutex // one append at a time; guards all below
	// underway is set while a turn or a compaction is: what is appended then
	// belongs behind what was appended before.
	underway bool
	// moved is set when the position was chosen and nothing said there since.
	moved bool
}

// attempts bounds how often something is done anew because others write at the
// same time.
const attempts = 100

// append writes one entry of the conversation. If others have continued it
// meanwhile, the session goes on behind what they wrote, or beside it: see
// [Conflict]. An entry that is written but not durable counts as written.
func (a *Session) append(write func(*pith.Session) (string, error)) (string, error) {
	return a.appendOr(a.settleConflict, write)
}

// appendHere is append, but the entry goes where the caller says, whatever others
// wrote.
func (a *Session) appendHere(write func(*pith.Session) (string, error)) (string, error) {
	return a.appendOr(a.ignoreConflict, write)
}

func (a *Session) appendOr(settle func(*pith.Session, *pith.StaleError), write func(*pith.Session) (string, error)) (string, error) {
	a.writer.mu.Lock()
	defer a.writer.mu.Unlock()
	s := a.Session()
	for range attempts {
		id, err := write(s)
		if err = a.settled(err); err == nil {
			a.writer.moved = false
			return id, nil
		}
		stale, ok := errors.AsType[*pith.StaleError](err)
		if !ok {
			return "", err
		}
		settle(s, stale)
	}
	return "", &pith.StaleError{Path: s.File(), Leaf: s.LeafID()}
}

// settleConflict decides where to go on when others have written.
func (a *Session) settleConflict(s *pith.Session, stale *pith.StaleError) {
	came := func(id string) bool { return slices.Contains(stale.Entries, id) }
	follow := a.mayFollow(s, s.LeafID(), stale.Leaf, came)
	if follow {
		s.Follow()
		a.adoptFollowed(s)
	} else {
		s.Stay()
	}
	a.bus.emit(&Conflict{Entries: stale.Entries, Leaf: s.LeafID(), Followed: follow})
}

func (a *Session) ignoreConflict(s *pith.Session, stale *pith.StaleError) {
	s.Stay()
	a.bus.emit(&Conflict{Entries: stale.Entries, Leaf: s.LeafID()})
}

// mayFollow reports whether to go on behind what others wrote. Results must stay
// behind their calls, and who has chosen a position goes on there, unless the
// others went on from there too.
func (a *Session) mayFollow(s *pith.Session, own, theirs string, came func(id string) bool) bool {
	if !a.writer.underway && !a.writer.moved {
		return true
	}
	path, err := s.PathIDs(theirs)
	if err != nil {
		return false
	}
	next := slices.Index(path, own) + 1 // 0 for "", the place before the first
	return next < len(path) && (next > 0 || own == "") && came(path[next])
}

// catchUp reads what others have written, and goes on behind it as an append
// would.
func (a *Session) catchUp() error {
	a.writer.mu.Lock()
	defer a.writer.mu.Unlock()
	s := a.Session()
	own := s.LeafID()
	before, err := s.Children(own)
	if err != nil {
		return err
	}
	n, err := s.Refresh()
	if err != nil || n == 0 {
		return err
	}
	s.Follow()
	theirs := s.LeafID()
	if theirs == own {
		return nil
	}
	follow := a.mayFollow(s, own, theirs, func(id string) bool { return !slices.Contains(before, id) })
	if follow {
		a.adoptFollowed(s)
	} else if err := position(s, own); err != nil {
		return err
	}
	came, err := beyond(s, own, theirs)
	if err != nil {
		return err
	}
	a.bus.emit(&Conflict{Entries: came, Leaf: s.LeafID(), Followed: follow})
	return nil
}

// beyond are the entries on the path to theirs that are not on the path to own.
func beyond(s *pith.Session, own, theirs string) ([]string, error) {
	mine, err := s.PathIDs(own)
	if err != nil {
		return nil, err
	}
	path, err := s.PathIDs(theirs)
	if err != nil {
		return nil, err
	}
	n := 0
	for n < len(mine) && n < len(path) && mine[n] == path[n] {
		n++
	}
	return path[n:], nil
}

// position moves a session to an entry; "" is the place before the first.
func position(s *pith.Session, id string) error {
	if id == "" {
		s.ResetLeaf()
		return nil
	}
	return s.Branch(id)
}

// setUnderway says whether what is appended from now on belongs together.
func (a *Session) setUnderway(on bool) {
	a.writer.mu.Lock()
	defer a.writer.mu.Unlock()
	a.writer.underway = on
}

func (a *Session) setMoved(on bool) {
	a.writer.mu.Lock()
	defer a.writer.mu.Unlock()
	a.writer.moved = on
}

// appendMessage writes a message; one of an extension as pi does, as an entry of
// its own type.
func (a *Session) appendMessage(m format.Message) (string, error) {
	return a.append(func(s *pith.Session) (string, error) {
		if c, ok := m.(*format.CustomRole); ok {
			return s.AppendCustomMessage(format.CustomMessage{
				CustomType: c.CustomType, Content: c.Content, Display: c.Display, Details: c.Details, ExcludeFromContext: c.ExcludeFromContext,
			})
		}
		return s.AppendMessage(m)
	})
}

// omit hides an entry from models.
func (a *Session) omit(id string) error {
	edit, err := a.append(func(s *pith.Session) (string, error) { return s.AppendContextEdit(id, nil) })
	if err != nil {
		return err
	}
	a.tellEntry(edit)
	return nil
}
