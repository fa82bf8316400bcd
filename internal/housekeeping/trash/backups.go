package trash

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pith-sessions/pith/internal/artifacts"
	"github.com/pith-sessions/pith/store"
)

// Backups returns the paths of the backups next to a session file: those made
// by pith, and those that oh-my-pi leaves as <file>.<id>.bak, from which its
// picker would restore a deleted session.
func Backups(path string) []string {
	all, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range all {
		name := filepath.Join(filepath.Dir(path), e.Name())
		of, ok := store.BackupOf(name)
		if id, left := strings.CutPrefix(strings.TrimSuffix(name, ".bak"), path+"."); left && strings.HasSuffix(name, ".bak") && !strings.Contains(id, ".") {
			of, ok = path, true
		}
		if ok && of == path && e.Type().IsRegular() {
			out = append(out, name)
		}
	}
	return out
}

// takeBackups moves the backups of a file into the trash after it. Those that
// cannot be moved stay and are reported.
func (it *item) takeBackups(list []string) error {
	var failed []error
	for _, path := range list {
		if err := artifacts.MoveFile(path, filepath.Join(it.folder, filepath.Base(path))); err != nil {
			failed = append(failed, fmt.Errorf("its backup %s was not moved: %w", path, err))
		}
	}
	return errors.Join(failed...)
}

// bringBackups moves the backups of an item next to target, under unused names.
// After an error the rest stay in the trash.
func (it *item) bringBackups(target string) error {
	n := 0
	for _, from := range Backups(it.file()) {
		for {
			err := artifacts.MoveFile(from, store.BackupName(target, n))
			n++
			if err == nil {
				break
			}
			if !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
	}
	return nil
}
