package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// Files are the files in a folder that are named like sessions, and those in the
// folders right below it, where the sessions of projects lie. Unlike a list of
// sessions it has those too that no program takes for one any more. The error beside
// files joins those about folders that could not be read, each an *fs.PathError.
func Files(ctx context.Context, dir string) ([]string, error) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files, folders := sorted(dir, names)
	var closed []error
	for _, folder := range folders {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		below, err := os.ReadDir(folder)
		if err != nil {
			closed = append(closed, err)
			continue
		}
		more, _ := sorted(folder, below)
		files = append(files, more...)
	}
	slices.Sort(files)
	return files, errors.Join(closed...)
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

// Leftovers finds what crashes left in a folder, in those right below it and in the
// artifacts of sessions, and former states of sessions that are gone. Each is a
// report of its own file. Once the context is done it returns what it has.
func Leftovers(ctx context.Context, dir string, o Options) []*Report {
	folders := []string{dir}
	for n := 0; n < len(folders) && ctx.Err() == nil; n++ {
		names, err := os.ReadDir(folders[n])
		if err != nil {
			continue
		}
		_, below := sorted(folders[n], names)
		for _, folder := range below {
			if n == 0 || holdsArtifacts(folder) {
				folders = append(folders, folder)
			}
		}
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
		k := kinds[Leftover]
		for _, path := range left {
			f := Finding{Code: Leftover, Severity: k.severity, File: path, What: "an unfinished copy of a file", Means: k.means, Fix: k.fix}
			out = append(out, &Report{File: path, Findings: []Finding{f}})
		}
		for _, path := range orphans(folder) {
			f := Finding{Code: Leftover, Severity: k.severity, File: path, What: "the former state of a session that is gone",
				Means: "it holds a whole conversation", Fix: "moves it to the trash"}
			out = append(out, &Report{File: path, Findings: []Finding{f}})
		}
	}
	return out
}

// holdsArtifacts reports whether a folder has the name of a session. Links are not
// followed: two that lead up again would have no end.
func holdsArtifacts(folder string) bool {
	_, _, named := format.ParseFileName(filepath.Base(folder))
	info, err := os.Lstat(folder)
	return named && err == nil && info.IsDir()
}

// orphans are the backups in a folder whose session is not there any more.
func orphans(dir string) []string {
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, name := range names {
		of, ok := store.BackupOf(name.Name())
		if !ok || !name.Type().IsRegular() || !strings.HasSuffix(of, format.FileSuffix) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, of)); errors.Is(err, fs.ErrNotExist) {
			out = append(out, filepath.Join(dir, name.Name()))
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
