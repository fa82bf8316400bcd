//go:build unix

package artifacts

import (
	"errors"
	"syscall"
)

// isOtherDevice reports whether a rename failed because its two sides are on
// different devices.
func isOtherDevice(err error) bool { return errors.Is(err, syscall.EXDEV) }
