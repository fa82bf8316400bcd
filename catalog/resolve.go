package catalog

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/internal/sources/team"
	"github.com/pith-sessions/pith/sessiondir"
)

// A Ref identifies a session and contains some fields of its header. The rest
// of the file was not read: see [Facts].
type Ref struct {
	Path string
	// Root is the name of the root under which the file was found, or "" for a
	// file given by its path.
	Root string
	ID   string
	// Cwd is the working directory, or "" if the header has none.
	Cwd string
	// Version is the format version of the file.
	Version int
}

// Ref returns the reference to a session of a list.
func (i *Info) Ref() Ref { return Ref{i.Path, i.Root, i.ID, i.Cwd, i.Version} }

// Resolve finds the session that a reference names. A reference is
//
//   - a path: it contains a separator, starts with ~ or file://, or ends in
//     .jsonl; relative to cwd
//   - a whole id, or a prefix of one
//   - the name of the file, with or without its timestamp and its extension
//   - the display name
//   - @ for the most recently used session of the project at cwd, @2 for the
//     one before, and so on; sessions that a program made for its own use, and
//     those of other people, do not count
//
// The project at cwd is searched first, then all others: Ref.Cwd shows which
// one matched. Paths, ids, file names and id prefixes of 8 characters or more
// are resolved from headers. Display names, and shorter prefixes, which may be
// names, require the facts of every session that the index does not know; @
// requires those of the project.
//
// A reference with several matches returns an *AmbiguousError, never a guess;
// one without a match returns a *NotFoundError. A path that exists but is not a
// session returns the error of Facts. The error for an empty reference matches
// pith.ErrInvalid.
func Resolve(ctx context.Context, ref, cwd string, o Options) (Ref, error) {
	cwd = o.expand(cwd, "")
	o.Progress = nil // it counts the files of one list
	if ref == "" {
		return Ref{}, emptyReference("session reference", "use a path, an ID, a name or @")
	}
	if n, ok := recencyRef(ref); ok {
		return byAge(ctx, ref, n, cwd, o)
	}
	if isPath(ref) {
		at, err := ResolvePath(ctx, ref, cwd, o)
		// A file name and a display name can look like a path.
		if !errors.Is(err, ErrNotFound) || strings.HasPrefix(ref, "~") {
			return at, err
		}
		if found, ferr := search(ctx, ref, cwd, o); !errors.Is(ferr, ErrNotFound) {
			return found, ferr
		}
		return at, err
	}
	return search(ctx, ref, cwd, o)
}

// recencyRef parses @ and @N.
func recencyRef(ref string) (n int, ok bool) {
	rest, ok := strings.CutPrefix(ref, "@")
	if !ok || rest == "" {
		return 1, ok
	}
	n, err := strconv.Atoi(rest)
	return n, err == nil && n > 0
}

func byAge(ctx context.Context, ref string, n int, cwd string, o Options) (Ref, error) {
	o.IncludeInternal = false // pitfall 54
	o.Text = false
	infos, err := Sorted(List(ctx, cwd, o))
	if err != nil {
		return Ref{}, err
	}
	infos = filter(infos, func(i Info) bool { return i.Root != team.Name }) // of other people
	if n > len(infos) {
		return Ref{}, &NotFoundError{Ref: ref, Project: cwd, Searched: len(infos)}
	}
	return infos[n-1].Ref(), nil
}

