// Package move brings the sessions of a project that was moved to where the
// project is now: their headers name the new working directory, their files lie
// where pi looks for it, and sessions that were made from them still find them.
//
// It acts only on what a person said, the old place and the new one; that a
// directory is missing proves nothing. It never overwrites, never touches a
// byte of an entry, and leaves alone what it does not understand. A Plan says
// what would happen; nothing happens before Apply.
//
// # Invariants
//
//	H1  In a file only the values of cwd and parentSession in its header change;
//	    every other byte stays where and as it was.
//	H2  At every moment each session exists complete under one name, the old or
//	    the new one. After a crash the same command goes on where it stopped.
//	H3  A file that somebody wrote to since the plan was made is left alone, and
//	    what a writer without locks adds meanwhile is carried over. One that was
//	    used not long ago is watched for a moment before it moves, and the
//	    places that sessions left are looked at when all is done.
//
// Stability: outside the core. Its exported names may still change.
package move

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/artifacts"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/sessiondir"
)

// ErrForeign means that a session lies in the folders of a program whose way to
// find the sessions of a project is not pi's.
var ErrForeign = errors.New("it belongs to a program that names its folders in its own way; move it with that program")

// Options change how sessions are moved.
type Options struct {
	// Catalog says where sessions are. Its environment also tells where pi keeps
	// the sessions of the new directory.
	Catalog catalog.Options
	// NoBackup keeps no copy of the files as they were.
	NoBackup bool
	// Force moves sessions although a program works in their directory or seems to
	// have them open.
	Force bool
}

// A RunningError means that a program works in the directory of a session, and would
// go on writing where the session was.
type RunningError struct {
	Dir     string
	Process int
}

func (e *RunningError) Error() string {
	return fmt.Sprintf("process %d works in %s, and would go on at the old place; end it first", e.Process, e.Dir)
}

// A Plan is what a move would do.
type Plan struct {
	Old, New string
	// Steps are what would be done, parents before their children.
	Steps []Step
	// Refused are sessions of the project that would be left alone, and why.
	Refused []Refusal
	// Foreign counts the sessions of the project that belong to other agents. They
	// are left alone.
	Foreign int
	// Quiet waits for as long as a session must be quiet that was used not long
	// ago. Nil means half a second.
	Quiet func(context.Context) error

	options Options
}

// A Step changes one session.
type Step struct {
	// Session is the session as it was listed.
	Session catalog.Info
	// To is where the file goes; it can be where it is.
	To string
	// Cwd is the new working directory; "" for a session that only names another
	// that moves.
	Cwd string
	// Parent is the new place of the session that this one was made from; ""
	// when that stays.
	Parent string
	// Companion is a folder of the session's artifacts that goes with it, and
	// CompanionTo where to; "" when there is none.
	Companion, CompanionTo string
	// Within is where the session goes among whose artifacts this one lies; ""
	// when it lies among none. It goes with them.
	Within string

	before fs.FileInfo // of the file when the plan was made
	moved  fs.FileInfo // of the file at its new place
}

// Moves reports whether the file gets another name.
func (s *Step) Moves() bool { return s.To != s.Session.Path }

// bringsArtifacts reports whether a folder of artifacts gets another name.
func (s *Step) bringsArtifacts() bool { return s.Companion != s.CompanionTo }

// A Refusal is a session that is left alone.
type Refusal struct {
	Path string
	Err  error
}

// NewPlan plans the move of a project from one directory to another, given the list
// of all sessions. The sessions of the old directory and of all directories below
// it move. The new directory must exist: it is the evidence that there is
// something to move to.
func NewPlan(infos []catalog.Info, from, to string, o Options) (*Plan, error) {
	p := &Plan{Old: filepath.Clean(from), New: filepath.Clean(to), options: o}
	if !filepath.IsAbs(p.Old) || !filepath.IsAbs(p.New) {
		return nil, invalidf("directory", from, "%s and %s must be absolute paths", from, to)
	}
	if p.Old == p.New {
		return nil, invalidf("directory", to, "the old and the new directory are the same")
	}
	if info, err := os.Stat(p.New); err != nil {
		return nil, fmt.Errorf("the new directory must be there already: %w", err)
	} else if !info.IsDir() {
		return nil, invalidf("directory", p.New, "%s is not a directory", p.New)
	}
	sorted := slices.Clone(infos)
	slices.SortStableFunc(sorted, func(a, b catalog.Info) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.Path, b.Path))
	})
	m := maker{plan: p, names: namesOf(p.Old), taken: map[string]bool{}, moved: map[string]string{}}
	if !o.Force {
		m.process = running(append(namesOf(p.New), m.names...)...)
	}
	for i := range sorted {
		m.session(sorted[i])
	}
	m.links(sorted)
	return p, nil
}

type maker struct {
	plan  *Plan
	names []string          // of the old directory
	taken map[string]bool   // where files of this plan go
	moved map[string]string // old places of files to new ones
	// process works in the project; 0 when none is known
	process int
}

// namesOf are the names of a directory: as it was given and, where it still
// leads somewhere, what it leads to (pitfall 175).
func namesOf(dir string) []string {
	names := []string{dir}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		names = append(names, real)
	}
	return names
}

// newCwd is where a working directory is after the move; ok is false for one that
// is not of the project.
func (m *maker) newCwd(cwd string) (_ string, ok bool) {
	if !filepath.IsAbs(cwd) {
		return "", false
	}
	cwd = filepath.Clean(cwd)
	if _, ok := under(cwd, m.plan.New); ok {
		return "", false // it is there already
	}
	for _, name := range m.names {
		if rest, ok := under(cwd, name); ok {
			return filepath.Join(m.plan.New, rest), true
		}
	}
	if sessiondir.SameProject(cwd, m.plan.Old) { // another name of it (pitfalls 173, 178)
		return m.plan.New, true
	}
	return "", false
}

