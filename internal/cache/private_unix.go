//go:build unix

package cache

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// exposed returns an *ExposedError unless dir belongs to this user, only this
// user can write to it, and no other user can replace it by another directory.
// there is dir, or the lowest existing directory above it.
func exposed(dir, there string) error {
	resolved, err := filepath.EvalSymlinks(there)
	if err != nil {
		return err
	}
	ways := []string{there, resolved}
	if resolved == there {
		ways = ways[:1]
	}
	for _, path := range ways {
		for {
			var st unix.Stat_t
			if err := unix.Lstat(path, &st); err != nil {
				return &os.PathError{Op: "lstat", Path: path, Err: err}
			}
			a := access{uid: int(st.Uid), gid: int(st.Gid), mode: uint32(st.Mode)}
			if !a.safe(os.Geteuid(), path == resolved && there == dir) {
				e := &ExposedError{Dir: dir, Path: path, Owner: -1}
				if a.uid != os.Geteuid() {
					e.Owner = a.uid
				}
				return e
			}
			above := filepath.Dir(path)
			if above == path {
				break
			}
			path = above
		}
	}
	return nil
}

// An access contains the owner and the permissions of a file.
type access struct {
	uid, gid int
	mode     uint32
}

// overflow is the owner of files of unmapped users in a user namespace. There
// the root directory can belong to it.
const overflow = 65534

// safe reports whether only the given user and the administrator can change or
// replace the content of a directory. The rules are strict for the cache
// directory itself. A directory above it may belong to the system, may let
// others add files of their own, like /tmp, and may be open to the user's
// private group.
func (a access) safe(user int, itself bool) bool {
	if itself {
		return a.uid == user && a.mode&0o022 == 0
	}
	if a.uid != user && a.uid != 0 && a.uid != overflow {
		return false
	}
	if a.mode&unix.S_IFMT == unix.S_IFLNK || a.mode&unix.S_ISVTX != 0 {
		return true
	}
	own := a.uid == user && a.gid == a.uid && a.mode&0o002 == 0
	return a.mode&0o022 == 0 || own
}
