// Package tui is the terminal app: it shows the sessions, one of them, its tree,
// and holds a conversation in it.
//
// The screens are packages of their own: picker, treeview, conversation and the
// dialogs that lie over them. The open session is package live. This package is
// the router between them: [App] decides what is on top and gives it the keys,
// chat joins the conversation with an editor and a footer, commands are what the
// slash commands do, library is all sessions. Everything that reads, writes or
// waits runs beside the screen; an update never blocks.
//
// # Invariants
//
//	U1  Update does no I/O and calls nothing that waits.
//	U2  A session that is shown is opened once; leaving it closes it, and records
//	    where it stood.
//	U3  What is cancelled has changed nothing.
//	U4  The terminal is given back as it was, however the app ends: by a key, a
//	    signal at any moment, a panic, or another program that had it in between.
package tui
