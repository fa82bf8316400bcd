package blame

import (
	"context"
	"path/filepath"

	"github.com/pith-sessions/pith/internal/edits"
)

// A replay runs recorded events over the files that they are about.
type replay struct {
	*history
	files map[string]*state
}

func (r *replay) stateOf(path string) *state {
	s := r.files[path]
	if s == nil {
		s = &state{last: -1}
		r.files[path] = s
	}
	return s
}

func (r *replay) step(ctx context.Context, i int) error {
	e := &r.events[i]
	s := r.stateOf(r.paths[i])
	by := int32(i)
	if e.HasBefore {
		s.sync(normal(e.Before))
	}
	switch e.Kind {
	case edits.Read:
		text := normal(e.Content)
		if s.known && s.text == text+"\n" { // some programs leave the last line end out
			text = s.text
		}
		s.sync(text)
	case edits.Write:
		if e.HasBefore || e.New {
			s.write(normal(e.Content), by, e.Session, nil)
			break
		}
		var failed error
		s.write(normal(e.Content), by, e.Session, func(lines []string, m *matching) { failed = r.prove(ctx, i, s, lines, m) })
		if failed != nil {
			return failed
		}
	case edits.Replace:
		s.replace(&e.Change, by)
		if after := normal(e.Content); e.HasAfter && s.text != after {
			s.sync(normal(e.Before))
			s.write(after, by, e.Session, nil)
		}
	case edits.Remove:
		*s = state{known: true, gone: true, last: e.Session}
	case edits.Move:
		to := *s
		r.files[r.to[i]] = &to
		*s = state{known: true, gone: true, last: e.Session}
		s = &to
	}
	s.last, s.shown = e.Session, e.Kind == edits.Read
	return nil
}

// prove leaves as fresh those lines of a written content that the agent made up: it was
// not shown them before. What was in the file before is not known.
func (r *replay) prove(ctx context.Context, i int, s *state, lines []string, m *matching) error {
	e := &r.events[i]
	unseen := map[string]bool{}
	for j, line := range lines {
		if m.fresh[j] && !isTrivial(line) {
			unseen[line] = true
		}
	}
	candidates := len(unseen)
	if candidates == 0 && s.known {
		return nil
	}
	base := filepath.Base(r.paths[i])
	isOther := func(path string) bool { return filepath.Base(path) != base }
	if err := edits.Seen(ctx, r.o.Sessions[e.Session].Path, e.Call.At, isOther, unseen); err != nil {
		return err
	}
	// Short lines are distinguished only if the agent has just read the file, or made it.
	sure := len(unseen) == candidates && (!s.known || s.last == e.Session && s.shown)
	for j, line := range lines {
		if m.fresh[j] {
			m.fresh[j] = unseen[line] || isTrivial(line) && sure
		}
	}
	return nil
}
