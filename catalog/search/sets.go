package search

import (
	"context"
	"os"
	"sync"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/internal/envelope"
)

// Some filters cannot be answered from an entry alone. For these, what they need
// to know of a session is found when its first candidate comes, once.

// once keeps what was found of a session, by its path. It may be used by several
// goroutines.
type once[T any] struct {
	mu sync.Mutex
	of map[string]func() T
}

// at is what is kept of a session; find makes it.
func (s *once[T]) at(path string, find func() T) T {
	s.mu.Lock()
	found, ok := s.of[path]
	if !ok {
		if s.of == nil {
			s.of = map[string]func() T{}
		}
		found = sync.OnceValue(find)
		s.of[path] = found
	}
	s.mu.Unlock()
	return found()
}

// firstWithIDs is the first version of the format whose entries have ids.
const firstWithIDs = 2

// givenIDs are the ids that reading a session gives to entries without one, by
// where their lines begin in the file.
func givenIDs(ctx context.Context, path string, tables string) map[int64]string {
	in, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer in.Close() // it was only read
	info, err := in.Stat()
	if err != nil {
		return nil
	}
	var lines envelope.Table
	if err := lines.Extend(in, info.Size()); err != nil {
		return nil
	}
	session, err := pith.Open(ctx, path, pith.Options{ReadOnly: true, Tables: tables})
	if err != nil {
		return nil
	}
	defer session.Close()
	view := session.View()
	out := make(map[int64]string, len(lines.Entries))
	for i := range lines.Entries {
		if i < view.Len() {
			out[lines.Entries[i].Offset] = view.At(i).ID
		}
	}
	return out
}

// activePath are the ids of the entries on the path to a session's leaf.
func (s *searching) activePath(ctx context.Context, t *target) map[string]bool {
	return s.active.at(t.info.Path, func() map[string]bool {
		session, err := pith.Open(ctx, t.info.Path, pith.Options{ReadOnly: true, Tables: s.o.Tables})
		if err != nil {
			return nil
		}
		defer session.Close()
		ids, err := session.View().PathIDs("")
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
		calls := newScanner(&Query{File: s.q.File}, false, s.o.Veil)
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
