package index

import (
	"hash/fnv"
	"io"
)

// An Inode is a file's number in its file system, which stays when the file is
// renamed. The zero value means that it is not known.
type Inode struct{ Device, Number uint64 }

// TailSize is how many bytes before the end of what was read tell whether a file
// still begins with it. A line has an id and a time, so this is more than enough
// for two files to differ.
const TailSize = 512

// Fingerprint is a number for the bytes before end.
func Fingerprint(in io.ReaderAt, end int64) (uint64, error) {
	buf := make([]byte, min(TailSize, end))
	if _, err := in.ReadAt(buf, end-int64(len(buf))); err != nil {
		return 0, err
	}
	h := fnv.New64a()
	_, _ = h.Write(buf) // never fails
	return h.Sum64(), nil
}
