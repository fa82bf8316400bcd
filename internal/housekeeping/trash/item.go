package trash

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith/store/filestore"
)

const infoName = "info.json"

// An item is one entry of the trash: its receipt and its directory.
type item struct {
	Receipt
	folder string
}

// record is info.json. JSON cannot contain a path that is not UTF-8, so the
// bytes of such a path are stored too.
type record struct {
	Receipt
	RawPath []byte `json:"rawPath,omitempty"`
}

// file returns the path of the file in the trash.
func (it *item) file() string {
	from, to := it.unit()
	return to + strings.TrimPrefix(it.Path, from)
}

// unit returns what moves in one step and where it is in the trash: the file, or
// the directory of its set that contains it.
func (it *item) unit() (from, to string) {
	from = it.Path
	if it.Set != nil && it.Set.Whole != "" {
		from = it.absolute(it.Set.Whole)
	}
	base := filepath.Base(from)
	if strings.EqualFold(base, infoName) {
		base = "file-" + base
	}
	return from, filepath.Join(it.folder, base)
}

func (it *item) hasFile() bool {
	_, err := os.Lstat(it.file())
	return err == nil
}

// save writes info.json, completely and durably or not at all.
func (it *item) save() error {
	r := record{Receipt: it.Receipt}
	if !utf8.ValidString(it.Path) {
		r.RawPath = []byte(it.Path)
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return filestore.WriteFile(filepath.Join(it.folder, infoName), append(text, '\n'))
}

// load reads the item in a directory. The error matches fs.ErrNotExist if it
// has no info.json.
func load(folder string) (*item, error) {
	text, err := os.ReadFile(filepath.Join(folder, infoName))
	if err != nil {
		return nil, err
	}
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(folder, infoName), err)
	}
	if len(r.RawPath) > 0 {
		r.Path = string(r.RawPath)
	}
	if r.ID != filepath.Base(folder) || !filepath.IsAbs(r.Path) {
		return nil, fmt.Errorf("read %s: it does not describe this item", filepath.Join(folder, infoName))
	}
	return &item{Receipt: r.Receipt, folder: folder}, nil
}

// remove deletes the files of this package in the directory of an item without
// a file. Anything else in it stays.
func (it *item) remove() {
	_ = os.Remove(filepath.Join(it.folder, infoName))
	if left, err := filestore.Leftovers(it.folder); err == nil {
		for _, path := range left {
			_ = os.Remove(path)
		}
	}
	_ = os.Remove(it.folder)
}

// isBrokenOff reports whether a directory without info.json contains nothing of
// value: a Put ended before it moved the file.
func isBrokenOff(folder string) bool {
	all, err := os.ReadDir(folder)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return !slices.ContainsFunc(all, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), ".") })
}

// digest reads a file and returns its length and SHA-256.
func digest(path string) (int64, string, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	hash := sha256.New()
	size, err := io.Copy(hash, f)
	return size, hex.EncodeToString(hash.Sum(nil)), err
}
