package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/sessiondir"
)

// locate finds the session that a reference names. Facts of it are read by who
// prints them: see [app.facts].
func (a *app) locate(ctx context.Context, ref string) (catalog.Ref, error) {
	cwd, err := a.env.Cwd()
	if err != nil {
		if needsCwd(ref) {
			_, err := a.cwd()
			return catalog.Ref{}, err
		}
		cwd = ""
	}
	found, err := catalog.ResolvePath(ref, cwd, a.places())
	if errors.Is(err, catalog.ErrNotFound) {
		found, err = catalog.Resolve(ctx, ref, cwd, a.listing())
	}
	return found, a.advise(shorten(err), ref, cwd)
}

// facts are those of sessions that were located.
func (a *app) facts(ctx context.Context, refs []catalog.Ref) ([]catalog.Info, error) {
	infos := make([]catalog.Info, len(refs))
	for i, ref := range refs {
		info, err := catalog.Facts(ctx, ref, a.listing())
		if err != nil {
			return nil, shorten(err)
		}
		infos[i] = info
	}
	return infos, nil
}

// advise says what to do about a reference that names no session, with commands
// that work when they are copied (pitfall 177).
func (a *app) advise(err error, ref, cwd string) error {
	var missing *catalog.NotFoundError
	if !errors.As(err, &missing) {
		return a.adviseMending(err, ref, cwd)
	}
	dir := sessiondir.ExpandPath(ref, cwd)
	if info, serr := os.Stat(dir); serr == nil && info.IsDir() {
		return missingf("%s is a folder, not a session; for those in it: pith ls --all --session-dir %s", dir, quote(dir))
	}
	list := a.hint("ls", "--all")
	switch {
	case missing.Path != "":
		return missingf("%w: check the path, or run %s for the sessions that there are", err, list)
	case missing.Project != "":
		return missingf("%w; run %s for those of other projects, or pith new to begin one", err, list)
	}
	return missingf("%w; run %s to see them", err, list)
}

// needsCwd reports whether a reference means something only from a directory.
func needsCwd(ref string) bool {
	if strings.HasPrefix(ref, "@") {
		return true
	}
	return isPath(ref) && !filepath.IsAbs(ref) && !strings.HasPrefix(ref, "~")
}

func isPath(ref string) bool {
	return strings.ContainsAny(ref, `/\`) || strings.HasSuffix(ref, ".jsonl")
}

// openForReading opens the session that a reference names.
func (a *app) openForReading(ctx context.Context, ref string) (*pith.Session, error) {
	found, err := a.locate(ctx, ref)
	if err != nil {
		return nil, err
	}
	return a.read(found)
}

// read opens a session that was located, for reading.
func (a *app) read(found catalog.Ref) (*pith.Session, error) {
	o := a.engine()
	o.ReadOnly = true
	s, err := pith.Open(context.TODO(), found.Path, o)
	return s, a.adviseMending(shorten(err), found.Path, "")
}

// openForWriting opens the session that a reference names. What a writer should
// know of it is told when the command has succeeded.
func (a *app) openForWriting(ctx context.Context, ref string, policy pith.ConflictPolicy) (*pith.Session, error) {
	found, err := a.locate(ctx, ref)
	if err != nil {
		return nil, err
	}
	return a.openToWrite(found, ref, policy, "")
}

// openToWrite opens a session that was located by a reference. It goes on in cwd;
// "" means the directory that it names.
func (a *app) openToWrite(found catalog.Ref, ref string, policy pith.ConflictPolicy, cwd string) (*pith.Session, error) {
	o := a.engine()
	o.OnConflict, o.Cwd = policy, cwd
	s, err := pith.Open(context.TODO(), found.Path, o)
	if err != nil {
		return nil, shorten(err)
	}
	a.noteProject(found, ref)
	a.noteTail(s)
	return s, nil
}

// noteProject says that a session is of another project than the current one:
// a short id may have been meant for this one (pitfall 69).
func (a *app) noteProject(found catalog.Ref, ref string) {
	cwd, err := a.env.Cwd()
	if err != nil || found.Cwd == "" || a.sessionDir != "" || needsCwd(ref) || filepath.IsAbs(ref) || sessiondir.SameProject(found.Cwd, cwd) {
		return
	}
	a.noteLater("note: this session belongs to another project, %s", found.Cwd)
}

// noteTail tells of a last line that an append will end (pitfall 1).
func (a *app) noteTail(s *pith.Session) {
	for _, f := range s.Findings() {
		if f.Code == "torn" {
			a.noteLater("note: the file ended in a torn line (line %d, byte %d); it stays as it is, and what was written begins on the next line", f.Line, f.Offset)
		}
	}
}

// noteFindings says that a file is not as it should be.
func (a *app) noteFindings(s *pith.Session) {
	if n := len(s.Findings()); n > 0 {
		a.note("note: %s in this file; see %s", humanize.Count(n, "finding"), a.hint("show", s.File()))
	}
}

// entryOf finds the entry that a reference names.
func entryOf(s *pith.Session, ref string) (string, error) {
	if ref == "" {
		return "", usagef("the entry's name is empty; use an id, a label, @leaf or @root")
	}
	id, err := catalog.ResolveEntry(s, ref)
	if missing := (*catalog.NoEntryError)(nil); errors.As(err, &missing) && !missing.Empty {
		return "", missingf("%w; run pith tree to see them", err)
	}
	return id, err
}

// atFlag is the entry that an --at flag names; the leaf when it was not given.
func atFlag(s *pith.Session, ref string, given bool) (string, error) {
	if !given {
		return s.LeafID(), nil
	}
	return entryOf(s, ref)
}

// listedMatches is how many matches an error names.
const listedMatches = 5

// shorten makes one line of what the packages below say in several, and takes
// out what is said twice.
func shorten(err error) error {
	var several *catalog.AmbiguousError
	if errors.As(err, &several) {
		return ambiguousError{errors.New(describeMatches(several))}
	}
	var file *pith.FileError
	if errors.As(err, &file) && errors.Is(err, fs.ErrNotExist) {
		return missingf("there is no file %s", file.Path)
	}
	return err
}

// describeMatches lists the sessions that a reference fits (pitfalls 64, 70).
func describeMatches(e *catalog.AmbiguousError) string {
	short := shortIDs(e.Matches)
	files := map[string]int{} // in how many files an id is
	for i := range e.Matches {
		files[e.Matches[i].ID]++
	}
	var list []string
	for i := range e.Matches {
		if i == listedMatches {
			list = append(list, fmt.Sprintf("%d more", len(e.Matches)-i))
			break
		}
		m := &e.Matches[i]
		title := m.Title()
		name := short[m.ID]
		if files[m.ID] > 1 {
			name = m.Path // a copy: its id does not tell it from the other
		}
		list = append(list, fmt.Sprintf("%s (%s, %s)", name, humanize.Time(m.Modified), termsafe.Fit(title, 30)))
	}
	return fmt.Sprintf("%q fits %d sessions: %s; give more of the id, or the file", e.Ref, len(e.Matches), strings.Join(list, ", "))
}

// cause is why something failed, without the path, which is told beside it.
func cause(err error) error {
	if f := (*pith.FileError)(nil); errors.As(err, &f) {
		err = f.Err
	}
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		err = p.Err
	}
	return err
}

// closing closes a session at the end of a command and keeps the first error.
func closing(s *pith.Session, err *error) {
	if cerr := s.Close(); *err == nil && cerr != nil {
		*err = fmt.Errorf("close the session: %w", cerr)
	}
}
