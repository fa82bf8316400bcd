// Package treeview implements the screen that shows the tree of a session:
// /tree.
//
// It shows every branch, with the active path marked, and ends with a request:
// to go to an entry, to label one, to fork from one. It reads and changes
// nothing itself. The shape of the tree is available immediately; the texts of
// entries come from a [Source] in the background, first for the visible rows.
//
// # Invariants
//
//	N1  No key waits for a file.
//	N2  The cost of a view depends on the shown part; a key that changes what is
//	    visible costs one pass over the tree (pitfall 150).
//	N3  The selection stays on its entry, or moves to the nearest visible ancestor.
package treeview
