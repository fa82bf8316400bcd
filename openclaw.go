package pith

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
)

// This file has what concerns OpenClaw: it keeps sessions in a database, and
// renames the files that it has imported.

// fromDatabase reports whether a session is in OpenClaw's database, which only
// OpenClaw may write.
func fromDatabase(s *journal.State, file string) bool {
	return s.Signature.InDatabase(file, s.Header.Version)
}

var errInDatabase = fmt.Errorf("%w: it is in OpenClaw's database, which only OpenClaw writes to; continue in a fork of it", format.ErrTooNew)

// isArchived reports whether a file is one that OpenClaw has imported into its
// database and renamed.
func isArchived(file string) bool {
	return strings.Contains(filepath.Base(file), format.FileSuffix+".imported-")
}

// isCopy reports whether the lines of a session are made from a database or
// another agent's file.
func isCopy(s *journal.State, file string) bool {
	return s.Header.Source != "" || fromDatabase(s, file)
}

// asParent returns the name of a session in the header of a derived one: its
// path, or the id of a session that has no file of its own.
func asParent(s *journal.State, file string) string {
	if isCopy(s, file) {
		return s.Header.ID
	}
	return file
}

// copyable returns an error if the entries do not match the header version that
// a copy would get.
func copyable(s *journal.State, file string) error {
	if fromDatabase(s, file) {
		return nil
	}
	return s.Header.CheckWritable()
}
