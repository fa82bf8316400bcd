//go:build unix

package filestore

var (
	// WriterIn reads what lsof printed.
	WriterIn = writerIn
	// AskLsof asks lsof, also where the system tells without it.
	AskLsof = askLsof
	// LinkNew is Relink where the system has no such step.
	LinkNew = linkNew
)
