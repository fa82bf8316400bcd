package replica

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/store"
)

// A Mirror is a folder with all sessions that a store shows: one file for each session
// of a person, the union of that person's machines, in a folder of the person's own. It
// is a cache: it only reads the store, and can be deleted at any time.
type Mirror struct {
	Dir string
	// Passed are sessions that could not be read, and why: those that are encrypted
	// for others, for instance.
	Passed map[string]error
}

// folder is that of a person. It is named as pi names those of its projects.
func (m *Mirror) folder(person string) string { return filepath.Join(m.Dir, "--"+person+"--") }

func (m *Mirror) file(r Replica) string { return filepath.Join(m.folder(r.Person), r.Session+".jsonl") }

// Refresh brings the folder up to what the store shows: only what changed is read.
// Files of sessions that the store shows no more go. t.Memory must be the mirror's own.
func (m *Mirror) Refresh(ctx context.Context, t *Team, person string) error {
	l, err := t.List(ctx, person)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(m.Dir, 0o700); err != nil {
		return err
	}
	m.Passed = map[string]error{}
	taken := t.Memory.bySession()
	wanted := map[string]bool{}
	for _, copies := range l.Sessions() {
		path := m.file(copies[0])
		key := copies[0].Person + "/" + copies[0].Session
		wanted[key] = true
		if outdated(copies, taken[key]) {
			if err := m.drop(t.Memory, taken[key]); err != nil {
				return err
			}
		}
		if _, err := t.Pull(ctx, copies, path, PullOptions{TakePosition: true}); err != nil {
			if ctx.Err() != nil || !ownFault(err) {
				return err
			}
			m.Passed[path] = err
		}
	}
	for key, gone := range taken {
		if !wanted[key] && (person == "" || gone[0].Person == person) {
			if err := m.drop(t.Memory, gone); err != nil {
				return err
			}
		}
	}
	return nil
}

// ownFault reports errors that are about one session alone.
func ownFault(err error) bool {
	return errors.Is(err, ErrSealed) || errors.Is(err, ErrBroken) || errors.Is(err, errOther) || errors.Is(err, fs.ErrNotExist)
}

// bySession are the copies that were taken, with the sizes that they had.
func (m *Memory) bySession() map[string][]Replica {
	out := map[string][]Replica{}
	for name, k := range m.Taken {
		if r, ok := parse(store.Info{Name: name, Size: k.Size}); ok {
			out[r.Person+"/"+r.Session] = append(out[r.Person+"/"+r.Session], r)
		}
	}
	return out
}

// outdated reports whether a copy was rewritten, or became shorter, since it was taken.
func outdated(copies, taken []Replica) bool {
	for _, had := range taken {
		for _, r := range copies {
			if had.owner() == r.owner() && (had.Generation != r.Generation || had.Sealed != r.Sealed || had.Size > r.Size) {
				return true
			}
		}
	}
	return false
}

// drop forgets copies and their files.
func (m *Mirror) drop(memory *Memory, copies []Replica) error {
	for _, r := range copies {
		apart := filepath.Join(m.folder(r.Person), "apart_"+ApartID(r)+".jsonl")
		for _, path := range []string{m.file(r), apart} {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		delete(memory.Taken, r.log())
	}
	return nil
}

// Origin is whose session a file of the mirror is, and from which machines.
func (m *Mirror) Origin(t *Memory, path string) (person string, machines []string) {
	rel, err := filepath.Rel(m.Dir, path)
	if err != nil {
		return "", nil
	}
	folder, file := filepath.Split(rel)
	person = strings.TrimSuffix(strings.TrimPrefix(filepath.Clean(folder), "--"), "--")
	for name, k := range t.Taken {
		r, ok := parse(store.Info{Name: name})
		if ok && (k.Path == path || "apart_"+ApartID(r)+".jsonl" == file && r.Person == person) {
			machines = append(machines, r.Machine)
		}
	}
	slices.Sort(machines)
	return person, slices.Compact(machines)
}
