// Package treeview is the screen on which the tree of a session is walked:
// /tree.
//
// It shows every branch, the active path marked, and ends with a wish: to go to
// an entry, to label one, to fork from one. It reads and changes nothing itself.
// The shape of the tree is there at once; what entries say comes from a [Source]
// beside the screen, first for the rows that are seen.
//
// # Invariants
//
//	N1  No key waits for a file.
//	N2  A view costs what is shown; a key that changes what is visible costs one
//	    pass over the tree (pitfall 150).
//	N3  The selection stays on its entry, or goes to the nearest ancestor that is shown.
package treeview
