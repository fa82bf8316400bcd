//go:build !linux

package catalog

import (
	"io/fs"
	"os"
)

// readDir calls take for every entry of a directory.
func readDir(dir string, take func(dirEntry)) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		take(dirEntry{e.Name(), e.Type(), e})
	}
	return err
}

// A dirEntry is an entry of a directory that is being read.
type dirEntry struct {
	name string
	mode fs.FileMode // the type
	is   fs.DirEntry
}

// stat returns what fileOf would, without following a link, and the type.
func (e dirEntry) stat(path, root string) (file, fs.FileMode, error) {
	info, err := e.is.Info()
	if err != nil {
		return file{}, 0, err
	}
	return fileOf(path, root, info), info.Mode().Type(), nil
}
