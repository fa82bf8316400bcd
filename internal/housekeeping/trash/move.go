package trash

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/pith-sessions/pith/store/filestore"
)

// move moves a file into the folder of an item, which has nothing of that name.
func move(from, to string) error {
	err := os.Rename(from, to)
	if isOtherDevice(err) {
		return moveByCopy(from, to)
	}
	return err
}

// moveByCopy makes a duplicate of a file, and only then removes the original.
func moveByCopy(from, to string) error {
	if err := duplicate(from, to); err != nil {
		return err
	}
	if err := os.Remove(from); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}

// duplicate copies a file with its mode and time, durably and under no name until
// it is complete, and reads the copy back.
func duplicate(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	sum, err := copyFile(from, to)
	if err != nil {
		return err
	}
	if err := errors.Join(os.Chmod(to, info.Mode().Perm()), os.Chtimes(to, info.ModTime(), info.ModTime())); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	if err := verify(from, to, sum); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}

// copyFile copies a file to a name that is free and returns the SHA-256 of what
// it copied.
func copyFile(from, to string) (string, error) {
	src, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer src.Close()
	hash := sha256.New()
	l, err := filestore.New(filestore.Options{}).Create(to, func(w io.Writer) error {
		_, err := io.Copy(io.MultiWriter(w, hash), src)
		return err
	})
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), l.Close()
}

// verify reports whether copy and original both still hold what was copied.
func verify(from, to, sum string) error {
	size, copied, err := digest(to)
	if err != nil {
		return err
	}
	if copied != sum {
		return fmt.Errorf("the copy at %s does not read back as it was written; check that disk", to)
	}
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if info.Size() != size {
		return errors.New("it was changed while it was copied; close the session and try again")
	}
	return nil
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
