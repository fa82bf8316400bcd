package catalog

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/format"
)

// Parent finds the session that another one was made from. A header names it by
// the path that it had at that time. After files were moved, that path leads
// nowhere or to another session. But a file name contains the session's id, so
// the id is looked up too: at the path, next to the child, then under all
// roots, in the child's project first. A path whose file name is not an id is
// used unchanged. oh-my-pi stores only the id.
//
// The error matches ErrNotFound if the session has no parent or the parent is
// gone, and is an *AmbiguousError if there are several copies of it. A chain of
// parents can be a cycle, which callers that follow it must detect.
func Parent(ctx context.Context, child Info, o Options) (Info, error) {
	ref := child.ParentSession
	if ref == "" {
		return Info{}, fmt.Errorf("%w: the session has no parent", ErrNotFound)
	}
	o.Progress = nil // it counts the files of one list
	dir := filepath.Dir(child.Path)
	path := o.expand(fromURL(ref), dir)
	named, err := o.otherThan(ctx, child, path)
	id := idInName(ref)
	if err == nil && named.ID == id {
		return named, nil
	}
	if moved, err := o.otherThan(ctx, child, filepath.Join(dir, baseName(ref))); err == nil && moved.ID == id {
		return moved, nil
	}
	if found, ferr := o.byID(ctx, id, child); ferr != nil || found.ID != "" {
		return found, ferr
	}
	if err == nil {
		return named, nil
	}
	return Info{}, &NotFoundError{Ref: ref, Path: path}
}

// otherThan reads the session at a path, unless that is the child itself.
func (o *Options) otherThan(ctx context.Context, child Info, path string) (Info, error) {
	if canonical(path) == canonical(child.Path) {
		return Info{}, ErrNotFound
	}
	return o.readInfo(ctx, path, "")
}

// byID returns the only session with that id under the roots, or the zero Info
// if there is none. It reads headers, and the facts of the session that is
// found.
func (o *Options) byID(ctx context.Context, id string, child Info) (Info, error) {
	roots := Roots(*o, child.Cwd)
	files, _ := discover(ctx, roots, o) // a directory that cannot be read hides nothing in the others
	heads := slices.Collect(o.readAll(ctx, files, query{headOnly: true, internal: true}, o.Index.below(ctx, roots)))
	if err := ctx.Err(); err != nil {
		return Info{}, err
	}
	matches := filter(heads, func(i Info) bool { return i.ID == id && i.Path != child.Path })
	here := newProject(child.Cwd, o)
	if near := filter(matches, func(i Info) bool { return here.has(i.Cwd) }); len(near) > 0 {
		matches = near
	}
	if len(matches) == 0 {
		return Info{}, nil
	}
	found, err := o.pick(ctx, id, matches)
	if err != nil {
		return Info{}, err
	}
	return Facts(ctx, found, *o)
}

// idInName returns the id that the name of a session file contains, also if
// OpenClaw has archived the file.
func idInName(path string) string {
	name, _, _ := strings.Cut(baseName(path), format.FileSuffix+".imported-")
	return withoutTimestamp(strings.TrimSuffix(name, format.FileSuffix))
}

// baseName returns the last element of a path of any operating system, because
// a session may come from another machine.
func baseName(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }
