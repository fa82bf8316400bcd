package console

import (
	"errors"
	"syscall"
)

// errNoData is the error of a write to a pipe whose other end is closing.
const errNoData = syscall.Errno(232)

// isBrokenPipe reports whether a write failed because the reader is gone. It
// cannot tell which pipe it was: see Lost.
func isBrokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, errNoData)
}
