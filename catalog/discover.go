package catalog

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
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/cache"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/parallel"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/openclaw"
)

// A file may be a session, judging by its name and kind.
type file struct {
	in       *place
	name     string
	modified time.Time
	size     int64
	inode    cache.Inode
}

// A place is a directory of files.
type place struct {
	base string // path with a separator at the end
	root string // name of the root
}

func fileOf(path, root string, info fs.FileInfo) file {
	base, name := filepath.Split(path)
	f := fileAt(&place{base: base, root: root}, info)
	f.name = name
	return f
}

func fileAt(in *place, info fs.FileInfo) file {
	return file{in: in, name: info.Name(), modified: info.ModTime(), size: info.Size(), inode: cache.InodeOf(info)}
}

// isForeign reports whether the lines of the session are made when it is read.
func (f *file) isForeign() bool { return f.inode.Device == cache.ForeignDevice }

// fileOn describes the file at a path. It returns an error that matches
// fs.ErrNotExist for one that does not exist, and another one for a directory or a
// pipe, which is not opened: that could block forever.
func fileOn(path, root string) (file, error) {
	stat, err := foreign.Stat(path)
	if err == nil && !stat.Mode().IsRegular() {
		err = errNotFile
	}
	if err != nil {
		return file{}, readError("open", path, err)
	}
	return fileOf(path, root, stat), nil
}

func (f *file) path() string { return f.in.base + f.name }
func (f *file) root() string { return f.in.root }

// comparePaths compares two files by their paths.
func comparePaths(a, b *file) int {
	if a.in.base == b.in.base {
		return strings.Compare(a.name, b.name)
	}
	return strings.Compare(a.path(), b.path())
}

// A finder collects the files under roots.
type finder struct {
	opt   *Options
	stat  bool // stat the files, do not only list their names
	files []*file
	// links are files reached by a symbolic link. They are handled last: a link
	// to a file that is found anyway is dropped.
	links   []*file
	folders map[string]bool      // canonical paths of the directories read
	real    map[string]string    // canonical paths, by the paths under which they were found
	written map[string]time.Time // modification times, by the same paths
	failed  bool                 // one could not be read
	// unlisted are the roots of which only a part could be listed.
	unlisted []string
}

// discover finds the files under roots that may be sessions, the most recently
// written first. Linked directories are followed one level deep and once each.
// An error means that the directory for new sessions cannot be read; the files
// of the other roots are returned with it.
func discover(ctx context.Context, roots []Root, o *Options) ([]*file, error) {
	f, err := find(ctx, roots, o)
	return f.files, err
}

// find is like discover, but returns the finder, which also knows where it
// looked.
func find(ctx context.Context, roots []Root, o *Options) (*finder, error) {
	f := &finder{opt: o, stat: true}
	err := f.find(ctx, roots)
	sortByTime(f.files)
	return f, err
}

// sortByTime sorts files, the most recently written first.
func sortByTime(files []*file) {
	type key struct { // what is compared, side by side in memory
		second int64
		nano   int
		file   *file
	}
	keys := make([]key, len(files))
	for i, f := range files {
		keys[i] = key{f.modified.Unix(), f.modified.Nanosecond(), f}
	}
	slices.SortFunc(keys, func(a, b key) int {
		switch {
		case a.second != b.second:
			return cmp.Compare(b.second, a.second)
		case a.nano != b.nano:
			return cmp.Compare(b.nano, a.nano)
		}
		return comparePaths(a.file, b.file)
	})
	for i := range keys {
		files[i] = keys[i].file
	}
}

func (f *finder) find(ctx context.Context, roots []Root) (failed error) {
	f.folders, f.real, f.written = map[string]bool{}, map[string]string{}, map[string]time.Time{}
	for _, r := range roots {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.root(ctx, r); err != nil && r.Writable {
			failed = err
		} else if err != nil {
			f.opt.skip(r.Dir, err)
		}
	}
	f.resolveLinks()
	f.dropArchived()
	return failed
}

// dropArchived removes archived OpenClaw files whose session is in a database.
func (f *finder) dropArchived() {
	var known map[string]bool // file names
	f.files = slices.DeleteFunc(f.files, func(x *file) bool {
		if filepath.Base(x.in.base) != openclaw.ArchiveName {
			return false
		}
		id, archived := openclaw.ArchivedID(x.path())
		if !archived {
			return false
		}
		if known == nil {
			known = make(map[string]bool, len(f.files))
			for i := range f.files {
				if f.files[i].root() == RootOpenClaw {
					known[f.files[i].name] = true
				}
			}
		}
		return known[id+format.FileSuffix]
	})
}

func (f *finder) root(ctx context.Context, r Root) error {
	if r.program != nil {
		f.foreign(ctx, r)
		return ctx.Err()
	}
	if r.Notes {
		f.named(r)
		return nil
	}
	subfolders, err := f.add(read(r.Dir, r.Name, f))
	if err != nil || r.Flat {
		return err
	}
	folders := parallel.InOrder(ctx, len(subfolders), func(_ context.Context, _ *struct{}, i int) folder { return read(subfolders[i], r.Name, f) })
	for d := range folders {
		if _, err := f.add(d); err != nil {
			f.opt.skip(d.dir, err)
		}
	}
	return ctx.Err()
}