// under is the rest of a path below a directory; "." for the directory itself.
func under(path, dir string) (string, bool) {
	rest, err := filepath.Rel(dir, path)
	if err != nil || rest == ".." || strings.HasPrefix(rest, ".."+string(filepath.Separator)) {
		return "", false
	}
	return rest, true
}

// session plans what happens to a session, if it is of the project.
func (m *maker) session(info catalog.Info) {
	cwd, ok := m.newCwd(info.Cwd)
	if !ok {
		return
	}
	if _, foreign := all.Find(info.Root); foreign {
		m.plan.Foreign++
		return
	}
	step := Step{Session: info, Cwd: cwd}
	err := m.look(&step)
	if err == nil {
		step.To, err = m.target(&info, cwd)
	}
	if err == nil {
		err = m.artifacts(&step)
	}
	if err == nil && step.Moves() {
		err = m.free(&step)
	}
	if err != nil {
		m.plan.Refused = append(m.plan.Refused, Refusal{info.Path, err})
		return
	}
	if m.taken[step.To] { // by another name of the same file
		if !step.Moves() {
			return
		}
		m.plan.Steps = slices.DeleteFunc(m.plan.Steps, func(s Step) bool { return s.To == step.To || s.Within == step.To })
	}
	m.add(step)
	m.inner(&step)
}

func (m *maker) add(step Step) {
	m.taken[step.To] = true
	m.moved[step.Session.Path] = step.To
	m.plan.Steps = append(m.plan.Steps, step)
}

// look checks that a file can be changed, and remembers what it is.
func (m *maker) look(step *Step) (err error) {
	if step.Session.Version > format.Version {
		return pith.ErrTooNew
	}
	step.before, err = os.Lstat(step.Session.Path)
	if err != nil {
		return err
	}
	if !step.before.Mode().IsRegular() {
		return invalidf("file", step.Session.Path, "it is a link; move the file that it leads to")
	}
	if m.process != 0 && step.Cwd != "" {
		return &RunningError{step.Session.Cwd, m.process}
	}
	return m.held(step.Session.Path)
}

// held returns a *pith.HeldError for a session that its program seems to have open,
// and that it would write anew from memory.
func (m *maker) held(path string) error {
	if p, ok := format.ProgramOfFolder(path); !ok || !p.HoldsSessions() || m.plan.options.Force {
		return nil
	}
	s, err := pith.Open(context.Background(), path, pith.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Held(context.Background())
}

// target is where the file of a session of cwd belongs.
func (m *maker) target(info *catalog.Info, cwd string) (string, error) {
	o := m.plan.options.Catalog
	name := filepath.Base(info.Path)
	for _, r := range catalog.Roots(o, m.plan.New) {
		if _, inside := under(info.Path, r.Dir); !inside {
			continue
		}
		switch {
		case r.Flat && (o.Dir != "" || !r.Writable):
			return info.Path, nil
		case r.Writable:
			place := sessiondir.Environment{Getenv: o.Getenv, Home: o.Home}.Place(cwd)
			return filepath.Join(place.For(cwd), name), nil
		case r.Name == catalog.RootAtomic:
			return filepath.Join(sessiondir.Place{Dir: r.Dir}.For(cwd), name), nil
		}
		return "", ErrForeign
	}
	return info.Path, nil // a file that was named by its path stays there
}

// free checks that nothing is where a session goes (pitfalls 67, 135).
func (m *maker) free(step *Step) error {
	switch there, err := os.Lstat(step.To); {
	case err == nil && os.SameFile(there, step.before):
		return nil // a move that was broken off between its two names
	case err == nil || m.taken[step.To]:
		return fmt.Errorf("%w: %s", pith.ErrExists, step.To)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	switch other, err := sessiondir.FileWithID(filepath.Dir(step.To), step.Cwd, step.Session.ID); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case other != "":
		if own, _ := artifacts.Dir(step.To); other != own { // left by a move that was interrupted
			return fmt.Errorf("%w: %s", pith.ErrExists, other)
		}
	}
	return nil
}

// links plans the changes of sessions that were made from those that get another
// name (pitfall 134).
func (m *maker) links(infos []catalog.Info) {
	steps := map[string]bool{}
	for i := range m.plan.Steps {
		steps[m.plan.Steps[i].Session.Path] = true
	}
	for i := range m.plan.Steps {
		m.plan.Steps[i].Parent = m.newParent(m.plan.Steps[i].Session.ParentSession)
	}
	for i := range infos {
		to := m.newParent(infos[i].ParentSession)
		if _, foreign := all.Find(infos[i].Root); foreign || to == "" || steps[infos[i].Path] {
			continue
		}
		step := Step{Session: infos[i], To: infos[i].Path, Parent: to}
		if err := m.look(&step); err != nil {
			m.plan.Refused = append(m.plan.Refused, Refusal{infos[i].Path, fmt.Errorf("name the new place of the session that it was made from: %w", err)})
			continue
		}
		m.plan.Steps = append(m.plan.Steps, step)
	}
}

// newParent is the new place of a session that is named by its path; "" when it
// stays where it is.
func (m *maker) newParent(ref string) string {
	if !filepath.IsAbs(ref) {
		return "" // none, or an id, which stays
	}
	to := m.moved[filepath.Clean(ref)]
	if to == filepath.Clean(ref) {
		return ""
	}
	return to
}

// invalidf is an argument that cannot be right; the text is a sentence for people.
func invalidf(name, value, text string, args ...any) error {
	return &format.ValueError{Name: name, Value: value, Text: pith.ErrInvalid.Error() + ": " + fmt.Sprintf(text, args...), Err: pith.ErrInvalid}
}
