package move

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pith-sessions/pith/internal/artifacts"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// A Done is the result of a step.
type Done struct {
	Step
	// Backup is the path of the backup of the file, or "" if there is none.
	Backup string
	// Err is the reason why the session was left unchanged, or nil.
	Err error
}

// A StrayError means that a session was moved, but a program that does not know
// this wrote more of it to the old path.
type StrayError struct {
	Path    string // the file that was written
	Session string // the new path of the session
}

func (e *StrayError) Error() string {
	return fmt.Sprintf("it is now %s, but a program that has it open still writes to the old file; quit that program, then add the lines of %s to the session", e.Session, e.Path)
}

// Apply executes the plan, one session after the other. It calls report for each
// finished session, and again, with a [StrayError], if a program keeps writing
// to its old path. A session that cannot be moved stays where it is, and so do
// the links to it; the others are still moved. An error means that ctx ended:
// only the reported sessions were moved.
func (p *Plan) Apply(ctx context.Context, report func(Done)) error {
	a := applier{plan: p, files: filestore.New(filestore.Options{}), stayed: map[string]bool{}}
	if err := p.watch(ctx); err != nil {
		return err
	}
	if err := a.steps(ctx, report); err != nil {
		return err
	}
	if err := p.watch(ctx); err != nil {
		return err
	}
	for _, k := range a.kept {
		if err := k.lookAgain(p.options.NoBackup); err != nil {
			report(Done{Step: k.step, Err: err})
		}
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		if !s.Moves() || s.Within != "" || a.stayed[s.To] {
			continue
		}
		for _, path := range []string{s.Session.Path, s.Companion} {
			if path != "" && path != s.CompanionTo && exists(path) {
				report(Done{Step: *s, Err: &StrayError{path, s.To}})
			}
		}
	}
	return nil
}

const (
	inUse = time.Hour // a session may be in use for this long after its last use
	quiet = time.Second / 2
)

// watch waits for programs that may be writing, if one of the sessions was used
// recently. The steps then detect which files were written to.
func (p *Plan) watch(ctx context.Context) error {
	if !slices.ContainsFunc(p.Steps, func(s Step) bool { return time.Since(s.before.ModTime()) < inUse }) {
		return nil
	}
	if p.Quiet != nil {
		return p.Quiet(ctx)
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(quiet):
		return nil
	}
}

func (a *applier) steps(ctx context.Context, report func(Done)) error {
	p := a.plan
	for i := range p.Steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		step := p.Steps[i]
		if a.stayed[step.Parent] {
			step.Parent = ""
		}
		done := Done{Step: step}
		switch {
		case a.stayed[step.Within]:
			done.Err = errWithin
		case step.Cwd != "" || step.Parent != "":
			done.Backup, done.Err = a.step(&step)
		}
		if done.Err != nil {
			a.stayed[step.To] = true
		}
		report(done)
	}
	return nil
}

// errWithin means that a session stays because it is among the artifacts of one
// that stays.
var errWithin = errors.New("its session was not moved")

type applier struct {
	plan   *Plan
	files  *filestore.Store
	stayed map[string]bool // target paths of sessions that were left
	kept   []kept
}

// A kept is the old file of a session that was rewritten.
type kept struct {
	step Step
	path string
	size int64 // when the session was rewritten
	from int64 // offset in the session of what follows these bytes
}