func isPath(ref string) bool {
	return strings.ContainsAny(ref, `/\`) || strings.HasSuffix(ref, format.FileSuffix) || ref == "~"
}

// ResolvePath is like Resolve for a reference that is a path. It reads only
// that file and needs no index; for a file of another agent, even a copy in
// another place, it reads the translation. It returns a *NotFoundError for a
// reference that does not look
// like a path.
func ResolvePath(ctx context.Context, ref, cwd string, o Options) (Ref, error) {
	if !isPath(ref) {
		return Ref{}, &NotFoundError{Ref: ref}
	}
	path := o.expand(fromURL(ref), cwd)
	if s := o.foreign(ctx, path); s != nil {
		path = s.Path
	}
	f, err := fileOn(path, "")
	if errors.Is(err, fs.ErrNotExist) {
		return Ref{}, &NotFoundError{Ref: ref, Path: path}
	}
	if err != nil {
		return Ref{}, err
	}
	if r := o.Index.row(ctx, &query{}, &f); r != nil && r.path == path && r.isOf(&f) && r.kind != rowOther {
		info := r.brief.info(&f)
		return info.Ref(), nil
	}
	h, err := o.settledHeader(ctx, path)
	if errors.Is(err, pith.ErrNotSession) && !f.isForeign() {
		if p, ok := all.Recognize(ctx, path); ok { // a copy that is not where the agent stores sessions
			_, _ = sources.List(ctx, sources.Single{Program: p}, path) // its lines can be read now
			h, err = o.settledHeader(ctx, path)
		}
	}
	if err != nil {
		return Ref{}, err
	}
	return Ref{Path: path, ID: h.ID, Cwd: h.Cwd, Version: h.Version}, nil
}

// settledHeader reads the header of a file. It waits while the file is being
// rewritten.
func (o *Options) settledHeader(ctx context.Context, path string) (h *format.Header, err error) {
	err = sessiondir.Settled(ctx, path, func() (err error) {
		h, err = o.headerAt(path)
		return err
	})
	return h, err
}

// foreign returns the session of another agent that has a path or the only one in
// a file, or nil for any other path.
func (o *Options) foreign(ctx context.Context, path string) *foreign.Session {
	real := canonical(path)
	for _, r := range slices.Concat(o.foreignRoots(), o.openClawRoots("")) {
		if r.program == nil {
			continue
		}
		for name, dir := range map[string]string{path: r.Dir, real: canonical(r.Dir)} {
			if rest, err := filepath.Rel(dir, name); err != nil || !filepath.IsLocal(rest) {
				continue
			}
			found, _ := sources.List(ctx, r.program, r.Dir) // those that can be listed
			if s := foreign.Find(name); s != nil {
				return s
			}
			of := slices.DeleteFunc(found, func(s *foreign.Session) bool { return canonical(s.Original) != real })
			if len(of) == 1 {
				return of[0]
			}
		}
	}
	return nil
}

func (o *Options) headerAt(path string) (*format.Header, error) {
	if foreign.Find(path) != nil {
		return sessiondir.HeaderOf(path)
	}
	in, err := o.opener()(path)
	if err != nil {
		return nil, readError("open", path, err)
	}
	defer in.Close()
	h, err := sessiondir.ReadHeader(in)
	if errors.Is(err, pith.ErrNotSession) && !errors.Is(err, journal.ErrEvents) {
		err = pith.ErrNotSession // the same error as in lists
	}
	if err != nil {
		return nil, readError("read", path, err)
	}
	return h, nil
}

// fromURL returns the path in a file: URL, or ref unchanged.
func fromURL(ref string) string {
	if !strings.HasPrefix(ref, "file://") {
		return ref
	}
	u, err := url.Parse(ref)
	if err != nil {
		return ref
	}
	if runtime.GOOS == "windows" {
		return filepath.FromSlash(strings.TrimPrefix(u.Path, "/"))
	}
	return u.Path
}

// search looks for an id, a file name or a display name.
func search(ctx context.Context, ref, cwd string, o Options) (Ref, error) {
	roots := Roots(o, cwd)
	files, failed := discover(ctx, roots, &o)
	all := slices.Collect(o.readAll(ctx, files, query{headOnly: true, internal: true}, o.Index.below(ctx, roots)))
	if err := ctx.Err(); err != nil {
		return Ref{}, err
	}
	here := newProject(cwd, &o)
	scopes := [2][]Info{ // this project, then the others
		filter(all, func(i Info) bool { return here.has(i.Cwd) }),
		filter(all, func(i Info) bool { return !here.has(i.Cwd) }),
	}
	for _, scope := range scopes {
		if matches := byIdentity(scope, ref); len(matches) > 0 {
			return o.pick(ctx, ref, matches)
		}
	}
	for _, scope := range scopes {
		matches := o.byNameOrBeginning(ctx, scope, ref)
		if err := ctx.Err(); err != nil {
			return Ref{}, err
		}
		if len(matches) > 0 {
			return o.pick(ctx, ref, matches)
		}
	}
	for _, scope := range scopes {
		if matches := byEnd(scope, ref); len(matches) > 0 {
			return o.pick(ctx, ref, matches)
		}
	}
	if failed != nil {
		return Ref{}, failed
	}
	return Ref{}, &NotFoundError{Ref: ref, Searched: len(all)}
}

// shortestEnd is the minimum length of an id suffix.
const shortestEnd = 4

// byEnd returns the sessions whose id ends in ref. Ids made within a minute of
// each other have equal prefixes but different suffixes.
func byEnd(scope []Info, ref string) []Info {
	if len(ref) < shortestEnd {
		return nil
	}
	return filter(scope, func(i Info) bool { return strings.HasSuffix(i.ID, ref) })
}

// byIdentity returns the sessions with that id, or else in that file, or else
// with that id prefix, if it is too long to be a word.
func byIdentity(scope []Info, ref string) []Info {
	if matches := filter(scope, func(i Info) bool { return i.ID == ref }); len(matches) > 0 {
		return matches
	}
	if matches := filter(scope, func(i Info) bool { return isFileName(i.Path, ref) }); len(matches) > 0 {
		return matches
	}
	if len(ref) < shortest {
		return nil
	}
	return filter(scope, func(i Info) bool { return strings.HasPrefix(i.ID, ref) })
}

// byNameOrBeginning returns the sessions with that display name or id prefix.
// It reads their files.
func (o *Options) byNameOrBeginning(ctx context.Context, scope []Info, ref string) []Info {
	whole := o.readAgain(ctx, scope)
	return filter(whole, func(i Info) bool { return i.Name == ref || strings.HasPrefix(i.ID, ref) })
}

func filter(infos []Info, keep func(Info) bool) []Info {
	var out []Info
	for _, info := range infos {
		if keep(info) {
			out = append(out, info)
		}
	}
	return out
}

// readAgain reads the whole files of sessions of which only the header was
// read.
func (o *Options) readAgain(ctx context.Context, infos []Info) []Info {
	var files []*file
	for _, info := range infos {
		if f, err := fileOn(info.Path, info.Root); err == nil {
			files = append(files, &f)
		}
	}
	return slices.Collect(o.readAll(ctx, files, query{internal: true, spent: o.Responses, touched: o.Touched}, o.Index.of(ctx, files)))
}

// pick returns the only match. If there are several, it reads their facts for
// the error, so that the user can choose.
func (o *Options) pick(ctx context.Context, ref string, matches []Info) (Ref, error) {
	if len(matches) == 1 {
		return matches[0].Ref(), nil
	}
	whole := o.readAgain(ctx, matches)
	if err := ctx.Err(); err != nil {
		return Ref{}, err
	}
	sortByRecency(whole)
	return Ref{}, &AmbiguousError{ref, whole}
}

// isFileName reports whether ref is the name of the file at path, with or
// without its timestamp and its extension (pitfall 66).
func isFileName(path, ref string) bool {
	name := strings.TrimSuffix(filepath.Base(path), format.FileSuffix)
	ref = strings.TrimSuffix(ref, format.FileSuffix)
	return name == ref || withoutTimestamp(name) == ref
}

// withoutTimestamp returns the id in a file name of pi's form, and any other
// name unchanged.
func withoutTimestamp(name string) string {
	if _, id, ok := format.ParseFileName(name); ok {
		return id
	}
	return name
}

// InDatabase reports whether the session is in OpenClaw's database.
func (r Ref) InDatabase() bool {
	return journal.SignatureOf(nil).InDatabase(r.Path, r.Version)
}
