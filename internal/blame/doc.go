// Package blame tells which recorded edit wrote each line of a file, and what the file
// was at an earlier time.
//
// The edits that sessions record of a file are replayed in the order of their times,
// over all sessions and branches. Each line carries the edit that brought it. Where the
// record of an edit does not fit the replayed content, another program changed the file:
// the edit is then kept as a fragment, and the replay continues at the next content that
// is known whole, which in the end is the file as it is now.
//
// # Invariants
//
//	B1  A line is attributed to an edit only if that edit added its text, and the line is
//	    the same one since: it was carried over by recorded edits, or it is found again by
//	    its context.
//	B2  Context is a line with enough text, which occurs once on both sides. Other lines are
//	    found again only in a run that is equal on both sides, between two such lines, or
//	    between one of them and a shorter line that occurs once on both sides.
//	B3  A line that a Git commit contains which is older than the edit is not attributed.
//	B4  The package reads the file it is asked about, session files, and Git's data of the
//	    file. It opens no path that a session names, and writes nothing.
package blame