// foreign adds the sessions of another agent. Those that can be listed are added
// in any case.
func (f *finder) foreign(ctx context.Context, r Root) {
	found, err := sources.List(ctx, r.program, r.Dir)
	if err != nil && ctx.Err() == nil {
		listed := len(found)
		found = f.opt.Index.unreadable(ctx, r, found, err)
		foreign.Add(r.Dir, found)
		if len(found) > listed {
			err = fmt.Errorf("%w; its sessions are listed as they were", err)
		}
		f.opt.skip(r.Dir, err)
		f.unlisted = append(f.unlisted, r.Dir)
	}
	for _, s := range found {
		f.files = append(f.files, new(fileOf(s.Path, r.Name, s.Info())))
	}
}

// named adds the files that a root notes. Like linked files they may also be
// found in another way.
func (f *finder) named(r Root) {
	for _, path := range notedFiles(r.Dir) {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			f.links = append(f.links, new(fileOf(path, r.Name, info)))
		}
	}
}

// A folder is the content of one directory.
type folder struct {
	dir, real string // the path under which it was found, and the canonical one
	written   time.Time
	files     []file
	links     []*file  // linked files
	folders   []string // linked ones last
	err       error
}

// add adds the files of a directory and returns its subdirectories. A directory
// that was already added under another name is ignored. Linked subdirectories
// come last, so that a directory is listed under its own name if it has one
// here.
func (f *finder) add(d folder) (subfolders []string, err error) {
	f.written[d.dir] = d.written
	f.failed = f.failed || d.err != nil
	if f.folders[d.real] {
		return nil, nil
	}
	f.folders[d.real], f.real[filepath.Clean(d.dir)] = true, d.real
	f.files = slices.Grow(f.files, len(d.files))
	for i := range d.files {
		f.files = append(f.files, &d.files[i])
	}
	f.links = append(f.links, d.links...)
	return withoutArtifacts(d.folders, d.files), d.err
}

// read reads a directory for a finder.
func read(dir, root string, to *finder) (d folder) {
	d.dir, d.real, d.written = dir, canonical(dir), written(dir)
	var linked []string
	base := filepath.Join(dir, "x")
	in := &place{base: base[:len(base)-1], root: root}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		name, mode := e.Name(), e.Type()
		named := strings.HasSuffix(name, format.FileSuffix)
		if !named {
			_, named = openclaw.ArchivedID(in.base + name)
		}
		if !to.stat && mode == 0 && named {
			d.files = append(d.files, file{in: in, name: name})
			continue
		}
		if !named && mode == 0 {
			continue
		}
		isLink := mode == fs.ModeSymlink
		info, err := e.Info()
		if isLink && err == nil {
			info, err = os.Stat(in.base + name)
		}
		if err == nil {
			mode = info.Mode().Type()
		}
		switch {
		case err != nil:
			// A dangling link, or a file that was just removed.
		case mode == fs.ModeDir && isLink:
			linked = append(linked, in.base+name)
		case mode == fs.ModeDir:
			d.folders = append(d.folders, in.base+name)
		case mode != 0 || !named:
			// Opening a pipe that is named like a session would block.
		case isLink:
			d.links = append(d.links, new(fileAt(in, info)))
		default:
			d.files = append(d.files, fileAt(in, info))
		}
	}
	if err != nil {
		d.err = readError("list", dir, err)
	}
	slices.Sort(d.folders) // which of two names of a directory counts must not depend on its order
	slices.Sort(linked)
	slices.SortFunc(d.links, comparePaths)
	d.folders = append(d.folders, linked...)
	return d
}

// withoutArtifacts removes the directories that are named like a session next
// to them: these contain the artifacts of that session, not a project.
func withoutArtifacts(folders []string, files []file) []string {
	if len(folders) == 0 || len(files) == 0 {
		return folders
	}
	sessions := make(map[string]bool, len(files))
	for i := range files {
		sessions[strings.TrimSuffix(files[i].path(), format.FileSuffix)] = true
	}
	return slices.DeleteFunc(folders, func(dir string) bool { return sessions[dir] })
}

// resolveLinks adds the files that are found only by a link, once each.
func (f *finder) resolveLinks() {
	if len(f.links) == 0 {
		return
	}
	seen := make(map[string]bool, len(f.files))
	for i := range f.files {
		at := f.files[i]
		seen[filepath.Join(f.real[filepath.Clean(at.in.base)], at.name)] = true
	}
	for _, link := range f.links {
		real := canonical(link.path())
		if !seen[real] {
			seen[real] = true
			f.files = append(f.files, link)
		}
	}
}

// readError returns an error with the operation and the path, which is named
// once.
func readError(op, path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &pith.FileError{Op: op, Path: path, Err: err}
}
