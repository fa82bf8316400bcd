// Package journal makes entries of the bytes of a session, and appends to them.
//
// One sequential scan of a log makes a [State]: its header, its entries without
// their bodies, their parents, labels and names, and the faults of its lines. A
// State is immutable, so every question about it is answered at once and from
// any goroutine. Bodies stay in the log until they are requested.
//
// Every line is validated in full: a line is an entry if and only if
// JavaScript's JSON.parse would accept it. A line that is not an entry is
// reported as a [Fault] with its place, never skipped silently.
//
// A [Journal] is an open log and its State of now. Appending, refreshing and
// migrating replace that State by the next one.
//
// The package knows no leaf, no policy and no options of a session.
//
// # Invariants
//
//	E1  Entries are in the order of the log.
//	E2  Memory grows with the number of lines, not with their length.
//	E3  A State that follows another one equals the State of a new scan.
//	E4  A State never changes. It shares what it has in common with the next one.
//	E5  An entry agrees with the decoded entry, even if a name occurs twice: the last
//	    one counts, in the line and in its message (F11).
//	T1  Every entry is in the tree once, under its parent or as a root.
//	T2  A parent ID means the last entry of that ID before the child; only when there is none, the first one after it.
//	T3  An entry whose parent is missing, or is its own descendant, is a root and a problem.
//	T4  Adding an entry costs the same however many there are.
package journal
