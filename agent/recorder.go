package agent

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// A recorder writes to the session that is the current one, which other programs
// may write to at the same time.
type recorder struct {
	current  atomic.Pointer[pith.Session]
	events   *bus
	followed func(*pith.Session) // called when the session went on behind others
	waiting  pending

	mu sync.Mutex // one append at a time; guards all below
	// underway is set while a turn or a compaction is: what is appended then
	// belongs behind what was appended before.
	underway bool
	// moved is set when the position was chosen and nothing said there since.
	moved bool
}

func (r *recorder) session() *pith.Session { return r.current.Load() }

// attempts bounds how often something is done anew because others write at the
// same time.
const attempts = 100

// append writes one entry of the conversation. If others have continued it
// meanwhile, the session goes on behind what they wrote, or beside it: see
// [Conflict]. An entry that is written but not durable counts as written.
func (r *recorder) append(ctx context.Context, write func(context.Context, *pith.Session) (string, error)) (string, error) {
	return r.appendOr(ctx, r.settleConflict, write)
}

// appendHere is append, but the entry goes where the caller says, whatever others
// wrote.
func (r *recorder) appendHere(ctx context.Context, write func(context.Context, *pith.Session) (string, error)) (string, error) {
	return r.appendOr(ctx, r.ignoreConflict, write)
}

func (r *recorder) appendOr(ctx context.Context, settle func(*pith.Session, *pith.StaleError), write func(context.Context, *pith.Session) (string, error)) (string, error) {
	ctx, stop := lingering(ctx)
	defer stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.session()
	for range attempts {
		id, err := write(ctx, s)
		if err = r.settled(err); err == nil {
			r.moved = false
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

// linger is how long a write may go on after its context has ended. The answer and
// the results of an aborted run are still written, unless the file is locked.
const linger = 50 * time.Millisecond

// lingering returns a context that ends some time after ctx does.
func lingering(ctx context.Context) (context.Context, context.CancelFunc) {
	out, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(linger, cancel)
		context.AfterFunc(out, func() { timer.Stop() })
	})
	return out, func() {
		stop()
		cancel()
	}
}

// settleConflict decides where to go on when others have written.
func (r *recorder) settleConflict(s *pith.Session, stale *pith.StaleError) {
	came := func(id string) bool { return slices.Contains(stale.Entries, id) }
	follow := r.mayFollow(s, s.LeafID(), stale.Leaf, came)
	if follow {
		s.Follow()
		r.followed(s)
	} else {
		s.Stay()
	}
	r.events.emit(&Conflict{Entries: stale.Entries, Leaf: s.LeafID(), Followed: follow})
}

func (r *recorder) ignoreConflict(s *pith.Session, stale *pith.StaleError) {
	s.Stay()
	r.events.emit(&Conflict{Entries: stale.Entries, Leaf: s.LeafID()})
}

// mayFollow reports whether to go on behind what others wrote. Results must stay
// behind their calls, and who has chosen a position goes on there, unless the
// others went on from there too.
func (r *recorder) mayFollow(s *pith.Session, own, theirs string, came func(id string) bool) bool {
	if !r.underway && !r.moved {
		return true
	}
	path, err := s.View().PathIDs(theirs)
	if err != nil {
		return false
	}
	next := slices.Index(path, own) + 1 // 0 for "", the place before the first
	return next < len(path) && (next > 0 || own == "") && came(path[next])
}

// catchUp reads what other programs wrote and moves the leaf behind it where an
// append would. If they removed the leaf, it always moves.
func (r *recorder) catchUp(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.session()
	own := s.LeafID()
	v := s.View()
	children, err := v.Children(own)
	if err != nil {
		return err
	}
	before := map[string]bool{}
	for _, pos := range children {
		before[v.At(pos).ID] = true
	}
	n, err := s.Refresh(ctx)
	if err != nil || n == 0 && sameEntries(v, s.View()) {
		return err
	}
	s.Follow()
	theirs := s.LeafID()
	if theirs == own {
		return nil
	}
	removed := own != "" && !has(s, own)
	if removed {
		own = ""
	}
	follow := removed || r.mayFollow(s, own, theirs, func(id string) bool { return !before[id] })
	if follow {
		r.followed(s)
	} else if err := position(s, own); err != nil {
		return err
	}
	came, err := beyond(s, own, theirs)
	if err != nil {
		return err
	}
	r.events.emit(&Conflict{Entries: came, Leaf: s.LeafID(), Followed: follow})
	return nil
}

// sameEntries reports whether two views hold the same entries. A rewritten file
// can have as many as before.
func sameEntries(a, b *pith.View) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if a.At(i).ID != b.At(i).ID {
			return false
		}
	}
	return true
}

