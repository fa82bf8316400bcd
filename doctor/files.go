package doctor

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store/filestore"
)

// Files are the files in a folder that are named like sessions, and those in the
// folders right below it, where the sessions of projects lie. Unlike a list of
// sessions it has those too that no program takes for one any more.
func Files(ctx context.Context, dir string) ([]string, error) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files, folders := sorted(dir, names)
	for _, folder := range folders {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		below, err := os.ReadDir(folder)
		if err != nil {
			continue // somebody else's; the others count
		}
		more, _ := sorted(folder, below)
		files = append(files, more...)
	}
	slices.Sort(files)
	return files, nil
}

func sorted(dir string, names []fs.DirEntry) (files, folders []string) {
	for _, name := range names {
		path := filepath.Join(dir, name.Name())
		info, err := os.Stat(path) // a link counts as what it leads to
		switch {
		case err != nil:
		case info.IsDir():
			folders = append(folders, path)
		case info.Mode().IsRegular() && strings.HasSuffix(path, format.FileSuffix):
			files = append(files, path)
		}
	}
	return files, folders
}

// Leftovers finds what crashes left in a folder and in those right below it. Each
// is a report of its own file. Once the context is done it returns what it has.
func Leftovers(ctx context.Context, dir string, o Options) []*Report {
	folders := []string{dir}
	if names, err := os.ReadDir(dir); err == nil {
		_, below := sorted(dir, names)
		folders = append(folders, below...)
	}
	var out []*Report
	for _, folder := range folders {
		left, err := filestore.Leftovers(folder)
		if ctx.Err() != nil {
			break
		}
		if err != nil || !o.wants(Leftover) {
			continue
		}
		for _, path := range left {
			k := kinds[Leftover]
			f := Finding{Code: Leftover, Severity: k.severity, File: path, What: "an unfinished copy of a session", Means: k.means, Fix: k.fix}
			out = append(out, &Report{File: path, Findings: []Finding{f}})
		}
	}
	return out
}

// UnreadableFinding is the finding about a file that could not be looked at.
func UnreadableFinding(path string, err error) Finding {
	k := kinds[Unreadable]
	return Finding{Code: Unreadable, Severity: k.severity, File: path, What: err.Error(), Means: k.means}
}

// RemoveLeftover removes an unfinished file, if it is one that nobody works on.
func RemoveLeftover(path string) error {
	left, err := filestore.Leftovers(filepath.Dir(path))
	if err != nil {
		return err
	}
	if !slices.Contains(left, path) {
		return nil
	}
	return os.Remove(path)
}
