package console

import (
	"errors"
	"syscall"
)

// errNoData is what a write into a pipe gives whose other end is closing.
const errNoData = syscall.Errno(232)

// isBrokenPipe reports whether a write failed because nobody reads any more. Which
// pipe that was it cannot tell: see lost.
func isBrokenPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, errNoData)
}
