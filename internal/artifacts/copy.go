package artifacts

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/store/filestore"
)

// A copied is a file, directory or link with its copy.
type copied struct {
	from, to string
	info     fs.FileInfo // of the original before it was copied
	sum      [sha256.Size]byte
}

// copyTree copies a directory. It calls special for anything that is not a
// file, a directory or a link, and leaves it out.
func copyTree(ctx context.Context, from, to string, special func(path string) error) (all []copied, err error) {
	if err := os.Mkdir(to, 0o700); err != nil {
		return nil, err
	}
	defer func() { // also if a file cannot be read
		if err != nil {
			err = errors.Join(err, Remove(to))
		}
	}()
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		c := copied{from: path, to: filepath.Join(to, strings.TrimPrefix(path, from)), info: info}
		switch mode := info.Mode(); {
		case path == from:
		case mode.IsDir():
			err = os.Mkdir(c.to, 0o700)
		case mode.IsRegular():
			err = c.copyFile(ctx)
		case mode.Type() == fs.ModeSymlink:
			err = c.copyLink()
		default:
			return special(path)
		}
		all = append(all, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	// A directory gets its permissions after its files, because it may be
	// read-only.
	for _, c := range slices.Backward(all) {
		if c.info.IsDir() {
			if err := errors.Join(filestore.SyncFolder(c.to), os.Chmod(c.to, c.info.Mode().Perm())); err != nil {
				return nil, err
			}
		}
	}
	return all, filestore.SyncFolder(filepath.Dir(to))
}

// copyFile copies a file with its permissions and its time. The copy has no
// name until it is complete.
func (c *copied) copyFile(ctx context.Context) error {
	src, err := os.Open(c.from)
	if err != nil {
		return err
	}
	defer src.Close()
	hash := sha256.New()
	l, err := filestore.New(filestore.Options{}).Create(ctx, c.to, func(w io.Writer) error {
		_, err := io.Copy(io.MultiWriter(w, hash), src)
		return err
	})
	if err != nil {
		return err
	}
	hash.Sum(c.sum[:0])
	if err := errors.Join(l.Close(), os.Chmod(c.to, c.info.Mode().Perm()), os.Chtimes(c.to, c.info.ModTime(), c.info.ModTime())); err != nil {
		return errors.Join(err, os.Remove(c.to))
	}
	return nil
}

func (c *copied) copyLink() error {
	target, err := os.Readlink(c.from)
	if err != nil {
		return err
	}
	return os.Symlink(target, c.to)
}

// verify reads the copy of a file back, and checks that the original did not grow.
func (c *copied) verify() error {
	if !c.info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(c.to)
	if err != nil {
		return err
	}
	defer f.Close()
	hash := sha256.New()
	size, err := io.Copy(hash, f)
	if err != nil {
		return err
	}
	if [sha256.Size]byte(hash.Sum(nil)) != c.sum {
		return fmt.Errorf("the copy at %s differs from what was written; check the disk", c.to)
	}
	if now, err := os.Lstat(c.from); err != nil || now.Size() != size {
		return errors.Join(err, errors.New("it changed while it was copied; close the session and try again"))
	}
	return nil
}

// unchanged reports whether a file is the same as when it was copied. A
// directory is removed only if it is empty, and a link has no content.
func (c *copied) unchanged() bool {
	now, err := os.Lstat(c.from)
	if err != nil || !c.info.Mode().IsRegular() {
		return err == nil
	}
	return now.Mode().IsRegular() && now.Size() == c.info.Size() && now.ModTime().Equal(c.info.ModTime())
}
