//go:build linux || freebsd || darwin

package jsonl

import (
	"errors"
	"io"
	"os"
	"runtime"
	"syscall"
)

// seekData is the whence value with which a seek finds the next bytes that are
// not a hole.
var seekData = map[bool]int{false: 3, true: 4}[runtime.GOOS == "darwin"]

// NextData returns the first offset from off on that may not be in a hole, at most to.
// It returns off if the file cannot tell. A reader that wraps another one has a method
// NextData.
func NextData(in io.ReaderAt, off, to int64) int64 {
	if wrapper, ok := in.(interface{ NextData(off, to int64) int64 }); ok {
		return wrapper.NextData(off, to)
	}
	file, ok := in.(interface { // a file: seeking in it does not disturb ReadAt
		io.Seeker
		Stat() (os.FileInfo, error)
	})
	if !ok {
		return off
	}
	next, err := file.Seek(off, seekData)
	if errors.Is(err, syscall.ENXIO) { // a hole up to the end
		info, err := file.Stat()
		if err != nil {
			return off
		}
		next = info.Size()
	} else if err != nil {
		return off
	}
	return max(off, min(next, to))
}
