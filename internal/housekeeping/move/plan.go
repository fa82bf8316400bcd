// Package move moves the sessions of a project after the project was moved:
// their headers name the new working directory, their files are where pi looks
// for them, and sessions made from them still find them.
//
// It acts only on the old and the new directory that the user gives; a missing
// directory alone proves nothing. It never overwrites, never changes a byte of
// an entry, and leaves alone what it does not understand. A Plan describes the
// changes; nothing happens before Apply.
//
// # Invariants
//
//	H1  In a file only the values of cwd and parentSession in its header change;
//	    every other byte stays the same and in its place.
//	H2  At every moment each session exists completely under one name, the old or
//	    the new one. After a crash the same command continues where it stopped.
//	H3  A file that was written to since the plan was made is left alone, and
//	    lines that a writer without locks adds meanwhile are carried over. A file
//	    that was used recently is watched for a moment before it moves, and the
//	    old paths are checked when all is done.
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
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/running"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/sessiondir"
)

// ErrForeign means that a session is in the directory of a program that does
// not find the sessions of a project in pi's way.
var ErrForeign = errors.New("it belongs to a program with its own directory names; move it with that program")

// Options configure how sessions are moved.
type Options struct {
	// Catalog selects the sessions. Its environment also determines the
	// directory for the sessions of the new working directory.
	Catalog catalog.Options
	// NoBackup means that no backups of the files are made.
	NoBackup bool
	// Force moves sessions even if a program works in their directory or seems
	// to have them open.
	Force bool
}

// A RunningError means that a program works in the directory of a session and
// would continue writing to the old path.
type RunningError struct {
	Dir     string
	Process int
}

func (e *RunningError) Error() string {
	return fmt.Sprintf("process %d runs in %s and would write to the old file; quit it first", e.Process, e.Dir)
}

// A Plan describes the changes of a move.
type Plan struct {
	Old, New string
	// Steps are the changes, parents before their children.
	Steps []Step
	// Refused are the sessions of the project that are left alone, with the
	// reasons.
	Refused []Refusal
	// Foreign counts the sessions of the project that belong to other agents. They
	// are left alone.
	Foreign int
	// Quiet waits for as long as a recently used session must be quiet. Nil
	// means half a second.
	Quiet func(context.Context) error

	options Options
}

// A Step changes one session.
type Step struct {
	// Session is the session as it was listed.
	Session catalog.Info
	// To is the new path of the file; it can be the same.
	To string
	// Cwd is the new working directory, or "" for a session that only refers to
	// one that moves.
	Cwd string
	// Parent is the new path of the session that this one was made from, or ""
	// if that stays.
	Parent string
	// Companion is the artifacts directory that moves with the session, and
	// CompanionTo its new path; "" if there is none.
	Companion, CompanionTo string
	// Within is the new path of the session among whose artifacts this one is,
	// or "". It moves with them.
	Within string

	before fs.FileInfo // of the file when the plan was made
	moved  fs.FileInfo // of the file at its new path
}

// Moves reports whether the file is renamed.
func (s *Step) Moves() bool { return s.To != s.Session.Path }

// bringsArtifacts reports whether an artifacts directory is renamed.
func (s *Step) bringsArtifacts() bool { return s.Companion != s.CompanionTo }

// A Refusal is a session that is left alone, with the reason.
type Refusal struct {
	Path string
	Err  error
}

// A missingError is the path of a new directory that does not exist.
type missingError string

func (e missingError) Error() string { return string(e) + " does not exist; create it first" }

func (missingError) Unwrap() error { return fs.ErrNotExist }

