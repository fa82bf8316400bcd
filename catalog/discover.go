package catalog

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/cache/index"
)

// A file is one that may be a session, by its name and kind.
type file struct {
	path     string
	root     string
	modified time.Time
	size     int64
	inode    index.Inode
}

func fileOf(path, root string, info fs.FileInfo) file {
	return file{path, root, info.ModTime(), info.Size(), index.InodeOf(info)}
}

// A finder collects the files under roots.
type finder struct {
	opt   *Options
	files []file
	// links are files reached by a symbolic link. They are decided last: a link
	// to a file that is found anyway is dropped.
	links   []file
	folders map[string]bool   // canonical paths of folders that were read
	real    map[string]string // their canonical paths, by those under which they were found
}

// discover finds the files under roots that may be sessions, the youngest
// first. Folders behind links are followed, one level deep and once each. An
// error means that the folder for new sessions cannot be read; the files of the
// other roots come with it.
func discover(ctx context.Context, roots []Root, o *Options) ([]file, error) {
	f := &finder{opt: o, folders: map[string]bool{}, real: map[string]string{}}
	var failed error
	for _, r := range roots {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := f.root(r); err != nil && r.Writable {
			failed = err
		} else if err != nil {
			o.skip(r.Dir, err)
		}
	}
	f.resolveLinks()
	slices.SortFunc(f.files, func(a, b file) int {
		if c := b.modified.Compare(a.modified); c != 0 {
			return c
		}
		return strings.Compare(a.path, b.path)
	})
	return f.files, failed
}

func (f *finder) root(r Root) error {
	subfolders, err := f.folder(r.Dir, r.Name)
	if err != nil || r.Flat {
		return err
	}
	for _, dir := range subfolders {
		if _, err := f.folder(dir, r.Name); err != nil {
			f.opt.skip(dir, err)
		}
	}
	return nil
}

// folder takes the files of one folder and returns its subfolders, those behind
// links last, so that a folder is listed under its own name if it has one here.
func (f *finder) folder(dir, root string) (subfolders []string, err error) {
	real := canonical(dir)
	if f.folders[real] {
		return nil, nil
	}
	f.folders[real], f.real[filepath.Clean(dir)] = true, real
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, readError("list", dir, err)
	}
	var linked []string
	base := filepath.Join(dir, "x")
	base = base[:len(base)-1]
	first := len(f.files)
	f.files = slices.Grow(f.files, len(entries))
	for _, e := range entries {
		path := base + e.Name()
		info, err := e.Info()
		if err == nil && e.Type()&fs.ModeSymlink != 0 {
			info, err = os.Stat(path)
		}
		switch {
		case err != nil:
			// A link that leads nowhere, or a file that was just removed.
		case info.IsDir() && e.Type()&fs.ModeSymlink != 0:
			linked = append(linked, path)
		case info.IsDir():
			subfolders = append(subfolders, path)
		case !info.Mode().IsRegular() || !strings.HasSuffix(e.Name(), format.FileSuffix):
			// A pipe named like a session would block whoever opens it.
		case e.Type()&fs.ModeSymlink != 0:
			f.links = append(f.links, fileOf(path, root, info))
		default:
			f.files = append(f.files, fileOf(path, root, info))
		}
	}
	return withoutArtifacts(append(subfolders, linked...), f.files[first:]), nil
}

// withoutArtifacts are folders but for those that are named like a session
// beside them: these hold that session's artifacts, not those of a project.
func withoutArtifacts(folders []string, files []file) []string {
	if len(folders) == 0 || len(files) == 0 {
		return folders
	}
	sessions := make(map[string]bool, len(files))
	for i := range files {
		sessions[strings.TrimSuffix(files[i].path, format.FileSuffix)] = true
	}
	return slices.DeleteFunc(folders, func(dir string) bool { return sessions[dir] })
}

// resolveLinks adds the files that are found by a link alone, once each.
func (f *finder) resolveLinks() {
	if len(f.links) == 0 {
		return
	}
	seen := make(map[string]bool, len(f.files))
	for i := range f.files {
		dir, name := filepath.Split(f.files[i].path)
		seen[filepath.Join(f.real[filepath.Clean(dir)], name)] = true
	}
	for _, link := range f.links {
		real := canonical(link.path)
		if !seen[real] {
			seen[real] = true
			f.files = append(f.files, link)
		}
	}
}

// readError says what could not be done with which file, naming the path once.
func readError(op, path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &pith.FileError{Op: op, Path: path, Err: err}
}
