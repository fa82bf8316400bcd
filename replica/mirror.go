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

// A Mirror is a directory with all sessions that a store shows: a directory for
// each person, with a file for each session, which is the union of that
// person's machines. It is a cache and can be deleted at any time.
type Mirror struct {
	Dir string // a clean path
	// Passed maps the files of sessions that the last Refresh could not read to
	// the errors: for instance, they are encrypted for other people.
	Passed map[string]error
	// Unverified is the number of copies that the last Refresh read and could
	// not verify: see [Pulled].
	Unverified int
}

// Folder returns the directory of a person, named as pi names project
// directories.
func (m *Mirror) Folder(person string) string {
	return m.Dir + string(filepath.Separator) + "--" + person + "--" // m.Dir is clean
}

// File returns the file of a copy's session.
func (m *Mirror) File(r Replica) string {
	return m.Folder(r.Person) + string(filepath.Separator) + r.Session + ".jsonl" // lists need it for each session
}

// Refresh reads changes from the store, and removes files of sessions that the
// store no longer shows. t.Memory must be the mirror's own.
func (m *Mirror) Refresh(ctx context.Context, t *Team, person string) error {
	l, err := t.List(ctx, person)
	if err != nil {
		return err
	}
	return m.refresh(ctx, t, l, person, func([]Replica) bool { return true })
}

// RefreshSome is like Refresh but leaves out sessions for which wanted returns
// false. Their files stay as they are, until the store no longer shows them. l
// lists the sessions of all people.
func (m *Mirror) RefreshSome(ctx context.Context, t *Team, l *Listing, wanted func(copies []Replica) bool) error {
	return m.refresh(ctx, t, l, "", wanted)
}

func (m *Mirror) refresh(ctx context.Context, t *Team, l *Listing, person string, wants func([]Replica) bool) error {
	if err := os.MkdirAll(m.Dir, 0o700); err != nil {
		return err
	}
	m.Passed, m.Unverified = map[string]error{}, 0
	taken := t.Memory.bySession()
	wanted := map[string]bool{}
	for _, copies := range l.Sessions() {
		path := m.File(copies[0])
		key := copies[0].Person + "/" + copies[0].Session
		wanted[key] = true
		if !wants(copies) {
			continue
		}
		if outdated(copies, taken[key]) {
			if err := m.drop(t.Memory, taken[key]); err != nil {
				return err
			}
		}
		done, err := t.Pull(ctx, copies, path, PullOptions{
			TakePosition: true,
			Ask:          func(Replica, int) (Choice, error) { return Merge, nil }, // all copies are of one person
		})
		m.Unverified += len(done.Unverified)
		if err != nil {
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

// ownFault reports whether an error concerns only one session.
func ownFault(err error) bool {
	return errors.Is(err, ErrSealed) || errors.Is(err, ErrBroken) || errors.Is(err, store.ErrDamaged) || errors.Is(err, errOther) || errors.Is(err, fs.ErrNotExist)
}

// bySession returns the pulled copies, with their sizes at that time.
func (m *Memory) bySession() map[string][]Replica {
	out := map[string][]Replica{}
	for name, k := range m.Pulls {
		if r, ok := parse(store.Info{Name: name, Size: k.Size}); ok {
			out[r.Person+"/"+r.Session] = append(out[r.Person+"/"+r.Session], r)
		}
	}
	return out
}

// outdated reports whether a copy was rewritten or became shorter since it was
// pulled.
func outdated(copies, taken []Replica) bool {
	for _, had := range taken {
		for _, r := range copies {
			if had.owner() == r.owner() && (had.Generation != r.Generation || had.mark() != r.mark() || had.Size > r.Size) {
				return true
			}
		}
	}
	return false
}

// drop removes the files of copies and their records.
func (m *Mirror) drop(memory *Memory, copies []Replica) error {
	for _, r := range copies {
		for _, path := range []string{m.File(r), forkPath(r, m.File(r))} {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		memory.forget(r)
	}
	return nil
}

// Person returns the person that a file of the mirror belongs to.
func (m *Mirror) Person(path string) string {
	folder := filepath.Base(filepath.Dir(path))
	return strings.TrimSuffix(strings.TrimPrefix(folder, "--"), "--")
}

// Machines returns, for each file, the machines that its session comes from.
func (m *Mirror) Machines(t *Memory) map[string][]string {
	out := make(map[string][]string, len(t.Pulls))
	for name, k := range t.Pulls {
		if r, ok := parse(store.Info{Name: name}); ok {
			out[k.Path] = append(out[k.Path], r.Machine)
			fork := forkPath(r, m.File(r))
			out[fork] = append(out[fork], r.Machine)
		}
	}
	for path, machines := range out {
		slices.Sort(machines)
		out[path] = slices.Compact(machines)
	}
	return out
}
