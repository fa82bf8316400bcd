package repair

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
)

// A target is a file to check.
type target struct {
	path     string
	named    bool           // on the command line
	leftover *doctor.Report // set for a file that a crash left
	found    *doctor.Report // set for a directory that cannot be read
}

// A fileList holds every file once.
type fileList struct {
	opt   doctor.Options
	files []target
	seen  map[string]bool
}

func (l *fileList) add(p target) {
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	if !l.seen[p.path] {
		l.seen[p.path] = true
		l.files = append(l.files, p)
	}
}

// folder adds the files of a directory, including those that lists of sessions
// omit, and files that crashes left there.
func (l *fileList) folder(ctx context.Context, dir string) error {
	files, err := doctor.Files(ctx, dir)
	several, ok := err.(interface{ Unwrap() []error })
	if err != nil && !ok {
		return err
	}
	if ok {
		for _, err := range several.Unwrap() {
			if at := (*fs.PathError)(nil); errors.As(err, &at) {
				l.add(target{path: at.Path, found: unreadable(at.Path, lookup.Cause(err))})
			}
		}
	}
	for _, path := range files {
		l.add(target{path: path})
	}
	l.leftovers(ctx, dir)
	return nil
}

// sessions adds the sessions of the wanted projects, except those of other agents.
func (l *fileList) sessions(infos iter.Seq2[catalog.Info, error], wanted func(cwd string) bool) error {
	for info, err := range infos {
		if err != nil {
			return err
		}
		if wanted(info.Cwd) && !lookup.IsForeign(info.Root) {
			l.add(target{path: info.Path})
		}
	}
	return nil
}

// leftovers adds files that crashes left in a directory.
func (l *fileList) leftovers(ctx context.Context, dir string) {
	for _, r := range doctor.Leftovers(ctx, dir, l.opt) {
		l.add(target{path: r.File, leftover: r})
	}
}

// unfinished adds files that crashes left in the trash, except backups, which
// belong there.
func (l *fileList) unfinished(ctx context.Context, dir string) {
	for _, r := range doctor.Leftovers(ctx, dir, l.opt) {
		if _, backup := store.BackupOf(r.File); !backup {
			l.add(target{path: r.File, leftover: r})
		}
	}
}

// targets returns the files to check: those of the sessions, files and
// directories that the command line names, of all projects, or by default of
// this project.
func (a *Commands) targets(ctx context.Context, args []string, scope *lookup.Scope, o doctor.Options) ([]target, error) {
	list := fileList{opt: o}
	cwd, err := a.Env.Cwd()
	if err != nil && len(args) == 0 {
		_, err := a.Cwd()
		return nil, err
	}
	switch {
	case scope.Project != "":
		if err := list.sessions(catalog.ListAll(ctx, a.Listing()), a.Within(scope)); err != nil {
			return nil, err
		}
	case scope.All:
		for _, root := range catalog.Roots(a.Listing(), cwd) {
			if lookup.IsForeign(root.Name) {
				continue // pith's own files, which can be made again at any time
			}
			err := list.folder(ctx, root.Dir)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				list.add(target{path: root.Dir, found: unreadable(root.Dir, lookup.Cause(err))})
			}
		}
		if dir, err := a.StateDir(); err == nil {
			list.leftovers(ctx, dir)
		}
		if bin, err := a.Trash(); err == nil {
			list.unfinished(ctx, bin.Dir)
		}
	case len(args) == 0:
		if err := a.admitProject(ctx, &list, cwd); err != nil {
			return nil, err
		}
	}
	for _, ref := range args {
		if err := a.admit(ctx, &list, ref, cwd); err != nil {
			return nil, err
		}
	}
	return list.files, nil
}

// admit adds the files that one argument names. A file is added as it is: it
// may be too damaged to be found otherwise.
func (a *Commands) admit(ctx context.Context, list *fileList, ref, cwd string) error {
	path := sessiondir.ExpandPath(ref, cwd)
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return list.folder(ctx, path)
	case err == nil && lookup.IsPath(ref):
		list.add(target{path: path, named: true})
		return nil
	}
	found, err := a.Locate(ctx, ref)
	if err == nil {
		list.add(target{path: found.Path, named: true})
	}
	return err
}

// admitProject adds the sessions of a project, and all other files in the
// project's own session directory.
func (a *Commands) admitProject(ctx context.Context, list *fileList, cwd string) error {
	if err := list.sessions(catalog.List(ctx, cwd, a.Listing()), func(string) bool { return true }); err != nil {
		return err
	}
	place := a.Environment().Place(cwd)
	if dir := place.For(cwd); a.SessionDir == "" && !place.Flat && dir != "" {
		if _, err := os.Stat(dir); err == nil {
			return list.folder(ctx, dir)
		}
	}
	return nil
}

// noteOthers says which sessions of other agents are there, if any, and what doctor
// can do about them.
func (a *Commands) noteOthers(ctx context.Context, scope *lookup.Scope) bool {
	infos, err := a.List(ctx, scope.Everywhere(), false)
	if err != nil {
		return false
	}
	count, example := map[string]int{}, ""
	for i := range infos {
		if agent := ops.AgentTitle(infos[i].Root); agent != "" && a.Within(scope)(infos[i].Cwd) {
			count[agent]++
			example = cmp.Or(example, infos[i].ID)
		}
	}
	if example == "" {
		return false
	}
	var found []string
	for _, title := range slices.Sorted(maps.Keys(count)) {
		found = append(found, fmt.Sprintf("%d of %s", count[title], title))
	}
	a.Note("only sessions of other agents, whose files doctor does not repair: %s; %s checks how pith reads one", strings.Join(found, ", "), a.Hint("doctor", example))
	return true
}
