package cache

import (
	"hash/fnv"
	"io"
	"io/fs"
	"sync"

	"github.com/pith-sessions/pith/internal/foreign"
)

// An Inode identifies a file in its file system. It stays the same when the
// file is renamed. The zero value means that it is unknown.
type Inode struct{ Device, Number uint64 }

// ForeignDevice is the device in the Inode of a foreign session. The number is its
// stamp.
const ForeignDevice = 1<<63 - 1

// InodeOf returns the inode of a file. On systems where a file must be opened to
// learn it, it is zero: files are then identified only by their paths.
func InodeOf(info fs.FileInfo) Inode {
	if s, ok := info.Sys().(*foreign.Session); ok {
		return Inode{ForeignDevice, s.Stamp}
	}
	return inodeOf(info)
}

// TailSize is the number of bytes before an offset that are compared to decide
// whether a file still starts with the bytes that were read. A line has an id
// and a time, so this is more than enough for two files to differ.
const TailSize = 512

// Fingerprint returns a hash of the last bytes before end.
func Fingerprint(in io.ReaderAt, end int64) (int64, error) {
	tail := tails.Get().(*[TailSize]byte)
	defer tails.Put(tail)
	buf := tail[:min(TailSize, end)]
	if _, err := in.ReadAt(buf, end-int64(len(buf))); err != nil {
		return 0, err
	}
	h := fnv.New64a()
	_, _ = h.Write(buf) // never fails
	return int64(h.Sum64()), nil
}

var tails = sync.Pool{New: func() any { return new([TailSize]byte) }}
