//go:build unix

package seal

import (
	"encoding/binary"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Place returns what tells a file from a copy of it, and from itself before it was
// written to: its number, its owner and when it was last changed, in a time that no
// program can set. It is zero where the system does not tell. A file that others may
// read or write is an error.
func Place(f *os.File) (place [PlaceSize]byte, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return place, err
	}
	if int(st.Uid) != os.Geteuid() || st.Mode&0o077 != 0 {
		return place, errKey
	}
	binary.LittleEndian.PutUint64(place[:], uint64(st.Ino))
	binary.LittleEndian.PutUint64(place[8:], uint64(st.Uid))
	binary.LittleEndian.PutUint64(place[16:], uint64(st.Ctim.Nano()))
	return place, nil
}

// exposed returns an *ExposedError unless dir belongs to this user, who alone can write
// to it, and no other user can put another folder in its place. there is dir, or the
// lowest folder above it that exists.
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

// An access is who may do what with a file.
type access struct {
	uid, gid int
	mode     uint32
}

// overflow is who files of unmapped users belong to in a user namespace, where that is
// what the root folder looks like.
const overflow = 65534

// safe reports whether no other user than the one given, and the administrator, can
// change or replace what is in a folder. For the cache folder itself the rules are
// strict; a folder above it may belong to the system, may let others add files of
// their own as /tmp does, and may be open to the user's own group of one.
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
