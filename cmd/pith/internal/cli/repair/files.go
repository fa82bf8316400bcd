package repair

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
)

// A patient is a file to look at.
type patient struct {
	path     string
	named    bool           // on the command line
	leftover *doctor.Report // it is what a crash left
	found    *doctor.Report // it is a folder that cannot be read
}

// A waiting list has every file once.
type waitingList struct {
	opt   doctor.Options
	files []patient
	seen  map[string]bool
}

func (l *waitingList) add(p patient) {
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	if !l.seen[p.path] {
		l.seen[p.path] = true
		l.files = append(l.files, p)
	}
}

// folder adds the files of a folder, also those that no list of sessions has any
// more, and what crashes left there.
func (l *waitingList) folder(ctx context.Context, dir string) error {
	files, err := doctor.Files(ctx, dir)
	several, ok := err.(interface{ Unwrap() []error })
	if err != nil && !ok {
		return err
	}
	if ok {
		for _, err := range several.Unwrap() {
			if at := (*fs.PathError)(nil); errors.As(err, &at) {
				l.add(patient{path: at.Path, found: unreadable(at.Path, lookup.Cause(err))})
			}
		}
	}
	for _, path := range files {
		l.add(patient{path: path})
	}
	l.leftovers(ctx, dir)
	return nil
}

// leftovers adds what crashes left in a folder.
func (l *waitingList) leftovers(ctx context.Context, dir string) {
	for _, r := range doctor.Leftovers(ctx, dir, l.opt) {
		l.add(patient{path: r.File, leftover: r})
	}
}

// unfinished adds what crashes left in the trash, where backups belong.
func (l *waitingList) unfinished(ctx context.Context, dir string) {
	for _, r := range doctor.Leftovers(ctx, dir, l.opt) {
		if _, backup := store.BackupOf(r.File); !backup {
			l.add(patient{path: r.File, leftover: r})
		}
	}
}

// patients are the files that the command line names: sessions, files, folders, or
// all; without any, those of this project.
func (a *Commands) patients(ctx context.Context, args []string, scope *lookup.Scope, o doctor.Options) ([]patient, error) {
	list := waitingList{opt: o}
	cwd, err := a.Env.Cwd()
	if err != nil && len(args) == 0 {
		_, err := a.Cwd()
		return nil, err
	}
	switch {
	case scope.Project != "":
		if err := a.admitProjects(ctx, &list, a.Within(scope)); err != nil {
			return nil, err
		}
	case scope.All:
		for _, root := range catalog.Roots(a.Listing(), cwd) {
			if lookup.IsForeign(root.Name) {
				continue // these files are pith's own, made again at any time
			}
			err := list.folder(ctx, root.Dir)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				list.add(patient{path: root.Dir, found: unreadable(root.Dir, lookup.Cause(err))})
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

// admitProjects adds the sessions of the projects that are wanted.
func (a *Commands) admitProjects(ctx context.Context, list *waitingList, wanted func(cwd string) bool) error {
	for info, err := range catalog.ListAll(ctx, a.Listing()) {
		if err != nil {
			return err
		}
		if wanted(info.Cwd) && !lookup.IsForeign(info.Root) {
			list.add(patient{path: info.Path})
		}
	}
	return nil
}

// admit adds what one argument names. A file is taken as it is: it may be too
// damaged to be found otherwise.
func (a *Commands) admit(ctx context.Context, list *waitingList, ref, cwd string) error {
	path := sessiondir.ExpandPath(ref, cwd)
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return list.folder(ctx, path)
	case err == nil && lookup.IsPath(ref):
		list.add(patient{path: path, named: true})
		return nil
	}
	found, err := a.Locate(ctx, ref)
	if err == nil {
		list.add(patient{path: found.Path, named: true})
	}
	return err
}

// admitProject adds the sessions of a project, wherever they lie, and whatever
// else is in the folder that it has of its own.
func (a *Commands) admitProject(ctx context.Context, list *waitingList, cwd string) error {
	for info, err := range catalog.List(ctx, cwd, a.Listing()) {
		if err != nil {
			return err
		}
		if !lookup.IsForeign(info.Root) {
			list.add(patient{path: info.Path})
		}
	}
	place := a.Environment().Place(cwd)
	if dir := place.For(cwd); a.SessionDir == "" && !place.Flat && dir != "" {
		if _, err := os.Stat(dir); err == nil {
			return list.folder(ctx, dir)
		}
	}
	return nil
}
