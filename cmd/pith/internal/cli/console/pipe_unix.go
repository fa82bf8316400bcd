//go:build !windows

package console

import (
	"errors"
	"syscall"
)

// isBrokenPipe reports whether a write failed because the reader is gone. It
// cannot tell which pipe it was: see Lost.
func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
