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

// publishTree copies a directory to a temporary name and then gives it its own.
func publishTree(ctx context.Context, from, to string, special func(path string) error) ([]copied, error) {
	if _, err := os.Lstat(to); err == nil {
		return nil, taken(to)
	}
	temp := filestore.TempName(filepath.Dir(to))
	all, err := copyTree(ctx, from, temp, special)
	if err != nil {
		return nil, err
	}
	err = os.Rename(temp, to)
	if err == nil {
		err = filestore.SyncFolder(filepath.Dir(to))
	}
	if err != nil {
		return nil, errors.Join(err, Remove(temp))
	}
	for i := range all {
		all[i].to = to + strings.TrimPrefix(all[i].to, temp)
	}
	return all, nil
}

// compareTrees returns what is left of a directory that was copied to another. The
// error matches fs.ErrExist if something is not in the copy.
func compareTrees(from, to string) (all []copied, err error) {
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		c := copied{from: path, to: to + strings.TrimPrefix(path, from), info: info}
		if !c.isSame() {
			return taken(to)
		}
		all = append(all, c)
		return nil
	})
	return all, err
}

// isSame reports whether the copy exists and has the content of the original.
func (c *copied) isSame() bool {
	there, err := os.Lstat(c.to)
	if err != nil || there.Mode().Type() != c.info.Mode().Type() {
		return false
	}
	switch mode := c.info.Mode(); {
	case mode.IsDir():
		return true
	case mode.Type() == fs.ModeSymlink:
		a, errA := os.Readlink(c.from)
		b, errB := os.Readlink(c.to)
		return errA == nil && errB == nil && a == b
	case !mode.IsRegular() || there.Size() != c.info.Size():
		return false
	}
	a, errA := digest(c.from)
	b, errB := digest(c.to)
	return errA == nil && errB == nil && a == b
}

func digest(path string) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, f)
	hash.Sum(sum[:0])
	return sum, err
}

// adopt gives the copy the permissions and the time of the original.
func (c *copied) adopt() error {
	return errors.Join(os.Chmod(c.to, c.info.Mode().Perm()), os.Chtimes(c.to, c.info.ModTime(), c.info.ModTime()))
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
	// A directory gets its permissions and its time after its files: it may be
	// read-only, and each file changes its time.
	for _, c := range slices.Backward(all) {
		if c.info.IsDir() {
			if err := errors.Join(filestore.SyncFolder(c.to), c.adopt()); err != nil {
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
	if err := errors.Join(l.Close(), c.adopt()); err != nil {
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
