package catalog

import (
	"encoding/binary"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pith-sessions/pith/internal/cache/index"
)

// readDir calls take for every entry of a directory, in no order. It asks the
// kernel directly: for 100,000 files, package os takes longer than the kernel,
// most of it for values that a list does not need.
func readDir(dir string, take func(dirEntry)) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	fd := int(f.Fd())
	buf := make([]byte, 32<<10)
	for {
		n, err := unix.Getdents(fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return &fs.PathError{Op: "readdirent", Path: dir, Err: err}
		}
		if n <= 0 {
			return nil
		}
		// A record is the inode and an offset of 8 bytes each, its length in
		// 2, the type in 1, and the name with a NUL.
		for rest := buf[:n]; len(rest) > 19; {
			size := int(binary.NativeEndian.Uint16(rest[16:]))
			if size <= 19 || size > len(rest) {
				break
			}
			name := rest[19:size]
			for i, c := range name {
				if c == 0 {
					name = name[:i]
					break
				}
			}
			if string(name) != "." && string(name) != ".." {
				take(dirEntry{name: string(name), mode: modeOfType(rest[18]), dir: fd})
			}
			rest = rest[size:]
		}
	}
}

// A dirEntry is an entry of a directory that is being read.
type dirEntry struct {
	name string
	mode fs.FileMode // the type; fs.ModeIrregular if it is unknown
	dir  int         // file descriptor of the directory
}

func modeOfType(t byte) fs.FileMode {
	switch t {
	case unix.DT_REG:
		return 0
	case unix.DT_DIR:
		return fs.ModeDir
	case unix.DT_LNK:
		return fs.ModeSymlink
	case unix.DT_UNKNOWN:
		return fs.ModeIrregular
	}
	return fs.ModeDevice // a pipe, a socket or a device: never a session
}

// stat returns what fileOf would, without following a link, and the type.
func (e dirEntry) stat(path, root string) (file, fs.FileMode, error) {
	var st unix.Stat_t
	err := unix.Fstatat(e.dir, e.name, &st, unix.AT_SYMLINK_NOFOLLOW)
	for err == unix.EINTR {
		err = unix.Fstatat(e.dir, e.name, &st, unix.AT_SYMLINK_NOFOLLOW)
	}
	if err != nil {
		return file{}, 0, err
	}
	mode := fs.ModeDevice
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		mode = 0
	case unix.S_IFDIR:
		mode = fs.ModeDir
	case unix.S_IFLNK:
		mode = fs.ModeSymlink
	}
	inode := index.Inode{Device: uint64(st.Dev), Number: uint64(st.Ino)} //nolint:unconvert // the types differ between systems
	return file{path, root, time.Unix(st.Mtim.Unix()), st.Size, inode}, mode, nil
}
