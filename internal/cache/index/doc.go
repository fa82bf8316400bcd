// Package index keeps what was learnt about session files in SQLite databases
// in the user's cache folder, for package catalog and what stands above it.
//
// It knows nothing of sessions: it keeps bytes that others made under names
// that others chose, and words under numbers, and it opens no session file. It
// has the means to tell whether a file is still the one that was read, but
// leaves that question to its callers. It is the only package that knows SQLite.
//
// # Invariants
//
//	X1  A database is a cache. Deleting one loses nothing but time, and nothing
//	    is kept in it that cannot be made again.
//	X2  A database that is damaged or of an older make is replaced by an empty
//	    one, once, and the caller is told. One of a newer make is left alone.
//	X3  Many processes share a database. A reader never waits for a writer; a
//	    writer waits a short time and then gives up, with ErrBusy.
//	X4  Files are readable by their owner alone, and the folder is private: see package seal.
//	X5  Every value carries a seal. What this user's program did not write is not
//	    there: a row is made again, an index of words is replaced as a whole.
package index
