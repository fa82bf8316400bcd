//go:build !unix

package tables

import (
	"io"
	"io/fs"
	"os"
	"unsafe"
)

// load is a whole file as memory. It is read; words keep it aligned.
func load(f *os.File, size int) (data []byte, owner any, err error) {
	words := make([]uint64, (size+7)/8)
	data = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), size)
	_, err = io.ReadFull(io.NewSectionReader(f, 0, int64(size)), data)
	return data, words, err
}

// numbersOf are the numbers by which the system knows a file: none here.
func numbersOf(fs.FileInfo) (device, inode uint64) { return 0, 0 }
