// Package picker is the screen on which a session is chosen: /resume.
//
// It shows the sessions of the project or of all projects as a list that is
// threaded by forks, sorted by time or by how well it fits a search. It reads
// and changes nothing itself: [Sessions] does, in commands that run beside the
// screen, so that no key ever waits for a disk.
//
// # Invariants
//
//	R1  Every session that was loaded and passes the filters has one row, also
//	    when sessions name each other as parents in a circle.
//	R2  A view costs what is shown. A key costs one pass over the list at most.
//	R3  The session that is open is not deleted, whatever path leads to it.
package picker
