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

// Files returns the files in a directory with session names, and those in its
// immediate subdirectories, which hold the sessions of projects. Unlike a
// session list, it includes files that are no longer recognizable as sessions.
// If directories cannot be read, the error joins an *fs.PathError for each; the
// files are still returned.
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
		info, err := os.Stat(path) // follows links
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

// Leftovers finds files that crashes left in a directory, in its immediate
// subdirectories and in the artifacts of sessions, and backups of sessions that
// no longer exist. Each is a separate report. If the context is done, it
// returns the reports so far.
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
			f := Finding{Code: Leftover, Severity: k.severity, File: path, What: "the backup of a session that no longer exists",
				Means: "it contains a whole conversation", Fix: "move it to the trash"}
			out = append(out, &Report{File: path, Findings: []Finding{f}})
		}
	}
	return out
}

// holdsArtifacts reports whether a directory has the name of a session. It does
// not follow links, because they could form a cycle.
func holdsArtifacts(folder string) bool {
	_, _, named := format.ParseFileName(filepath.Base(folder))
	info, err := os.Lstat(folder)
	return named && err == nil && info.IsDir()
}

// orphans returns the backups in a directory whose session no longer exists.
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

// UnreadableFinding returns the finding for a file that could not be read.
func UnreadableFinding(path string, err error) Finding {
	k := kinds[Unreadable]
	return Finding{Code: Unreadable, Severity: k.severity, File: path, What: err.Error(), Means: k.means}
}

// RemoveLeftover removes an unfinished file or directory, unless a process is
// working on it.
func RemoveLeftover(path string) error {
	left, err := filestore.Leftovers(filepath.Dir(path))
	if err != nil {
		return err
	}
	if !slices.Contains(left, path) {
		return nil
	}
	return os.RemoveAll(path)
}
