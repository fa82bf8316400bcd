//go:build unix && !linux && !darwin

package filestore

import "errors"

// renameNew reports that the system cannot rename without replacing.
func renameNew(_, _ string) error { return errors.ErrUnsupported }

// exchangeNames reports that the system cannot exchange names.
func exchangeNames(_, _ string) error { return errors.ErrUnsupported }
