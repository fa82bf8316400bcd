//go:build unix

package tables

import (
	"io/fs"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// A mapping is a file mapped into memory, of which only the pages in use are
// read. Writes to it stay in memory.
type mapping struct{ data []byte }

// load returns a whole file mapped into memory.
func load(f *os.File, size int) (data []byte, owner any, err error) {
	data, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	m := &mapping{data}
	runtime.AddCleanup(m, func(data []byte) { _ = unix.Munmap(data) }, data)
	return data, m, nil
}

func identityOf(info fs.FileInfo) identity {
	id := identity{Size: info.Size(), Modified: info.ModTime().UnixNano()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		id.Device, id.Inode = uint64(st.Dev), uint64(st.Ino)
	}
	return id
}
