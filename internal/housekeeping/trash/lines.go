package trash

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pith-sessions/pith/store/filestore"
)

// takenFrom are the lines of a set in a file that other sessions share.
type takenFrom struct {
	File  string      `json:"file"`
	Lines []takenLine `json:"lines"`
	// Time and SHA256 are of the whole file before. Once it has the same content
	// again, it gets the same time.
	Time   time.Time `json:"time"`
	SHA256 string    `json:"sha256"`
}

// A takenLine is a line with its line break, and its place in the file.
type takenLine struct {
	Offset int    `json:"offset"`
	Text   []byte `json:"text"`
}

// findLines returns the places of lines.
func findLines(l Lines) (takenFrom, error) {
	text, err := os.ReadFile(l.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return takenFrom{}, nil
	}
	if err != nil {
		return takenFrom{}, err
	}
	info, err := os.Lstat(l.Path)
	if err != nil {
		return takenFrom{}, err
	}
	sum := sha256.Sum256(text)
	from := takenFrom{Time: info.ModTime(), SHA256: hex.EncodeToString(sum[:])}
	offset := 0
	for line := range bytes.Lines(text) {
		if slices.ContainsFunc(l.Lines, func(want []byte) bool { return bytes.Equal(want, line) }) {
			from.Lines = append(from.Lines, takenLine{offset, line})
		}
		offset += len(line)
	}
	return from, nil
}

// takeOut removes the lines from a file.
func (f *takenFrom) takeOut(path string) error {
	return replaceText(path, func(text []byte) []byte {
		out := make([]byte, 0, len(text))
		for line := range bytes.Lines(text) {
			if !f.has(line) {
				out = append(out, line...)
			}
		}
		return out
	})
}

func (f *takenFrom) has(line []byte) bool {
	return slices.ContainsFunc(f.Lines, func(t takenLine) bool { return bytes.Equal(t.Text, line) })
}

// putBack inserts the lines that a file does not have: at their places if lines
// begin there, and otherwise at its end.
func (f *takenFrom) putBack(path string) error {
	if !exists(path) {
		if err := filestore.WriteFile(path, nil); err != nil {
			return err
		}
	}
	var sum [sha256.Size]byte
	err := replaceText(path, func(text []byte) []byte {
		if !f.isIn(text) { // or a Restore was interrupted after it
			text = f.insert(text)
		}
		sum = sha256.Sum256(text)
		return text
	})
	if err == nil && hex.EncodeToString(sum[:]) == f.SHA256 {
		err = os.Chtimes(path, f.Time, f.Time)
	}
	return err
}

func (f *takenFrom) isIn(text []byte) bool {
	for line := range bytes.Lines(text) {
		if f.has(line) {
			return true
		}
	}
	return false
}

func (f *takenFrom) insert(text []byte) []byte {
	for _, t := range f.Lines {
		at := min(t.Offset, len(text))
		if at > 0 && text[at-1] != '\n' {
			if at = len(text); text[at-1] != '\n' {
				text = append(text, '\n')
				at++
			}
		}
		text = slices.Insert(text, at, t.Text...)
	}
	return text
}

// replaceText replaces the content of a file that other programs append to. What
// they add meanwhile is carried over.
func replaceText(path string, change func(text []byte) []byte) error {
	if !exists(path) {
		return nil
	}
	return filestore.WithLock(context.Background(), path, func() error {
		old, err := os.Open(path)
		if err != nil {
			return err
		}
		defer old.Close() // only read
		info, err := old.Stat()
		if err != nil {
			return err
		}
		text, err := io.ReadAll(old)
		if err != nil {
			return err
		}
		temp := path + ".pith-new" // the lock is held: one that exists is of a process that was killed
		if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		next := change(slices.Clone(text))
		if bytes.Equal(next, text) {
			return nil
		}
		if err := writeNew(temp, next, info.Mode().Perm()); err != nil {
			return errors.Join(err, os.Remove(temp))
		}
		if err := os.Rename(temp, path); err != nil {
			return errors.Join(err, os.Remove(temp))
		}
		added, err := io.ReadAll(old)
		if err == nil && len(added) > 0 {
			err = appendTo(path, added)
		}
		return errors.Join(err, filestore.SyncFolder(filepath.Dir(path)))
	})
}

func writeNew(path string, text []byte, mode fs.FileMode) error {
	w, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return errors.Join(err, w.Chmod(mode), w.Sync(), w.Close())
}

func appendTo(path string, text []byte) error {
	w, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return errors.Join(err, w.Sync(), w.Close())
}