// NewPlan plans the move of a project from one directory to another, given the
// list of all sessions. The sessions of the old directory and of all
// directories below it move. The new directory must exist, as evidence that the
// project was moved there.
func NewPlan(infos []catalog.Info, from, to string, o Options) (*Plan, error) {
	p := &Plan{Old: filepath.Clean(from), New: filepath.Clean(to), options: o}
	if !filepath.IsAbs(p.Old) || !filepath.IsAbs(p.New) {
		return nil, invalidf("directory", from, "%s and %s must be absolute paths", from, to)
	}
	if p.Old == p.New {
		return nil, invalidf("directory", to, "the old and the new directory are the same")
	}
	if info, err := os.Stat(p.New); errors.Is(err, fs.ErrNotExist) {
		return nil, missingError(p.New)
	} else if err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, invalidf("directory", p.New, "%s is not a directory", p.New)
	}
	sorted := slices.Clone(infos)
	slices.SortStableFunc(sorted, func(a, b catalog.Info) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.Path, b.Path))
	})
	m := maker{plan: p, names: namesOf(p.Old), taken: map[string]bool{}, moved: map[string]string{}}
	if !o.Force {
		m.process = running.In(append(namesOf(p.New), m.names...), agents)
	}
	for i := range sorted {
		m.session(sorted[i])
	}
	m.links(sorted)
	return p, nil
}

// agents are the process names of pi-compatible agents.
var agents = []string{"pi", "pi-rpc", "omp", "atomic"}

type maker struct {
	plan  *Plan
	names []string          // of the old directory
	taken map[string]bool   // new paths of the files of this plan
	moved map[string]string // old paths to new paths
	// process is the pid of a program that works in the project, or 0 if none
	// is known.
	process int
}

// namesOf returns the names of a directory: the given one and, if it still
// exists, the one without symbolic links (pitfall 175).
func namesOf(dir string) []string {
	names := []string{dir}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		names = append(names, real)
	}
	return names
}

// newCwd returns a working directory after the move; ok is false for one
// outside the project.
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

// under returns the rest of a path below a directory, or "." for the directory
// itself.
func under(path, dir string) (string, bool) {
	rest, err := filepath.Rel(dir, path)
	return rest, err == nil && filepath.IsLocal(rest)
}

// session plans the changes of a session, if it belongs to the project.
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

// look checks that a file can be changed, and records its state.
func (m *maker) look(step *Step) (err error) {
	if step.Session.Version > format.Version {
		return pith.ErrTooNew
	}
	step.before, err = os.Lstat(step.Session.Path)
	if err != nil {
		return err
	}
	if !step.before.Mode().IsRegular() {
		return invalidf("file", step.Session.Path, "it is a symbolic link; move its target")
	}
	if m.process != 0 && step.Cwd != "" {
		return &RunningError{step.Session.Cwd, m.process}
	}
	return m.held(step.Session.Path)
}

// held returns a *pith.HeldError for a session that its program seems to have
// open and would rewrite from memory.
func (m *maker) held(path string) error {
	h, err := sessiondir.HeaderOf(path)
	if err != nil {
		h = nil // the path alone tells
	}
	if p, _ := journal.SignatureOf(h).Owner(path); !p.HoldsSessions() || m.plan.options.Force {
		return nil
	}
	s, err := pith.Open(context.Background(), path, pith.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Held(context.Background())
}

// target returns the path for the file of a session at cwd.
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
	return info.Path, nil // a file given by its path stays there
}

// free checks that the new path of a session is unused (pitfalls 67, 135).
func (m *maker) free(step *Step) error {
	switch there, err := os.Lstat(step.To); {
	case err == nil && os.SameFile(there, step.before):
		return nil // a move that was interrupted between its two names
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

// links plans the changes of sessions that were made from renamed ones (pitfall
// 134).
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
			m.plan.Refused = append(m.plan.Refused, Refusal{infos[i].Path, fmt.Errorf("update the path of its parent session: %w", err)})
			continue
		}
		m.plan.Steps = append(m.plan.Steps, step)
	}
}

// newParent returns the new path of a session given by path, or "" if it stays
// where it is.
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

// invalidf returns an error for an invalid argument; text is a sentence for
// people.
func invalidf(name, value, text string, args ...any) error {
	return &format.ValueError{Name: name, Value: value, Text: pith.ErrInvalid.Error() + ": " + fmt.Sprintf(text, args...), Err: pith.ErrInvalid}
}
