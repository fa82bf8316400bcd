// Package picker implements the screen on which a session is chosen: /resume.
//
// It shows the sessions of the project or of all projects as a list that is
// threaded by forks, sorted by time or by relevance to a search. It reads and
// changes nothing itself: [Sessions] does, in commands that run in the
// background, so that no key ever waits for a disk.
//
// # Invariants
//
//	R1  Every loaded session that passes the filters has one row, even if sessions
//	    name each other as parents in a cycle.
//	R2  The cost of a view depends on the shown part. A key costs at most one pass
//	    over the list.
//	R3  The open session is not deleted, whatever path leads to it.
package picker
