package search

import (
	"context"
	"os"
	"sync"

	"github.com/pith-sessions/pith"
)

// Some filters cannot be answered from an entry alone. For these, what they need
// to know of a session is found when its first candidate comes, once.

// sets are sets of ids by the path of their session. It may be used by several
// goroutines.
type sets struct {
	mu sync.Mutex
	of map[string]func() map[string]bool
}

// at is the set of a session; find makes it.
func (s *sets) at(path string, find func() map[string]bool) map[string]bool {
	s.mu.Lock()
	once, ok := s.of[path]
	if !ok {
		if s.of == nil {
			s.of = map[string]func() map[string]bool{}
		}
		once = sync.OnceValue(find)
		s.of[path] = once
	}
	s.mu.Unlock()
	return once()
}

// activePath are the ids of the entries on the path to a session's leaf.
func (s *searching) activePath(t *target) map[string]bool {
	return s.active.at(t.info.Path, func() map[string]bool {
		session, err := pith.Open(context.TODO(), t.info.Path, pith.Options{ReadOnly: true, Tables: s.o.Tables})
		if err != nil {
			return nil
		}
		defer session.Close()
		ids, err := session.View().PathIDs(session.LeafID())
		if err != nil {
			return nil
		}
		out := make(map[string]bool, len(ids))
		for _, id := range ids {
			out[id] = true
		}
		return out
	})
}

// touching are the ids of the tool calls of a session that name the file of the
// query.
func (s *searching) touching(ctx context.Context, t *target) map[string]bool {
	return s.touched.at(t.info.Path, func() map[string]bool {
		in, err := os.Open(t.info.Path)
		if err != nil {
			return nil
		}
		defer in.Close()
		out := map[string]bool{}
		calls := newScanner(&Query{File: s.q.File}, false)
		// What cannot be read is found missing where the entries are read.
		_ = calls.each(ctx, in, 0, max(t.info.Size, t.end), func(e *entry, _ found, _ int64) bool {
			for _, c := range e.calls {
				if namesFile(c.file, s.q.File) {
					out[c.id] = true
				}
			}
			return true
		})
		return out
	})
}
