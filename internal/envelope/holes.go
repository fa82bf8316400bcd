//go:build linux || freebsd || darwin

package envelope

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

// nextData returns the first offset from off on, up to to, that may not be a
// hole, or off if the file does not support this.
func nextData(in io.ReaderAt, off, to int64) int64 {
	file, ok := in.(io.Seeker)
	if !ok {
		return off
	}
	next, err := file.Seek(off, seekData)
	if errors.Is(err, syscall.ENXIO) { // a hole up to the end
		stat, ok := in.(interface{ Stat() (os.FileInfo, error) })
		if !ok {
			return off
		}
		info, err := stat.Stat()
		if err != nil {
			return off
		}
		next = info.Size()
	} else if err != nil {
		return off
	}
	return max(off, min(next, to))
}
