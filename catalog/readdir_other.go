//go:build !linux

package catalog

import (
	"io/fs"
	"os"

	"github.com/pith-sessions/pith/internal/cache/index"
)

// readDir calls take for every entry of a directory.
func readDir(dir string, take func(dirEntry)) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		take(dirEntry{[]byte(e.Name()), e.Type(), e})
	}
	return err
}

// A dirEntry is an entry of a directory that is being read.
type dirEntry struct {
	name []byte
	mode fs.FileMode // the type
	is   fs.DirEntry
}

// stat returns the file of this name, without following a link, and the type.
func (e dirEntry) stat(in *place, name string) (file, fs.FileMode, error) {
	info, err := e.is.Info()
	if err != nil {
		return file{}, 0, err
	}
	return file{in: in, name: name, modified: info.ModTime(), size: info.Size(), inode: index.InodeOf(info)}, info.Mode().Type(), nil
}
