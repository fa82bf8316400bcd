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
)

const sessionSuffix = ".jsonl"

// A file is one that may be a session, by its name and kind.
type file struct {
	path     string
	root     string
	modified time.Time
}

// A finder collects the files under roots.
type finder struct {
	opt   *Options
	files []file
	// links are files reached by a symbolic link. They are decided last: a link
	// to a file that is found anyway is dropped.
	links   []file
	folders map[string]bool // canonical paths of folders that were read
	seen    map[string]bool // canonical paths of files that were found
}

// discover finds the files under roots that may be sessions, the youngest
// first. Folders behind links are followed, one level deep and once each. An
// error means that the folder for new sessions cannot be read; the files of the
// other roots come with it.
func discover(ctx context.Context, roots []Root, o *Options) ([]file, error) {
	f := &finder{opt: o, folders: map[string]bool{}, seen: map[string]bool{}}
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
	f.folders[real] = true
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, readError("list", dir, err)
	}
	var linked []string
	sessions := map[string]bool{}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
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
		case !info.Mode().IsRegular() || !strings.HasSuffix(e.Name(), sessionSuffix):
			// A pipe named like a session would block whoever opens it.
		case e.Type()&fs.ModeSymlink != 0:
			f.links = append(f.links, file{path, root, info.ModTime()})
		default:
			f.files = append(f.files, file{path, root, info.ModTime()})
			f.seen[filepath.Join(real, e.Name())] = true
			sessions[strings.TrimSuffix(path, sessionSuffix)] = true
		}
	}
	// A folder named like a session beside it holds that session's artifacts, not
	// those of a project.
	subfolders = slices.DeleteFunc(append(subfolders, linked...), func(dir string) bool { return sessions[dir] })
	return subfolders, nil
}

func (f *finder) resolveLinks() {
	for _, link := range f.links {
		real := canonical(link.path)
		if !f.seen[real] {
			f.seen[real] = true
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
