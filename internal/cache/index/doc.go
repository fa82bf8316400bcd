// Package index stores facts about session files in SQLite databases in the
// user's cache directory, for package catalog and the packages above it.
//
// It knows nothing about sessions: it stores bytes under names, and words under
// numbers, both chosen by its callers, and it opens no session file. It
// provides fingerprints to detect whether a file has changed, but its callers
// make that decision. It is the only package that uses SQLite.
//
// # Invariants
//
//	X1  A database is a cache. Deleting one loses only time, and everything in it
//	    can be rebuilt.
//	X2  A database that is damaged or has an older version is replaced by an empty
//	    one, once, and the caller is informed. A newer one is left alone.
//	X3  Many processes share a database. A reader never waits for a writer; a
//	    writer waits a short time and then fails with ErrBusy.
//	X4  Files are readable only by their owner, and the directory is private: see
//	    CheckPrivate.
//	X5  Every value has a checksum. A damaged row is rebuilt, an index of words is
//	    replaced completely.
package index
