// Package marks keeps what people say about sessions without writing into them:
// which are pinned, which are archived, and which tags they have.
//
// All marks are in one small file in pith's state folder. A session is known by
// its id, so that a mark follows a file that is moved or renamed. Marks change
// nothing about a session: it can be opened, resumed and deleted as before. The
// package does not look at sessions; whether one still exists is not checked.
//
// # Invariants
//
//	K1  The file is replaced as a whole and at once, by one process at a time:
//	    what a process read under the lock is what it changes.
//	K2  A file that cannot be read, or that a newer pith wrote, is never replaced.
//	K3  Members that this version does not know are kept.
//
// Stability: outside the core. Its exported names may still change.
package marks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/pith-sessions/pith/store/filestore"
)

const (
	fileName = "shelf.json"
	version  = 1
)

var (
	// ErrDamaged means that the file of marks is not what this package writes. It
	// was not touched.
	ErrDamaged = errors.New("the file of pins, archive flags and tags is damaged; mend it or move it away")
	// ErrTooNew means that a newer pith wrote the file of marks.
	ErrTooNew = errors.New("the file of pins, archive flags and tags was written by a newer pith; update this one")
)

// Marks are what is kept about one session. The zero value is none.
type Marks struct {
	Pinned   bool
	Archived bool
	Tags     []string // sorted, each once
	// Path is where the session was when it was marked last: a hint for people.
	Path string
}

// IsZero reports whether there is no mark.
func (m *Marks) IsZero() bool { return !m.Pinned && !m.Archived && len(m.Tags) == 0 }

// Has reports whether a session has a tag.
func (m *Marks) Has(tag string) bool { return slices.Contains(m.Tags, tag) }

// A Collection is the marks of all sessions, as they were when it was opened or last
// changed. It must not be used by two goroutines at once.
type Collection struct {
	dir   string
	marks map[string]Marks
}

// Open reads the marks in a folder, which need not exist. Nothing is written.
func Open(dir string) (*Collection, error) {
	s := &Collection{dir: dir}
	f, err := s.load()
	if err != nil {
		return nil, err
	}
	return s, s.take(f)
}

// Of are the marks of a session.
func (s *Collection) Of(id string) Marks {
	m := s.marks[id]
	m.Tags = slices.Clone(m.Tags)
	return m
}

// IDs are the ids of all sessions with a mark, sorted.
func (s *Collection) IDs() []string { return slices.Sorted(maps.Keys(s.marks)) }

// Tags counts the sessions of each tag.
func (s *Collection) Tags() map[string]int {
	out := map[string]int{}
	for _, m := range s.marks {
		for _, tag := range m.Tags {
			out[tag]++
		}
	}
	return out
}

// Update changes the marks of a session, given those that it has at that moment,
// whoever set them. path is where the session is now. The new marks are returned.
func (s *Collection) Update(id, path string, change func(*Marks)) (Marks, error) {
	if id == "" {
		return Marks{}, errors.New("mark a session: it has no id")
	}
	err := filestore.WithDirLock(context.Background(), s.dir, func() error {
		f, err := s.load()
		if err != nil {
			return err
		}
		if err := s.take(f); err != nil {
			return err
		}
		m := s.Of(id)
		before := m
		before.Tags = slices.Clone(m.Tags)
		change(&m)
		slices.Sort(m.Tags)
		m.Tags = slices.Compact(m.Tags)
		if m.Pinned == before.Pinned && m.Archived == before.Archived && slices.Equal(m.Tags, before.Tags) {
			return nil
		}
		m.Path = path
		if err := f.set(id, &m); err != nil {
			return err
		}
		if err := s.save(f); err != nil {
			return err
		}
		return s.take(f)
	})
	if err != nil {
		return Marks{}, fmt.Errorf("mark a session: %w", err)
	}
	return s.Of(id), nil
}

func (s *Collection) path() string { return filepath.Join(s.dir, fileName) }

// load reads the file. One that does not exist, or is empty, has no marks.
func (s *Collection) load() (*file, error) {
	text, err := os.ReadFile(s.path())
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(text) == 0 {
		return newFile(), nil
	}
	if err != nil {
		return nil, err
	}
	f, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", s.path(), err)
	}
	return f, nil
}

// take makes the marks of a file those of the collection.
func (s *Collection) take(f *file) error {
	marks, err := f.marks()
	if err != nil {
		return fmt.Errorf("read %s: %w", s.path(), err)
	}
	s.marks = marks
	return nil
}

// save replaces the file, complete and durable or not at all.
func (s *Collection) save(f *file) error {
	text, err := json.MarshalIndent(f.members, "", "  ")
	if err != nil {
		return err
	}
	return filestore.WriteFile(s.path(), append(text, '\n'))
}
