//go:build unix

package filestore

var (
	// WriterIn reads what lsof printed.
	WriterIn = writerIn
	// AskLsof asks lsof, even if the system can answer without it.
	AskLsof = askLsof
	// LinkNew is Relink where the system has no such step.
	LinkNew = linkNew
)