// beyond are the entries on the path to theirs that are not on the path to own.
func beyond(s *pith.Session, own, theirs string) ([]string, error) {
	v := s.View()
	var mine []string // nothing before the first
	if own != "" {
		var err error
		if mine, err = v.PathIDs(own); err != nil {
			return nil, err
		}
	}
	path, err := v.PathIDs(theirs)
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
func (r *recorder) setUnderway(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.underway = on
}

func (r *recorder) setMoved(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.moved = on
}

// message writes a message; one of an extension as pi does, as an entry of
// its own type.
func (r *recorder) message(ctx context.Context, m format.Message) (string, error) {
	return r.append(ctx, func(ctx context.Context, s *pith.Session) (string, error) {
		if c, ok := m.(*format.CustomRole); ok {
			return s.AppendCustomMessage(ctx, format.CustomMessage{
				CustomType: c.CustomType, Content: c.Content, Display: c.Display, Details: c.Details, ExcludeFromContext: c.ExcludeFromContext,
			})
		}
		return s.AppendMessage(ctx, m)
	})
}

// record is append, for a session that may be open for reading only.
func (r *recorder) record(ctx context.Context, write func(context.Context, *pith.Session) (string, error)) error {
	_, err := r.append(ctx, write)
	if errors.Is(err, pith.ErrReadOnly) {
		return nil
	}
	return err
}

// settled is the error of an append. An entry that is written but not durable
// counts as written; that is told.
func (r *recorder) settled(err error) error {
	if errors.Is(err, pith.ErrNotDurable) {
		r.events.emit(&Problem{Err: err})
		return nil
	}
	return err
}

// tellEntry tells of an entry that is no message of a run.
func (r *recorder) tellEntry(id string) {
	if e, err := r.session().Entry(id); err == nil {
		r.events.emit(&EntryAppended{e})
	}
}

// omit hides an entry from models.
func (r *recorder) omit(ctx context.Context, id string) error {
	edit, err := r.append(ctx, func(ctx context.Context, s *pith.Session) (string, error) { return s.AppendContextEdit(ctx, id, nil) })
	if err != nil {
		return err
	}
	r.tellEntry(edit)
	return nil
}

// pending are recorded messages that wait.
type pending struct {
	mu       sync.Mutex // guards messages
	messages []format.Message
}

func (p *pending) add(m format.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.messages = append(p.messages, m)
}

// take removes the messages for which f holds, in order.
func (p *pending) take(f func(format.Message) bool) []format.Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	var taken, rest []format.Message
	for _, m := range p.messages {
		if f(m) {
			taken = append(taken, m)
		} else {
			rest = append(rest, m)
		}
	}
	p.messages = rest
	return taken
}

func (p *pending) empty() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.messages) == 0
}

func (p *pending) putBack(messages []format.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.messages = append(messages, p.messages...)
}

// flush writes the recorded messages for which f holds.
func (r *recorder) flush(ctx context.Context, f func(format.Message) bool) error {
	waiting := r.waiting.take(f)
	for i, m := range waiting {
		if _, err := r.message(ctx, m); err != nil {
			r.waiting.putBack(waiting[i:])
			return err
		}
	}
	return nil
}

func anyMessage(format.Message) bool { return true }

func isCustom(m format.Message) bool { return m.Role() == format.RoleCustom }
