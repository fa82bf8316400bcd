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

// A recorder writes to the current session, to which other programs may write
// at the same time.
type recorder struct {
	current  atomic.Pointer[pith.Session]
	events   *bus
	followed func(*pith.Session) // called when the session continued after others' entries
	waiting  pending

	mu sync.Mutex // allows one append at a time; guards all below
	// underway is set during a turn or a compaction: entries appended then must
	// follow the previous ones.
	underway bool
	// moved is set if the leaf was moved and nothing was said since.
	moved bool
}

func (r *recorder) session() *pith.Session { return r.current.Load() }

// attempts limits retries due to concurrent writers.
const attempts = 100

// append writes one entry of the conversation. If other programs have continued
// it, the session continues after their entries or on its own branch: see
// [Conflict]. An entry that is written but not durable counts as written.
func (r *recorder) append(ctx context.Context, write func(context.Context, *pith.Session) (string, error)) (string, error) {
	return r.appendOr(ctx, r.settleConflict, write)
}

// appendOr is append with another answer to a conflict.
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

// linger is how long a write may continue after its context is done. The
// response and the results of an aborted run are still written, unless the file
// is locked.
const linger = 50 * time.Millisecond

// lingering returns a context that is cancelled some time after ctx is.
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

// settleConflict decides where to continue after other programs have written.
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

// keepPosition continues from the caller's position whatever others wrote.
func (r *recorder) keepPosition(s *pith.Session, stale *pith.StaleError) {
	s.Stay()
	r.events.emit(&Conflict{Entries: stale.Entries, Leaf: s.LeafID()})
}

// mayFollow reports whether to continue after others' entries. Results must
// stay after their calls, and an explicitly chosen leaf is kept, unless the
// others continued from there too.
func (r *recorder) mayFollow(s *pith.Session, own, theirs string, came func(id string) bool) bool {
	if !r.underway && !r.moved {
		return true
	}
	path, err := s.View().PathIDs(theirs)
	if err != nil {
		return false
	}
	next := slices.Index(path, own) + 1 // 0 for "", before the first entry
	return next < len(path) && (next > 0 || own == "") && came(path[next])
}

// catchUp reads entries of other programs and moves the leaf after them under
// the same conditions as an append. If they removed the leaf, it always moves.
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

// sameEntries reports whether two views have the same entries. A rewritten file
// can have the same number.
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

// beyond returns the entries on the path to theirs that are not on the path to
// own.
func beyond(s *pith.Session, own, theirs string) ([]string, error) {
	v := s.View()
	var mine []string // empty before the first entry
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

// position moves the leaf of a session to an entry; "" means before the first.
func position(s *pith.Session, id string) error {
	if id == "" {
		s.ResetLeaf()
		return nil
	}
	return s.Branch(id)
}

// setUnderway sets whether later entries must follow the previous ones.
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

// message writes a message. Like pi, it writes an extension message as an entry
// of its own type.
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

// record is append for a session that may be read-only.
func (r *recorder) record(ctx context.Context, write func(context.Context, *pith.Session) (string, error)) error {
	_, err := r.append(ctx, write)
	if errors.Is(err, pith.ErrReadOnly) {
		return nil
	}
	return err
}

// settled returns the error of an append. It reports an entry that is written
// but not durable, which counts as written.
func (r *recorder) settled(err error) error {
	if errors.Is(err, pith.ErrNotDurable) {
		r.events.emit(&Problem{Err: err})
		return nil
	}
	return err
}

// tellEntry reports an entry that is not a message of a run.
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

// pending holds recorded messages that wait to be written.
type pending struct {
	mu       sync.Mutex // guards messages
	messages []format.Message
}

func (p *pending) add(m format.Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.messages = append(p.messages, m)
}

// take removes and returns the messages for which f is true, in order.
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

// flush writes the recorded messages for which f is true.
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
