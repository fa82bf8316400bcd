package catalog

import (
	"encoding/binary"
	"io/fs"
	"os"
	"sync"
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
	b := dirBuffers.Get().(*dirBuffer)
	defer dirBuffers.Put(b)
	for {
		n, err := unix.Getdents(fd, b.entries[:])
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
		for rest := b.entries[:n]; len(rest) > 19; {
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
				take(dirEntry{name: name, mode: modeOfType(rest[18]), dir: fd, info: &b.info})
			}
			rest = rest[size:]
		}
	}
}

// A dirBuffer is what the kernel writes to while a directory is read.
type dirBuffer struct {
	entries [32 << 10]byte
	info    unix.Statx_t
}

var dirBuffers = sync.Pool{New: func() any { return new(dirBuffer) }}

// A dirEntry is an entry of a directory that is being read.
type dirEntry struct {
	name []byte      // valid until the next entry is read
	mode fs.FileMode // the type; fs.ModeIrregular if it is unknown
	dir  int         // file descriptor of the directory
	info *unix.Statx_t
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

// stat returns the file of this name, without following a link, and the type.
func (e dirEntry) stat(in *place, name string) (file, fs.FileMode, error) {
	const want = unix.STATX_TYPE | unix.STATX_INO | unix.STATX_SIZE | unix.STATX_MTIME
	st := e.info
	err := error(unix.EINTR)
	for err == unix.EINTR {
		err = unix.Statx(e.dir, name, unix.AT_SYMLINK_NOFOLLOW, want, st)
	}
	if err == unix.ENOENT {
		return file{}, 0, err
	}
	if err != nil || st.Mask&want != want { // an old kernel, or a sandbox
		info, err := os.Lstat(in.base + name)
		if err != nil {
			return file{}, 0, err
		}
		return file{in: in, name: name, modified: info.ModTime(), size: info.Size(), inode: index.InodeOf(info)}, info.Mode().Type(), nil
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
	inode := index.Inode{Device: unix.Mkdev(st.Dev_major, st.Dev_minor), Number: st.Ino}
	return file{in: in, name: name, modified: time.Unix(st.Mtime.Sec, int64(st.Mtime.Nsec)), size: int64(st.Size), inode: inode}, mode, nil
}
