//go:build !windows

package console

import (
	"errors"
	"syscall"
)

// isBrokenPipe reports whether a write failed because nobody reads any more. Which
// pipe that was it cannot tell: see lost.
func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
