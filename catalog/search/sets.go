package search

import (
	"context"
	"sync"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/journal"
)

// Some filters cannot be decided from an entry alone. The facts of a session
// that they need are computed once, at its first candidate.

// once stores a value for each session, by path. It is safe for concurrent use.
type once[T any] struct {
	mu sync.Mutex
	of map[string]func() T
}

// at returns the value of a session. find computes it on the first call.
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

// givenIDs returns the ids that opening a session assigns to entries without
// one, by the offsets of their lines.
func givenIDs(ctx context.Context, path string) map[int64]string {
	in, err := foreign.Open(ctx, path)
	if err != nil {
		return nil
	}
	defer in.Close() // only read
	info, err := in.Stat()
	if err != nil {
		return nil
	}
	lines, err := journal.Scan(ctx, in, info.Size())
	if err != nil {
		return nil
	}
	session, err := pith.Open(ctx, path, pith.Options{ReadOnly: true})
	if err != nil {
		return nil
	}
	defer session.Close()
	view := session.View()
	out := make(map[int64]string, lines.Len())
	for i := range lines.Len() {
		if i < view.Len() {
			out[lines.At(i).Offset] = view.At(i).ID
		}
	}
	return out
}

// activePath returns the ids of the entries on the path to a session's leaf.
func (s *searching) activePath(ctx context.Context, t *target) map[string]bool {
	return s.active.at(t.info.Path, func() map[string]bool {
		session, err := pith.Open(ctx, t.info.Path, pith.Options{ReadOnly: true})
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

// touching returns the ids of the tool calls of a session with a path that
// contains part.
func (s *searching) touching(ctx context.Context, t *target, part string) map[string]bool {
	return s.touched.at(t.info.Path+"\x00"+part, func() map[string]bool {
		out := map[string]bool{}
		file, _ := query.Parse(query.Quote("file", part), query.Env{}) // any text is a value
		calls := newScanner(&Query{Filters: file}, false, s.o.Veil)
		// An error is noticed again where the entries are read.
		_ = calls.stream(ctx, t.info.Path, 0, max(t.info.Size, t.end), func(e *entry, _ found, _ int64) {
			for _, c := range e.calls {
				if namesFile(c.file, part) {
					out[c.id] = true
				}
			}
		})
		return out
	})
}
