package lookup

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/sessiondir"
)

// Locate finds the session that a reference names. [Sessions.Facts] reads its
// facts.
func (a *Sessions) Locate(ctx context.Context, ref string) (catalog.Ref, error) {
	cwd, err := a.Env.Cwd()
	if err != nil {
		if needsCwd(ref) {
			_, err := a.Cwd()
			return catalog.Ref{}, err
		}
		cwd = ""
	}
	found, err := ops.Locate(ctx, a.App(), ref, cwd)
	return found, adviser{a}.advise(ctx, Shorten(err), ref, cwd)
}

// Facts reads the facts of located sessions.
func (a *Sessions) Facts(ctx context.Context, refs []catalog.Ref) ([]catalog.Info, error) {
	infos := make([]catalog.Info, len(refs))
	for i, ref := range refs {
		info, err := ops.Facts(ctx, a.App(), ref)
		if err != nil {
			return nil, Shorten(err)
		}
		infos[i] = info
	}
	return infos, nil
}

// needsCwd reports whether a reference depends on the working directory.
func needsCwd(ref string) bool {
	if strings.HasPrefix(ref, "@") {
		return true
	}
	return IsPath(ref) && !filepath.IsAbs(ref) && !strings.HasPrefix(ref, "~")
}

func IsPath(ref string) bool {
	return strings.ContainsAny(ref, `/\`) || strings.HasSuffix(ref, ".jsonl")
}

// OpenForReading opens the session that a reference names.
func (a *Sessions) OpenForReading(ctx context.Context, ref string) (*pith.Session, error) {
	found, err := a.Locate(ctx, ref)
	if err != nil {
		return nil, err
	}
	return a.Read(ctx, found)
}

// Read opens a located session for reading.
func (a *Sessions) Read(ctx context.Context, found catalog.Ref) (*pith.Session, error) {
	o := a.Engine()
	o.ReadOnly = true
	s, err := pith.Open(ctx, found.Path, o)
	if err == nil {
		a.NoteUnknown(s)
	}
	return s, a.AdviseRepair(ctx, err, found.Path)
}

// AdviseRepair adds to the error of opening a file how to repair it, if that is
// possible.
func (a *Sessions) AdviseRepair(ctx context.Context, err error, path string) error {
	return adviser{a}.adviseRepair(ctx, Shorten(err), path, "")
}

// OpenForWriting opens the session that a reference names. Notes for the writer
// are printed after the command succeeds.
func (a *Sessions) OpenForWriting(ctx context.Context, ref string, policy pith.ConflictPolicy) (*pith.Session, error) {
	found, err := a.Locate(ctx, ref)
	if err != nil {
		return nil, err
	}
	return a.OpenToWrite(ctx, found, ref, policy, "")
}

// OpenToWrite opens a session that was located by a reference. The session
// continues in cwd; "" means the directory that it names.
func (a *Sessions) OpenToWrite(ctx context.Context, found catalog.Ref, ref string, policy pith.ConflictPolicy, cwd string) (*pith.Session, error) {
	o := a.Engine()
	o.OnConflict, o.Cwd = policy, cwd
	s, err := pith.Open(ctx, found.Path, o)
	if err != nil {
		return nil, Shorten(err)
	}
	a.noteOpened(s, found, ref)
	return s, nil
}

// noteOpened notes that a session belongs to another project, since a short ID
// may have been meant for one of this project (pitfall 69), and that its last
// line is torn, which an append will end (pitfall 1).
func (a *Sessions) noteOpened(s *pith.Session, found catalog.Ref, ref string) {
	named := a.SessionDir != "" || needsCwd(ref) || filepath.IsAbs(ref)
	if cwd, err := a.Env.Cwd(); err == nil && found.Cwd != "" && !named && !sessiondir.SameProject(found.Cwd, cwd) {
		a.NoteLater("note: this session belongs to another project: %s", found.Cwd)
	}
	for _, f := range s.Findings() {
		if f.Code == "torn" {
			a.NoteLater("note: the last line of the file was incomplete (line %d, byte %d); it was kept, and the new entry starts on the next line", f.Line, f.Offset)
		}
	}
}

// NoteFindings notes that a file has findings.
func (a *Sessions) NoteFindings(s *pith.Session) {
	if n := len(s.Findings()); n > 0 {
		a.Note("note: %s in this file: %s", humanize.Count(n, "finding"), a.Hint("show", Name(s)))
	}
}

// Close closes a session at the end of a command and keeps the first error.
func Close(s *pith.Session, err *error) {
	if cerr := s.Close(); *err == nil && cerr != nil {
		*err = fmt.Errorf("close session: %w", cerr)
	}
}

// LocateAll finds all sessions before the command changes any. A session named
// twice counts once. A symbolic link counts as its target.
func (a *Sessions) LocateAll(ctx context.Context, refs []string) ([]catalog.Ref, error) {
	var all []catalog.Ref
	seen := map[string]bool{}
	for _, ref := range refs {
		found, err := a.Locate(ctx, ref)
		if err != nil {
			return nil, err
		}
		if real, err := filepath.EvalSymlinks(found.Path); err == nil {
			found.Path = real
		}
		if !seen[found.Path] {
			seen[found.Path] = true
			all = append(all, found)
		}
	}
	return all, nil
}
