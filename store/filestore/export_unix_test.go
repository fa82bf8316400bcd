//go:build unix

package filestore

// WriterIn reads what lsof printed.
var WriterIn = writerIn