// lookAgain checks whether a program that has the old file open wrote to it after
// the session was rewritten. If not, and the file is not wanted as a backup, it is
// removed.
func (k *kept) lookAgain(remove bool) error {
	late, err := tail(k.path, k.size)
	if err != nil {
		return ignoreMissing(err) // another process has moved on
	}
	carried, err := tail(k.step.To, k.from)
	if err != nil {
		return ignoreMissing(err)
	}
	for line := range bytes.Lines(late) {
		if !bytes.Contains(carried, line) {
			return &StrayError{k.path, k.step.To}
		}
	}
	if remove {
		return os.Remove(k.path)
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// tail returns the bytes of a file from an offset.
func tail(path string, from int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}

// step moves one session. The file is renamed first: running the same command
// again finds a session with its new name and its old header.
func (a *applier) step(s *Step) (backup string, err error) {
	from, moves := s.Session.Path, s.Moves()
	if s.Within != "" {
		from, moves = s.To, false // it moved with the other
	}
	if err := s.unchanged(from); err != nil {
		return "", err
	}
	if moves {
		if err := a.rename(s); err != nil {
			return "", err
		}
	}
	backup, err = a.rewrite(s)
	if err == nil {
		return backup, nil
	}
	if moves {
		if back := a.undo(s); back != nil {
			return "", fmt.Errorf("%w; the file is now %s, still with its old header: %v", err, s.To, back)
		}
	}
	return "", err
}

// undo renames a file back, unless another file has its new name: then another
// process is moving the session too, and is ahead.
func (a *applier) undo(s *Step) error {
	if now, err := os.Lstat(s.To); err != nil || !os.SameFile(now, s.moved) {
		return nil
	}
	if err := artifacts.MoveFile(s.To, s.Session.Path); err != nil {
		return err
	}
	if s.bringsArtifacts() {
		_ = artifacts.Move(s.CompanionTo, s.Companion) // found in either place
	}
	return nil
}

// unchanged returns an error if a file has changed since the plan was made. A
// file among artifacts may have been copied to another device since.
func (s *Step) unchanged(path string) error {
	now, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if s.Within == "" && !os.SameFile(s.before, now) || now.Size() != s.before.Size() || !now.ModTime().Equal(s.before.ModTime()) {
		return fmt.Errorf("%w: another process is writing to it; try again later", store.ErrConflict)
	}
	return nil
}

// rename moves the artifacts of a session, then its file: after a crash in
// between, the session is found again, and its artifacts are at its target.
func (a *applier) rename(s *Step) error {
	if err := filestore.MakeFolders(filepath.Dir(s.To)); err != nil {
		return err
	}
	if s.bringsArtifacts() {
		if err := artifacts.Move(s.Companion, s.CompanionTo); err != nil && !errors.Is(err, artifacts.ErrLeft) {
			return fmt.Errorf("move its artifacts: %w", err)
		}
	}
	err := artifacts.MoveFile(s.Session.Path, s.To)
	if err == nil {
		s.moved, err = os.Lstat(s.To)
	}
	if err != nil && s.bringsArtifacts() {
		err = errors.Join(err, artifacts.Move(s.CompanionTo, s.Companion))
	}
	return err
}

// rewrite replaces the file by one with the new header, and keeps the old one
// as a backup. The file keeps its modification time, by which lists are sorted
// (pitfall 138).
func (a *applier) rewrite(s *Step) (backup string, err error) {
	ctx := context.Background() // a step that has started is completed
	log, err := a.files.Open(ctx, s.To)
	if err != nil {
		return "", err
	}
	defer log.Close()
	size, err := log.Size(ctx)
	if err != nil {
		return "", err
	}
	if size != s.before.Size() {
		return "", fmt.Errorf("%w: another process is writing to it; try again later", store.ErrConflict)
	}
	h, err := findHeader(log, size)
	if err != nil {
		return "", err
	}
	line, err := h.with(s.Cwd, s.Parent)
	if err != nil {
		return "", err
	}
	fill := func(w io.Writer) error {
		for _, part := range []io.Reader{io.NewSectionReader(log, 0, h.at), bytes.NewReader(line), io.NewSectionReader(log, h.end(), size-h.end())} {
			if _, err := io.Copy(w, part); err != nil {
				return err
			}
		}
		return nil
	}
	changed, backup, err := store.ReplaceKeeping(ctx, a.files, log, size, fill, s.To)
	if err != nil {
		return "", err
	}
	defer changed.Close()
	a.kept = append(a.kept, kept{*s, backup, size, size + int64(len(line)-len(h.line))})
	if a.plan.options.NoBackup {
		backup = "" // removed at the end
	}
	if now, err := changed.Size(ctx); err == nil && now == size+int64(len(line)-len(h.line)) {
		_ = os.Chtimes(s.To, time.Time{}, s.before.ModTime()) // the file was not written meanwhile; the time only matters for sorting
	}
	return backup, nil
}
