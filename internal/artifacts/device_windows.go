package artifacts

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isOtherDevice reports whether a rename failed because its two sides are on
// different devices.
func isOtherDevice(err error) bool { return errors.Is(err, windows.ERROR_NOT_SAME_DEVICE) }
