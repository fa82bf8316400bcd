// Package marks stores marks of sessions outside their files: which are pinned,
// which are archived, and which tags they have.
//
// All marks are in one small file in pith's state directory. A session is
// identified by its id, so that its marks stay when its file is moved or
// renamed. Marks do not change a session: it can be opened, resumed and deleted
// as before. The package does not read sessions or check whether they exist.
//
// # Invariants
//
//	K1  The file is replaced atomically, by one process at a time, under a lock
//	    that covers reading and writing.
//	K2  A file that cannot be read, or that a newer pith wrote, is never replaced.
//	K3  Members that this version does not know are preserved.
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
	// ErrDamaged means that the marks file was not written by this package. It
	// was not changed.
	ErrDamaged = errors.New("the file of pins and tags is damaged; repair it or move it away")
	// ErrTooNew means that a newer pith wrote the marks file.
	ErrTooNew = errors.New("the file of pins and tags was written by a newer pith; upgrade pith")
)

// Marks are the marks of one session. The zero value means none.
type Marks struct {
	Pinned   bool     `json:"pinned"`
	Archived bool     `json:"archived"`
	Tags     []string `json:"tags"` // sorted, each once
	// Path is the path of the session when it was marked last, as a hint for
	// the user.
	Path string
}

// IsZero reports whether there are no marks.
func (m *Marks) IsZero() bool {
	return !m.Pinned && !m.Archived && len(m.Tags) == 0
}

// Has reports whether the session has a tag.
func (m *Marks) Has(tag string) bool { return slices.Contains(m.Tags, tag) }

// A Collection contains the marks of all sessions as of the last read or
// change. It must not be used concurrently.
type Collection struct {
	dir   string
	marks map[string]Marks
}

// Open reads the marks in a directory, which need not exist. It writes nothing.
func Open(dir string) (*Collection, error) {
	s := &Collection{dir: dir}
	if _, err := s.load(); err != nil {
		return nil, err
	}
	return s, nil
}

// Of returns the marks of a session.
func (s *Collection) Of(id string) Marks {
	m := s.marks[id]
	m.Tags = slices.Clone(m.Tags)
	return m
}

// IDs returns the ids of all sessions with marks, sorted.
func (s *Collection) IDs() []string { return slices.Sorted(maps.Keys(s.marks)) }

// Tags returns the number of sessions of each tag.
func (s *Collection) Tags() map[string]int {
	out := map[string]int{}
	for _, m := range s.marks {
		for _, tag := range m.Tags {
			out[tag]++
		}
	}
	return out
}

// Update calls change with the current marks of a session, including changes of
// other processes, stores the result and returns it. path is the current path
// of the session.
func (s *Collection) Update(id, path string, change func(*Marks)) (Marks, error) {
	if id == "" {
		return Marks{}, errors.New("mark session: it has no ID")
	}
	err := filestore.WithDirLock(context.Background(), s.dir, func() error {
		f, err := s.load()
		if err != nil {
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
		return Marks{}, fmt.Errorf("mark session: %w", err)
	}
	return s.Of(id), nil
}

func (s *Collection) path() string { return filepath.Join(s.dir, fileName) }

// load reads the file and takes its marks. A missing or empty file has none.
func (s *Collection) load() (*file, error) {
	text, err := os.ReadFile(s.path())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f := newFile()
	if len(text) > 0 {
		if f, err = parse(text); err != nil {
			return nil, fmt.Errorf("read %s: %w", s.path(), err)
		}
	}
	return f, s.take(f)
}

// take replaces the marks of the collection by those of a file.
func (s *Collection) take(f *file) error {
	marks, err := f.marks()
	if err != nil {
		return fmt.Errorf("read %s: %w", s.path(), err)
	}
	s.marks = marks
	return nil
}

// save replaces the file, completely and durably or not at all.
func (s *Collection) save(f *file) error {
	text, err := json.MarshalIndent(f.members, "", "  ")
	if err != nil {
		return err
	}
	return filestore.WriteFile(s.path(), append(text, '\n'))
}
